// Thousands of random HTTP requests, each with its answer checked.
import { SEED } from '@starkbox/test-support/seed';
import { describe, expect, test } from 'vitest';
import { type ChildNode, startChild } from './child-node.js';
import { type Finding, sendRequests } from './send-requests.js';

const { env } = process;
/** `TEST_SEED=7 FUZZ_REQUESTS=1000000 npx vitest run packages/starkbox/test/fuzz/fuzz.test.ts` looks further. */
const REQUESTS = Number(env['FUZZ_REQUESTS'] ?? 3_000);
const LANES = 8;

/** Each chain gets its part of the requests. */
const CHAINS: readonly (readonly [string, readonly string[]])[] = [
  ['a block for each transaction', []],
  ['blocks on demand', ['--block-generation-on', 'demand', '--lite-mode', '--dump-on', 'request']],
  [
    'a block every second, no history and a paymaster',
    [
      ...['--block-generation-on', '1', '--state-archive-capacity', 'none'],
      ...['--proof-mode', 'none', '--paymaster'],
    ],
  ],
];

/** Only catches hangs. */
const LIMIT_MILLISECONDS = 300_000 + 20 * REQUESTS;

describe(`${REQUESTS} requests of seed ${SEED}`, () => {
  test.for(CHAINS)(
    'neither break nor end a node with %s',
    { timeout: LIMIT_MILLISECONDS },
    async ([, args], { task }) => {
      const node = await startChild(args, LANES);
      const offset = CHAINS.findIndex(([, other]) => other === args) * 2 ** 24;
      try {
        const findings = await sendRequests({
          seed: SEED + offset,
          count: Math.ceil(REQUESTS / CHAINS.length),
          lanes: LANES,
          node,
          another: () => startChild(args, 1),
          report: (text) => console.log(`${task.name}\n${text}`),
        });
        expect(findings.map(findingText)).toEqual([]);
        await expectOrderlyEnd(node);
      } finally {
        await node.stop('SIGKILL');
      }
    },
  );
});

function findingText({ problem, request, log }: Finding): string {
  const { verb, path, headers, body } = request;
  return [problem, `${verb} ${path} ${JSON.stringify(headers)}`, String(body), log].join('\n');
}

async function expectOrderlyEnd(node: ChildNode): Promise<void> {
  expect(await node.isAlive()).toBe(true);
  // A client that is kept waiting or cut off would need another connection.
  expect(node.connections()).toBeLessThanOrEqual(LANES);
  expect(await node.stop()).toBe(0);
  // How long a call takes depends on what else the machine does.
  const complaints = node
    .log()
    .split('\n')
    .filter((line) => !/blocked the event loop|^$/.test(line));
  expect(complaints).toEqual([]);
}
