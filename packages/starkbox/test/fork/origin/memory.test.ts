// Memory of an origin's answers that are under way: bounded for all of them together.
import { createServer, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listen } from '@starkbox/test-support/listen';
import { afterEach, expect, test } from 'vitest';
import { OriginFailure } from '../../../src/fork/origin/failure.js';
import { Remote } from '../../../src/fork/origin/remote.js';
import { silentLog } from '../../../src/log.js';
import { MemoryBudget } from '../../../src/scheduling/memory-budget.js';
import { QUICK } from '../../support/fork/origin.js';

const MIB = 2 ** 20;
const PIECE = Buffer.alloc(MIB, ' ');
const CALLS = 60;
const servers: Server[] = [];
const remotes: Remote[] = [];

afterEach(() => {
  for (const remote of remotes.splice(0)) remote.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serving(answer: (body: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    answer(body, response);
  });
  servers.push(server);
  return `http://127.0.0.1:${await listen(server)}`;
}

function connect(url: string, budget: MemoryBudget, attempts = 2): Remote {
  const policy = { ...QUICK, queueTimeout: 60_000, attempts, batch: 1 };
  const remote = new Remote([url], { log: silentLog, policy, budget });
  remotes.push(remote);
  return remote;
}

/** Sends pieces until the connection is closed. */
function sendEndlessly(response: ServerResponse, onPiece: () => void): void {
  const send = (): void => {
    do onPiece();
    while (!response.destroyed && response.write(PIECE));
  };
  response.on('drain', send);
  send();
}

const failureOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => 'an answer',
    (error: unknown) => (error instanceof OriginFailure ? error.kind : error),
  );

test('endless answers hold no more than the limit together, and each ends in an error', async () => {
  const budget = new MemoryBudget(16 * MIB);
  let most = 0;
  const url = await serving((_, response) =>
    sendEndlessly(response, () => {
      most = Math.max(most, budget.held);
    }),
  );
  const remote = connect(url, budget);
  const kinds = await Promise.all(
    Array.from({ length: CALLS }, (_, index) =>
      failureOf(remote.ask('starknet_getStorageAt', { index })),
    ),
  );
  expect(kinds).toEqual(Array.from({ length: CALLS }, () => 'overloaded'));
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(budget.limit);
  expect(budget.held).toBe(0);
});

test('compressed answers are counted as they are in memory', async () => {
  const budget = new MemoryBudget(16 * MIB);
  const bomb = gzipSync(Buffer.alloc(64 * MIB, ' '));
  const url = await serving((_, response) => {
    response.setHeader('content-encoding', 'gzip').end(bomb);
  });
  const answer = connect(url, budget, 1).ask('starknet_getStorageAt', {});
  await expect(answer).rejects.toMatchObject({ kind: 'overloaded' });
  expect(budget.held).toBe(0);
});

test('a small answer is received while large ones hold the rest', async () => {
  const budget = new MemoryBudget(16 * MIB);
  const largeAnswers = budget.open();
  while (largeAnswers.take(MIB));
  const url = await serving((_, response) => {
    response.end('{"jsonrpc":"2.0","id":0,"result":"0x5"}');
  });
  expect(await connect(url, budget).ask('starknet_getNonce', {})).toBe('0x5');
});

test('one answer has a limit of its own, and is not asked for again', async () => {
  let requests = 0;
  const url = await serving((_, response) => {
    requests += 1;
    sendEndlessly(response, () => undefined);
  });
  const answer = connect(url, new MemoryBudget()).ask('starknet_getStorageAt', {});
  await expect(answer).rejects.toMatchObject({ kind: 'too-large' });
  expect(requests).toBe(1);
});
