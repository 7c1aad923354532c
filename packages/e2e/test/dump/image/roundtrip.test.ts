// Images of random histories: the loaded chain answers and continues as the original.

import type { MethodName } from '@starkbox/spec';
import { agreeExactly } from '@starkbox/test-support/model/agreement';
import { describeCommand, sequences } from '@starkbox/test-support/model/commands';
import { HistoryRunner, SETUPS } from '@starkbox/test-support/model/history-runner';
import { differences, NodeClient } from '@starkbox/test-support/model/reading';
import { SEED } from '@starkbox/test-support/seed';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { everyQuestion, transferPages } from './questions.js';

/** By hand, for more histories: TEST_HISTORIES=5000 npx vitest run packages/e2e/test/dump/image */
const HISTORIES = Math.ceil(Number(process.env['TEST_HISTORIES'] ?? 80) / 20);
const LENGTH = 30;

const runners = new Map(SETUPS.map((setup) => [setup, new HistoryRunner(setup)]));

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
});
afterAll(async () => {
  for (const runner of runners.values()) await runner.close();
  vi.useRealTimers();
});

async function imageOf(door: NodeClient): Promise<string> {
  const dump = await door.ask('devnet_dump', { format: 'image' });
  if (!('image' in dump) || dump.image === undefined) throw new Error('there is no image');
  return dump.image;
}

/** What comes next, and what can be read then. */
function* continuation(keepsHistory: boolean, now: number): Iterable<[MethodName, object]> {
  yield ['devnet_setTime', { time: now + 1000, generate_block: true }];
  yield ['starknet_getBlockWithReceipts', { block_id: 'latest' }];
  yield ['devnet_mint', { address: '0xbeef', amount: 7 }];
  yield ['devnet_createBlock', {}];
  if (keepsHistory) yield ['devnet_abortBlocks', { starting_block_id: 'latest' }];
  yield ['devnet_setTime', { time: now + 2000, generate_block: true }];
  yield ['starknet_getBlockWithReceipts', { block_id: 'latest' }];
  yield ['starknet_getStateUpdate', { block_id: 'latest' }];
  yield ['starknet_getEvents', { filter: { chunk_size: 1000 } }];
  yield ['devnet_getStatus', {}];
}

test(`${HISTORIES} histories are the same in a node that loaded their image`, {
  timeout: 600_000 + HISTORIES * 10_000,
}, async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...SETUPS),
    sequences(LENGTH),
    async (setup, commands) => {
      const runner = runners.get(setup);
      if (!runner) throw new Error('there is no such setup');
      const { door, world, wall } = await runner.play(commands);
      const image = await imageOf(door);
      const other = await runner.open();
      try {
        const otherClient = new NodeClient(other);
        agreeExactly(await otherClient.ask('devnet_load', { image }), {});
        const questions = [...everyQuestion(world, setup.keepsHistory)];
        const unequal = differences(await door.read(questions), await otherClient.read(questions));
        agreeExactly(unequal, [], 'what differs');
        agreeExactly(
          await transferPages(otherClient),
          await transferPages(door),
          'pages of events',
        );
        // The same chain gives the same bytes, however it came to be.
        agreeExactly((await imageOf(otherClient)) === image, true, 'whether images are equal');
        for (const [method, params] of continuation(setup.keepsHistory, wall.now())) {
          const [otherAnswer, answer] = [
            await otherClient.text({ method, params }),
            await door.text({ method, params }),
          ];
          agreeExactly(otherAnswer, answer, `what ${method} answers then`);
        }
      } finally {
        await other.close();
      }
    },
  );
  const details = await fc.check(property, { seed: SEED, numRuns: HISTORIES });
  const [setup, commands = []] = details.counterexample ?? [];
  const story = commands
    .map((command, index) => `${index + 1}. ${describeCommand(command)}`)
    .join('\n');
  expect.assert(
    !details.failed,
    `path ${details.counterexamplePath}, blocks on ${setup?.name}:\n${story}\n${details.errorInstance}`,
  );
});
