// Errors, statuses and invalid answers of the origin, as callers of a fork receive them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ERRORS } from '@starkbox/spec';
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { listen } from '@starkbox/test-support/listen';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import { OriginClient } from '../../src/fork/origin/client.js';
import { Remote } from '../../src/fork/origin/remote.js';
import { silentLog } from '../../src/log.js';

/** An answer of the origin, instead of the real one. */
interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, for the id of the question. */
  readonly body: (id: number) => string;
  /** The connection is cut in the middle of the body. */
  readonly isCut?: boolean;
}

/** Asks by the number of a block, so that one question goes to the origin. */
const METHOD = 'starknet_getTransactionByBlockIdAndIndex';
const JSON_TYPE = { 'content-type': 'application/json' };

let origin: ListeningNode;
let fork: ListeningNode;
/** The same origin, asked without a fork above it and with short pauses between attempts. */
let upstream: OriginClient;
let server: Server;
let url: string;
let reply: Reply | undefined;
/** The method that is answered so. */
let replyTo = '';
let questionCount = 0;
/** Each question is another one: some errors are kept. */
let index = 0;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces).toString();
  const question: { readonly id: number; readonly method: string } = JSON.parse(body);
  if (reply && question.method === replyTo) {
    questionCount += 1;
    const text = reply.body(question.id);
    response.writeHead(reply.status ?? 200, reply.headers ?? JSON_TYPE);
    if (reply.isCut) response.write(text, () => response.socket?.resetAndDestroy());
    else response.end(text);
    return;
  }
  const answer = await fetch(origin.url, { method: 'POST', headers: JSON_TYPE, body });
  response.writeHead(answer.status, JSON_TYPE).end(await answer.text());
}

beforeAll(async () => {
  origin = await startNode({ listen: true, seed: 0 });
  await origin.client.call('devnet_createBlock');
  server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  url = `http://127.0.0.1:${await listen(server)}`;
  fork = await startNode({
    listen: true,
    seed: 1,
    forkNetwork: url,
    forkUpstreamCaching: false,
  });
  upstream = await OriginClient.connect({ urls: [url], log: silentLog, policy: { backoff: 1 } });
});
afterAll(async () => {
  await upstream.close();
  await fork.close();
  server.closeAllConnections();
  server.close();
  await origin.close();
});

/** What comes of a question that the origin answers like this. */
async function during<T>(
  nextReply: Reply,
  ask: (params: object) => Promise<T>,
  method = METHOD,
): Promise<T> {
  reply = nextReply;
  replyTo = method;
  questionCount = 0;
  index += 1;
  try {
    return await ask({ block_id: { block_number: 0 }, index });
  } finally {
    reply = undefined;
  }
}

/** The fork's answer, as text. */
const answerTo = (originReply: Reply): Promise<string> =>
  during(originReply, async (params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'mine', method: METHOD, params });
    const answer = await fetch(fork.url, { method: 'POST', headers: JSON_TYPE, body });
    expect(answer.status).toBe(200);
    return answer.text();
  });

const envelope = (error: string) => (id: unknown) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${error}}`;
const written = (code: number, message: string, data?: unknown): string =>
  JSON.stringify({ code, message, data });

const ODD_DATA: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1.5,
  '',
  'text',
  [],
  {},
  [null, [1, 'two', { three: 3 }]],
  { revert_error: { class_hash: '0x1', error: ['nested', { deeper: null }] } },
  'Ünïcödé \u{1f980} \u2028 "quoted" \\ back\tslash \u0000',
  { __proto__: 1, constructor: 2, toString: 3 },
];

/** Errors as the origin writes them. */
const ERROR_TEXTS: readonly (readonly [string, string])[] = [
  ...Object.entries(ERRORS).flatMap(([name, { code, message }]) => [
    [name, written(code, message)] as const,
    [`${name} with data`, written(code, message, { reason: `about ${name}` })] as const,
  ]),
  ...[-32700, -32600, -32601, -32602, -32603, -32604].map(
    (code) => [`code ${code}`, written(code, 'As it is', 'why')] as const,
  ),
  ...[-32000, -32001, -32002, -32003, -32004, -32006, -32010, -32050, -32098, -32099].map(
    (code) => [`code ${code}`, written(code, `Of the server: ${code}`)] as const,
  ),
  ...[0, -1, 1, 63, 399, 400, 404, 500, 503, 10_000, -40_000, 2 ** 31].map(
    (code) => [`code ${code}`, written(code, 'Of its own')] as const,
  ),
  ['a limit of results', written(-32005, 'query returned more than 10000 results')],
  ['a limit of another kind', written(-32029, 'block range is too wide')],
  ['words of a limit in an error about the chain', written(40, 'Contract error: rate limit')],
  ['an empty message', written(-32603, '')],
  ['a message in unicode', written(-32603, 'Fehler: Größe \u{1f980}')],
  ['big numbers', '{"code":40,"message":"big","data":{"felt":123456789012345678901234567890}}'],
  ['a number beyond 2^53', '{"code":-32603,"message":"big","data":[9007199254740993]}'],
  ...ODD_DATA.map(
    (data, at) => [`data ${at}: ${typeof data}`, written(-32603, 'odd', data)] as const,
  ),
];

describe('an error of the origin', () => {
  test.each(ERROR_TEXTS)('is passed on as it is, at once: %s', async (_name, error) => {
    expect(await answerTo({ body: envelope(error) })).toBe(envelope(error)('mine'));
    expect(questionCount).toBe(1);
  });

  test.each([400, 401, 403, 404, 405, 408, 413, 422])(
    'is passed on with status %i as well',
    async (status) => {
      const error = written(-32602, 'Invalid params', { status });
      expect(await answerTo({ status, body: envelope(error) })).toBe(envelope(error)('mine'));
      expect(questionCount).toBe(1);
    },
  );

  test.each<readonly [string, Reply]>([
    [
      'with another content type',
      { headers: { 'content-type': 'text/html' }, body: envelope(written(-32603, 'no')) },
    ],
    ['without a content type', { headers: {}, body: envelope(written(-32603, 'no')) }],
    ['with the id null', { body: () => envelope(written(-32603, 'no'))(null) }],
    ['with the id as a string', { body: (id) => envelope(written(-32603, 'no'))(String(id)) }],
    ['with space around it', { body: (id) => `\n ${envelope(written(-32603, 'no'))(id)} \n` }],
    ['in a list of one', { body: (id) => `[${envelope(written(-32603, 'no'))(id)}]` }],
  ])('is passed on %s', async (_name, originReply) => {
    expect(await answerTo(originReply)).toBe(envelope(written(-32603, 'no'))('mine'));
    expect(questionCount).toBe(1);
  });
});

/** Calls at a block of the origin whose failures are explained at a local block. */
const EXECUTIONS: readonly (readonly [string, object])[] = [
  [
    'starknet_call',
    { request: { contract_address: '0x5', entry_point_selector: '0x6', calldata: [] } },
  ],
  [
    'starknet_estimateMessageFee',
    {
      message: {
        from_address: `0x${'0'.repeat(39)}1`,
        to_address: '0x5',
        entry_point_selector: '0x6',
        payload: [],
      },
    },
  ],
];

describe('an error of an execution at the origin', () => {
  test.each(
    EXECUTIONS.flatMap(([method, params]) => [
      [method, params, written(40, 'Contract error', { revert_error: 'as it was' })] as const,
      [method, params, written(41, 'Transaction execution error', 'a text')] as const,
      // Last, because it is cached.
      [method, params, written(20, 'Contract not found')] as const,
    ]),
  )('is passed on without an explanation of ours: %s %j %s', async (method, params, error) => {
    const answer = await during(
      { body: envelope(error) },
      async ({ block_id }: { readonly block_id?: unknown }) => {
        const call = { jsonrpc: '2.0', id: 'mine', method, params: { ...params, block_id } };
        const response = await fetch(fork.url, {
          method: 'POST',
          headers: JSON_TYPE,
          body: JSON.stringify(call),
        });
        return response.text();
      },
      method,
    );
    expect(answer).toBe(envelope(error)('mine'));
  });
});

const page = (): string => '<html><body>The service is busy</body></html>';
/** What the node asks before it reports a failure. */
const ATTEMPTS = 6;

const FAILURES: readonly (readonly [string, Reply, object, number])[] = [
  ...[400, 401, 403, 404, 405, 413, 422].map(
    (status) =>
      [`status ${status} with a page`, { status, body: page }, { kind: 'http' }, 1] as const,
  ),
  ...[408, 425, 500, 502, 503, 504].map(
    (status) =>
      [`status ${status} with a page`, { status, body: page }, { kind: 'http' }, ATTEMPTS] as const,
  ),
  ...[500, 502, 503, 504].map(
    (status) =>
      [
        `status ${status} with an error`,
        { status, body: envelope(written(-32603, 'Internal error')) },
        { kind: 'http', reason: `it returned status ${status}` },
        ATTEMPTS,
      ] as const,
  ),
  ['status 429 with a page', { status: 429, body: page }, { kind: 'rate-limited' }, ATTEMPTS],
  [
    'status 429 with an error',
    { status: 429, body: envelope(written(24, 'Block not found')) },
    { kind: 'rate-limited' },
    ATTEMPTS,
  ],
  ...[
    written(429, 'Slow down'),
    written(-32005, 'Limit exceeded'),
    written(-32029, 'Rate limit exceeded'),
    written(-32000, 'Too many requests'),
    written(-32005, 'daily request count exceeded, request rate limited'),
  ].map(
    (error) =>
      [
        `a rate limit ${error}`,
        { body: envelope(error) },
        { kind: 'rate-limited' },
        ATTEMPTS,
      ] as const,
  ),
  ['a page with status 200', { body: page }, { kind: 'malformed' }, ATTEMPTS],
  ['an empty body', { body: () => '' }, { kind: 'malformed' }, ATTEMPTS],
  ['null', { body: () => 'null' }, { kind: 'malformed' }, ATTEMPTS],
  ['a number', { body: () => '5' }, { kind: 'malformed' }, ATTEMPTS],
  ['an empty list', { body: () => '[]' }, { kind: 'malformed' }, ATTEMPTS],
  ['an empty object', { body: () => '{}' }, { kind: 'malformed' }, ATTEMPTS],
  ['half an object', { body: () => '{"jsonrpc":"2.0",' }, { kind: 'malformed' }, ATTEMPTS],
  ['an error that is a string', { body: envelope('"no"') }, { kind: 'malformed' }, ATTEMPTS],
  ['an error without a code', { body: envelope('{"message":"no"}') }, { kind: 'malformed' }, 6],
  [
    'the id of another question',
    { body: () => envelope(written(24, 'Block not found'))(17) },
    { kind: 'malformed' },
    ATTEMPTS,
  ],
  [
    'a body that is cut',
    { body: () => '{"jsonrpc":"2.0","id":0,"result":{', isCut: true },
    { kind: 'malformed' },
    ATTEMPTS,
  ],
  ...['null', '5', '"text"', '[]', '{}', 'true', '{"type":{}}'].map(
    (result) =>
      [
        `the result ${result}`,
        { body: (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${result}}` },
        { kind: 'malformed', reason: expect.stringContaining(METHOD) },
        ATTEMPTS,
      ] as const,
  ),
];

describe('what is no answer', () => {
  test.each(FAILURES)(
    'becomes an error of the node: %s',
    async (_name, originReply, data, attempts) => {
      const error = await during(originReply, (params) =>
        upstream.forward(METHOD, { ...params }).catch((reason: unknown) => reason),
      );
      if (!(error instanceof RpcError)) throw error;
      const reason = expect.any(String);
      expect(error).toMatchObject({
        code: ERRORS.INTERNAL_ERROR.code,
        data: { url, reason, ...data },
      });
      expect(error.message).toMatch(/^Error in interacting with origin http:\S+: \w/);
      expect(questionCount).toBe(attempts);
    },
  );

  test('reaches the caller of a fork', async () => {
    const answer = await answerTo({ status: 403, body: page });
    const reason = 'it returned status 403';
    const error = {
      code: ERRORS.INTERNAL_ERROR.code,
      message: `Error in interacting with origin ${url}: ${reason}`,
      data: { kind: 'http', url, reason },
    };
    expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 'mine', error });
  });
});

/** Every method that is asked of an origin, with what it answers. */
const EXPECTED: readonly (readonly [string, string])[] = [
  ['starknet_blockNumber', 'a number'],
  ['starknet_call', 'a list of felts'],
  ['starknet_chainId', 'a felt'],
  ['starknet_estimateFee', 'a list of estimates'],
  ['starknet_estimateMessageFee', 'an object'],
  ['starknet_getBlockTransactionCount', 'a number'],
  ['starknet_getBlockWithReceipts', 'a block'],
  ['starknet_getBlockWithTxHashes', 'a block'],
  ['starknet_getBlockWithTxs', 'a block'],
  ['starknet_getClass', 'a class'],
  ['starknet_getClassAt', 'a class'],
  ['starknet_getClassHashAt', 'a felt'],
  ['starknet_getEvents', 'a page of events'],
  ['starknet_getMessagesStatus', 'a list of messages'],
  ['starknet_getNonce', 'a felt'],
  ['starknet_getStateUpdate', 'a state update'],
  ['starknet_getStorageAt', 'a felt'],
  ['starknet_getStorageProof', 'an object'],
  ['starknet_getTransactionByBlockIdAndIndex', 'a transaction'],
  ['starknet_getTransactionByHash', 'a transaction'],
  ['starknet_getTransactionReceipt', 'a receipt'],
  ['starknet_getTransactionStatus', 'a status'],
  ['starknet_simulateTransactions', 'a list of simulations'],
  ['starknet_specVersion', 'a string'],
  ['starknet_traceBlockTransactions', 'a list of traces'],
  ['starknet_traceTransaction', 'an object'],
];

test.each(EXPECTED)('a result of %s that is not %s is malformed', async (method, name) => {
  const remote = new Remote([url], { log: silentLog, policy: { attempts: 1 } });
  for (const result of ['null', '-5', 'false', '[[7]]']) {
    const body = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
    const error = await during(
      { body },
      () => remote.ask(method, []).catch((reason: unknown) => reason),
      method,
    );
    const resultText = result === '[[7]]' ? 'a list' : result;
    expect(error).toMatchObject({
      code: ERRORS.INTERNAL_ERROR.code,
      data: {
        kind: 'malformed',
        url,
        reason: `it returned ${resultText} instead of ${name} for ${method}`,
      },
    });
  }
  remote.close();
});
