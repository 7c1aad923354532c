// Random histories of commands leave a node exactly as a plain model says.

import { agreeExactly } from '@starkbox/test-support/model/agreement';
import { type Command, describeCommand, sequences } from '@starkbox/test-support/model/commands';
import { HistoryRunner, SETUPS } from '@starkbox/test-support/model/history-runner';
import type { Setup } from '@starkbox/test-support/model/node-and-model';
import { differences, everything, NodeClient } from '@starkbox/test-support/model/reading';
import { SEED } from '@starkbox/test-support/seed';
import fc from 'fast-check';
import type { LocalChain } from 'starkbox';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/**
 * By hand, for more histories or for those of another seed:
 * TEST_HISTORIES=5000 TEST_SEED=7 npx vitest run packages/e2e/test/model/model.test.ts
 * A failure names its seed and its path; with TEST_PATH it alone is played again.
 */
const HISTORIES = Number(process.env['TEST_HISTORIES'] ?? 40);
const PATH = process.env['TEST_PATH'];
const LENGTH = 30;
/** One in so many histories has its answers validated by the specifications. */
const JUDGED = 15;

const runners = new Map(SETUPS.map((setup) => [setup, new HistoryRunner(setup)]));

beforeAll(() => {
  // Time passes, and timers fire, only by commands.
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
});
afterAll(async () => {
  for (const runner of runners.values()) await runner.close();
  vi.useRealTimers();
});

test(`${HISTORIES} histories of ${LENGTH} commands are as the model says`, {
  timeout: 600_000 + HISTORIES * 1000,
}, async () => {
  let played = 0;
  const property = fc.asyncProperty(
    fc.constantFrom(...SETUPS),
    sequences(LENGTH),
    async (setup, commands) => {
      played += 1;
      await runners.get(setup)?.play(commands, played % JUDGED === 0);
    },
  );
  const begin = performance.now();
  const details = await fc.check(property, {
    seed: SEED,
    numRuns: HISTORIES,
    ...(PATH === undefined ? {} : { path: PATH }),
  });
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(`seed ${SEED}: ${details.numRuns} histories in ${seconds} s`);
  expect.assert(!details.failed, report(details));
});

/** A way to send many requests to a node. */
type Sending = (
  requests: readonly string[],
  node: Pick<LocalChain, 'handle'>,
) => Promise<readonly unknown[]>;

/** A second node that gets the requests of the first one in another way. */
async function checkSending(
  send: Sending,
  isFit: (command: Command) => boolean = () => true,
): Promise<void> {
  const property = fc.asyncProperty(
    fc.constantFrom(...SETUPS.filter(({ blocksOn }) => blocksOn !== 'interval')),
    sequences(LENGTH),
    async (setup, commands) => {
      // No time passes between calls that come together.
      const runner = new HistoryRunner(setup);
      const history = commands.filter((command) => command.does !== 'wait' && isFit(command));
      const { door, world, begin } = await runner.play(history);
      const other = await runner.open();
      try {
        const before = door.written.slice(0, begin);
        for (const { request } of before) await other.handle(request);
        const written = door.written.slice(begin);
        const requests = written.map(({ request }) => request);
        const answers = await send(requests, other);
        for (const [index, { request, answer }] of written.entries()) {
          const expected: unknown = JSON.parse(answer);
          agreeExactly(answers[index], expected, `the answer to ${request.slice(0, 300)}`);
        }
        const questions = [...everything(world, setup.keepsHistory)];
        const unequal = differences(
          await door.read(questions),
          await new NodeClient(other).read(questions),
        );
        agreeExactly(unequal, [], 'what differs');
      } finally {
        await runner.close();
        await other.close();
      }
    },
  );
  const details = await fc.check(property, { seed: SEED, numRuns: Math.ceil(HISTORIES / 20) });
  expect.assert(!details.failed, report(details));
}

test(
  'calls that are sent at once are served in the order they came',
  {
    timeout: 300_000,
  },
  () =>
    checkSending(
      (requests, node) =>
        Promise.all(
          requests.map(
            async (request): Promise<unknown> => JSON.parse((await node.handle(request)) ?? ''),
          ),
        ),
      // A class is compiled first, so that a slow compilation delays no call.
      ({ does }) => does !== 'declare',
    ),
);

test('a batch does what its calls do one after another', { timeout: 300_000 }, () =>
  checkSending(async (requests, node) => {
    if (requests.length === 0) return [];
    const text = await node.handle(`[${requests.join(',')}]`);
    const answers: readonly unknown[] = JSON.parse(text ?? '[]');
    return answers;
  }),
);

/** One line for each command of the shortest history that fails. */
function report({
  seed,
  counterexample,
  counterexamplePath,
  numShrinks,
  errorInstance,
}: fc.RunDetails<[Setup, Command[]]>): string {
  const [setup, commands = []] = counterexample ?? [];
  const lines = commands.map((command, index) => `${index + 1}. ${describeCommand(command)}`);
  return [
    `seed ${seed}, path ${counterexamplePath}, ${numShrinks} times shrunk`,
    `blocks on ${setup?.name}:`,
    ...lines,
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
  ].join('\n');
}
