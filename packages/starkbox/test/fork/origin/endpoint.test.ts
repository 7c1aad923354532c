// One address of an origin that says what a test wants: the meaning of each response, and what is kept of it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Answers } from '../../../src/fork/origin/answers.js';
import { Cache } from '../../../src/fork/origin/cache.js';
import { type Asked, type AskOutcome, Endpoint } from '../../../src/fork/origin/endpoint.js';
import { OriginFailure } from '../../../src/fork/origin/failure.js';
import { LockFile } from '../../../src/fork/origin/lock-file.js';
import { Remote } from '../../../src/fork/origin/remote.js';
import type { Sources } from '../../../src/fork/origin/sources.js';
import { StateReads } from '../../../src/fork/origin/state-reads.js';
import { silentLog } from '../../../src/log.js';
import { MemoryBudget } from '../../../src/scheduling/memory-budget.js';

type Say = (response: ServerResponse, body: string) => void;
let say: Say = (response) => response.end();
let requests = 0;
let lastHeaders: IncomingHttpHeaders = {};
const server = createServer((request, response) => {
  requests += 1;
  lastHeaders = request.headers;
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => say(response, body));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
const url = `http://127.0.0.1:${port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = 0;
});

const endpoints: Endpoint[] = [];
afterAll(() => {
  for (const endpoint of endpoints) endpoint.close();
});
const endpointWith = (
  headers: readonly string[] = [],
  at = url,
  budget = new MemoryBudget(),
): Endpoint => {
  const endpoint = new Endpoint(at, headers, budget, undefined);
  endpoints.push(endpoint);
  return endpoint;
};

const question = (method = 'starknet_getNonce', params: object = {}): Asked => ({
  ...{ method, params, text: JSON.stringify(params) },
});
const reply =
  (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Say =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };
const result = (value: unknown, id: unknown = 0) => ({ jsonrpc: '2.0', id, result: value });
const failure = (code: number, message = 'why') => ({
  jsonrpc: '2.0',
  id: 0,
  error: { code, message },
});

async function ask(endpoint: Endpoint, ...questions: readonly Asked[]) {
  const list = questions.length > 0 ? questions : [question()];
  return endpoint.ask(list, 5_000, new AbortController().signal);
}

/** What an outcome is, in a few words. */
function wordsOf(outcome: AskOutcome | undefined): string {
  if (outcome?.kind === 'result') return `result ${JSON.stringify(outcome.result)}`;
  if (outcome?.kind === 'error') return `error ${outcome.error.code}`;
  if (!outcome) return 'nothing';
  const { error, retry } = outcome;
  return `${error instanceof OriginFailure ? error.kind : `error ${error.code}`} ${retry}`;
}

describe('a response', () => {
  test.each<[words: string, Say]>([
    ['result "0x1"', reply(200, result('0x1'))],
    ['result "0x1"', reply(200, [result('0x1')])],
    ['result "0x1"', reply(200, result('0x1', null))],
    ['result "0x1"', reply(200, result('0x1', '0'))],
    ['result "0x1"', reply(400, result('0x1'))],
    ['malformed again', reply(200, result('0x1', 1))],
    ['malformed again', reply(200, result('x'))],
    ['malformed again', reply(200, [result('0x1'), result('0x1', 1)])],
    ['malformed again', reply(200, {})],
    ['malformed again', reply(200, 'no json')],
    ['error 20', reply(200, failure(20))],
    ['error 20', reply(404, failure(20))],
    ['error -32603 again', reply(200, failure(-32_603))],
    ['error -32601 elsewhere', reply(200, failure(-32_601))],
    ['rate-limited again', reply(200, failure(-32_005, 'daily limit'))],
    ['error -32005 again', reply(200, failure(-32_005, 'other'))],
    ['rate-limited again', reply(200, failure(-32_600, 'Too many requests'))],
    ['rate-limited again', reply(200, failure(429, 'wait'))],
    ['rate-limited again', reply(429, '')],
    ['http again', reply(500, result('0x1'))],
    ['http again', reply(408, '')],
    ['http again', reply(425, '')],
    ['http elsewhere', reply(404, '')],
    ['http elsewhere', reply(401, {})],
  ])('is %s', async (words, said) => {
    say = said;
    const { outcomes } = (await ask(endpointWith())) ?? {};
    expect(outcomes?.map(wordsOf)).toEqual([words]);
  });

  test.each<[retryAfter: number | undefined, headers: Readonly<Record<string, string>>]>([
    [1_500, { 'retry-after': ' 1.5 ' }],
    [0, { 'retry-after': '0' }],
    [undefined, { 'retry-after': 'soon' }],
    [undefined, {}],
    [
      2_000,
      { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:02 GMT' },
    ],
    [0, { date: 'Thu, 01 Jan 2026 00:00:02 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }],
  ])('may be tried again after %o', async (retryAfter, headers) => {
    for (const status of [429, 503]) {
      say = reply(status, '', headers);
      expect((await ask(endpointWith()))?.retryAfter).toBe(retryAfter);
    }
  });

  test('that is cut off, or no response, is a failure', async () => {
    say = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{');
      setTimeout(() => response.destroy(), 20);
    };
    const { outcomes } = (await ask(endpointWith())) ?? {};
    expect(outcomes?.map(wordsOf)).toEqual(['malformed again']);
    say = (response) => response.destroy();
    expect((await ask(endpointWith()))?.outcomes.map(wordsOf)).toEqual(['unreachable again']);
    say = () => undefined;
    const silent = await endpointWith().ask([question()], 50, new AbortController().signal);
    expect(silent?.outcomes.map(wordsOf)).toEqual(['timeout elsewhere']);
    const gone = new AbortController();
    gone.abort();
    const closed = await endpointWith().ask([question()], 50, gone.signal);
    expect(closed?.outcomes.map(wordsOf)).toEqual(['unreachable again']);
    const text = JSON.stringify(result('0x1'));
    say = reply(200, text);
    const tight = (bytes: number) => ask(endpointWith([], url, new MemoryBudget(bytes)));
    expect((await tight(text.length))?.outcomes.map(wordsOf)).toEqual(['result "0x1"']);
    expect((await tight(text.length - 1))?.outcomes.map(wordsOf)).toEqual(['overloaded again']);
  });
});

describe('a batch', () => {
  const two = [question(), question('starknet_blockNumber')] as const;

  test('has an answer for each id, in any order', async () => {
    const endpoint = endpointWith();
    say = reply(200, [result(7, 1), result('0x1', '0'), 5]);
    const { outcomes } = (await ask(endpoint, ...two)) ?? {};
    expect(outcomes?.map(wordsOf)).toEqual(['result "0x1"', 'result 7']);
    say = reply(200, [result('0x1', 0)]);
    expect((await ask(endpoint, ...two))?.outcomes.map(wordsOf)).toEqual([
      ...['result "0x1"', 'malformed again'],
    ]);
    say = reply(200, failure(-32_603));
    expect((await ask(endpoint, ...two))?.outcomes.map(wordsOf)).toEqual([
      'rpc again',
      'rpc again',
    ]);
    say = reply(200, failure(-32_005, 'rate limit'));
    expect((await ask(endpoint, ...two))?.outcomes.map(wordsOf)).toEqual([
      ...['rate-limited again', 'rate-limited again'],
    ]);
    expect(endpoint.takesBatches).toBe(true);
  });

  test.each<[boolean, Say]>([
    ...[400, 404, 405, 413, 415, 422, 501].map((status): [boolean, Say] => [
      true,
      reply(status, ''),
    ]),
    [true, reply(200, failure(-32_600, 'no batches'))],
    [false, reply(500, '')],
    [false, reply(401, '')],
    [false, reply(200, failure(-32_603))],
  ])('is refused: %s', async (isRefused, said) => {
    say = said;
    const endpoint = endpointWith();
    const answered = await ask(endpoint, ...two);
    expect([answered === undefined, endpoint.takesBatches]).toEqual([isRefused, !isRefused]);
    say = reply(200, result('0x1'));
    expect((await ask(endpoint))?.outcomes.map(wordsOf)).toEqual(['result "0x1"']);
  });
});

test('a request has the headers and the password of its address', async () => {
  say = reply(200, result('0x1'));
  await ask(endpointWith(['X-Key:  a:b ', 'Other:c'], url.replace('//', '//me:se%20cret@')));
  expect(lastHeaders).toMatchObject({
    'x-key': 'a:b',
    other: 'c',
    authorization: `Basic ${btoa('me:se cret')}`,
  });
  await ask(endpointWith([], url));
  expect(lastHeaders.authorization).toBeUndefined();
  await ask(endpointWith([], url.replace('//', '//me@')));
  expect(lastHeaders.authorization).toBe(`Basic ${btoa('me:')}`);
});

test('an address rests until it may be asked again', async () => {
  const endpoint = endpointWith();
  let isOver = false;
  endpoint.rest(10, () => {
    isOver = true;
  });
  expect(endpoint.isResting).toBe(true);
  await expect.poll(() => isOver).toBe(true);
  expect(endpoint.isResting).toBe(false);
  endpoint.rest(60_000, () => undefined);
  endpoint.close();
  expect(endpoint.isResting).toBe(false);
});

describe('what is kept', async () => {
  const folder = temporaryFolderOfFile();
  const remote = new Remote([url], { log: silentLog, policy: { attempts: 1, backoff: 1 } });
  afterAll(() => remote.close());
  let lookups: [method: string, isKept: boolean][] = [];
  let count = 0;
  const sourcesOf = async (changes: Partial<Sources> = {}): Promise<Sources> => {
    count += 1;
    const origin = { chainId: '0x5a', number: count, hash: '0x1', marks: [] };
    return {
      remote,
      cache: await Cache.open(folder, origin, silentLog),
      lock: undefined,
      looked: (method, isKept) => void lookups.push([method, isKept]),
      missing: (name) => {
        throw new Error(`missing ${name}`);
      },
      ...changes,
    };
  };
  beforeEach(() => {
    lookups = [];
  });

  test('a final answer is asked for once, and one that may change each time', async () => {
    const answers = new Answers(await sourcesOf());
    const block = { block_number: 5, status: 'ACCEPTED_ON_L1', transactions: [] };
    say = (response, body) => {
      const { id, params } = JSON.parse(body);
      const status = params.block_id === 'latest' ? 'ACCEPTED_ON_L1' : params.status;
      reply(200, result({ ...block, status }, id))(response, body);
    };
    const method = 'starknet_getBlockWithTxs';
    const isKept = async (params: object): Promise<boolean> => {
      const before = requests;
      for (let turn = 0; turn < 2; turn += 1) await answers.ask(method, { ...params });
      return requests === before + 1;
    };
    expect(await isKept({ status: 'ACCEPTED_ON_L1', block_id: { block_number: 5 } })).toBe(true);
    expect(await isKept({ block_id: { block_number: 5 }, status: 'ACCEPTED_ON_L1' })).toBe(false);
    expect(await isKept({ status: 'ACCEPTED_ON_L2', block_id: { block_number: 5 } })).toBe(false);
    expect(await isKept({ block_id: 'latest' })).toBe(false);
    expect(answers.held).toBe(1);
    expect(lookups.filter(([, isHit]) => isHit)).toHaveLength(3);
  });

  test.each([
    [ERRORS.CONTRACT_NOT_FOUND.code, true],
    [ERRORS.CLASS_HASH_NOT_FOUND.code, true],
    [ERRORS.INVALID_TXN_INDEX.code, true],
    [ERRORS.BLOCK_NOT_FOUND.code, false],
    [ERRORS.TXN_HASH_NOT_FOUND.code, false],
  ])('the error %i is kept: %s', async (code, isKept) => {
    const sources = await sourcesOf();
    const answers = new Answers(sources);
    say = reply(200, failure(code));
    const params = { block_id: { block_number: 1 }, contract_address: '0x1' };
    for (let turn = 0; turn < 2; turn += 1) {
      await expect(answers.ask('starknet_getNonce', params)).rejects.toMatchObject({
        code,
        message: 'why',
      });
    }
    expect(requests).toBe(isKept ? 1 : 2);
    // In a file, too.
    await expect(new Answers(sources).ask('starknet_getNonce', params)).rejects.toMatchObject({
      code,
    });
    expect(requests).toBe(isKept ? 1 : 3);
  });

  test('an error that may pass is not kept, and offline everything else is missing', async () => {
    say = reply(200, failure(-32_603));
    const answers = new Answers(await sourcesOf());
    for (let turn = 0; turn < 2; turn += 1) {
      await expect(answers.ask('starknet_chainId', {})).rejects.toMatchObject({ code: -32_603 });
    }
    expect([requests, answers.held]).toEqual([2, 0]);
    const offline = new Answers(await sourcesOf({ remote: undefined }));
    await expect(offline.ask('starknet_chainId', { b: 1, a: undefined })).rejects.toThrow(
      'missing starknet_chainId {"b":1}',
    );
  });

  test('a long answer is kept in its file alone', async () => {
    const answers = new Answers(await sourcesOf());
    const lengthOf = (text: string) => JSON.stringify({ result: text }).length;
    const longest = 'x'.repeat(2 ** 18 - lengthOf(''));
    for (const [text, held] of [
      [longest, 1],
      [`${longest}x`, 1],
    ] as const) {
      say = reply(200, result(text));
      await answers.ask('starknet_specVersion', { length: text.length });
      expect(answers.held).toBe(held);
    }
    await answers.ask('starknet_specVersion', { length: longest.length + 1 });
    expect(requests).toBe(2);
  });

  test('a header or a number comes from the lock file where it has the block', async () => {
    const method = 'starknet_getBlockWithTxHashes';
    const question = `${method} {"block_id":{"block_number":3}}`;
    const header = (timestamp: number) => ({
      ...{ block_number: 3, block_hash: '0x3', parent_hash: '0x2', timestamp },
    });
    const locked = JSON.stringify({
      result: { ...header(7), status: 'ACCEPTED_ON_L2', transactions: [] },
    });
    const params = { block_id: { block_number: 3 } };
    const numberIn = (answers: Answers) =>
      answers.number('time 3', method, params, ({ timestamp }) => Number(timestamp));
    const lock = await LockFile.open(join(folder, 'header.lock.json'));
    const plain = await sourcesOf({ remote: undefined });
    await plain.cache.keepDocument('header 3', JSON.stringify(header(5)));
    plain.cache.keepLine('time 3', '5');
    const cached = new Answers({ ...plain, lock });
    expect([await cached.header(3), await numberIn(cached)]).toEqual([header(5), 5]);
    expect([lock.answer('header 3'), lock.answer('time 3')]).toEqual([
      JSON.stringify(header(5)),
      '5',
    ]);
    // What the lock file has of the block counts more than the cache.
    const other = await LockFile.open(join(folder, 'other.lock.json'));
    other.record(question, locked);
    const fromLock = new Answers({ ...plain, lock: other });
    expect([await fromLock.header(3), await numberIn(fromLock)]).toEqual([header(7), 7]);
    expect(await fromLock.header(3)).toEqual(header(7));
    const open = await LockFile.open(join(folder, 'open.lock.json'));
    open.record(
      question,
      JSON.stringify({ result: { block_number: 3, status: 'PRE_CONFIRMED', transactions: [] } }),
    );
    await expect(new Answers({ ...plain, lock: open }).header(3)).rejects.toMatchObject({
      code: ERRORS.BLOCK_NOT_FOUND.code,
    });
  });

  test('a felt is read once, and again where a file has something else', async () => {
    const lock = await LockFile.open(join(folder, 'reads.lock.json'));
    const sources = await sourcesOf({ lock });
    const reads = new StateReads(sources, '0xb', '');
    const slot = { kind: 'storage', address: '0x1', key: '0x2' } as const;
    say = (response, body) => reply(200, result('0x00A', JSON.parse(body).id))(response, body);
    expect(reads.isKnown('storage 0x1 0x2')).toBe(false);
    for (let turn = 0; turn < 2; turn += 1) expect(await reads.read(slot)).toBe('0xa');
    expect([requests, reads.isKnown('storage 0x1 0x2')]).toEqual([1, true]);
    expect(lock.answer('storage 0x1 0x2')).toBe('"0xa"');
    for (const wrong of ['5', '"x"', '"0x1', 'true']) {
      lock.forget('nonce 0x1');
      lock.record('nonce 0x1', wrong);
      expect(await reads.read({ kind: 'nonce', address: '0x1' })).toBe('0xa');
    }
    lock.record('nonce 0x7', 'null');
    expect(await reads.read({ kind: 'nonce', address: '0x7' })).toBeNull();
    say = reply(200, failure(ERRORS.CONTRACT_NOT_FOUND.code));
    expect(await reads.read({ kind: 'class_hash', address: '0x9' })).toBeNull();
    say = reply(200, failure(ERRORS.BLOCK_NOT_FOUND.code));
    await expect(reads.read({ kind: 'class_hash', address: '0x8' })).rejects.toMatchObject({
      kind: 'rpc',
    });
    expect(reads.isKnown('class_hash 0x8')).toBe(false);
    const scoped = new StateReads(sources, '0xc', 'block 3: ');
    say = (response, body) => reply(200, result('0xb', JSON.parse(body).id))(response, body);
    expect(await scoped.read({ kind: 'nonce', address: '0x5' })).toBe('0xb');
    expect(lock.answer('block 3: nonce 0x5')).toBe('"0xb"');
  });
});
