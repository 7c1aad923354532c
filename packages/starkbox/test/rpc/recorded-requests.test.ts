// The log of requests without a node: how many calls, clients and letters it keeps, and of which it shows what.
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import type { Caller } from '../../src/rpc/protocol/call-observer.js';
import { HIDDEN, hidesResult, Redaction } from '../../src/rpc/request-log/redaction.js';
import { RequestLog } from '../../src/rpc/request-log/request-log.js';
import { Subscriptions } from '../../src/rpc/subscriptions/subscriptions.js';

const HTTP: Caller = { transport: 'http', agent: 'node' };
const ALL = { after: 0, before: Number.POSITIVE_INFINITY, limit: 5_000, withExplorer: true };

interface Exchange {
  readonly caller?: Caller;
  readonly params?: object;
  readonly answer?: string;
  readonly inBatch?: boolean;
  readonly failure?: RpcError;
  readonly text?: string;
}

function logWith(words: readonly string[] = []) {
  let now = 10_000;
  const log = new RequestLog({
    subscriptions: new Subscriptions(),
    now: () => {
      now += 1_000;
      return now;
    },
    secrets: () => ({ keys: [], words }),
  });
  log.set(true, true);
  const keep = (
    method: string,
    {
      caller = HTTP,
      params = {},
      answer = '{"jsonrpc":"2.0","id":1,"result":5}',
      inBatch = false,
      failure,
      text,
    }: Exchange = {},
  ) => {
    const call = log.recordArrival(caller, text)?.begin(inBatch);
    if (failure) call?.failed(failure);
    call?.ended(method, { method, params }, answer);
  };
  return { log, keep };
}

describe('calls', () => {
  test('of clients are kept up to 2,000, and reads of the explorer up to 200 beside them', () => {
    const { log, keep } = logWith();
    const ui: Caller = { transport: 'http', tag: 'ui' };
    for (let count = 0; count < 201; count += 1) keep('starknet_chainId', { caller: ui });
    for (let count = 0; count < 2_001; count += 1) keep('starknet_chainId');
    const rows = log.list(ALL);
    expect(rows).toHaveLength(2_200);
    expect([rows[0]?.id, rows.at(-1)?.id]).toEqual([2_202, 2]);
    expect(log.kept.kept).toBe(2_200);
    expect([log.get(1), log.get(202)]).toEqual([undefined, undefined]);
    expect(log.get(2)?.row.tag).toBe('ui');
    expect(log.list({ ...ALL, withExplorer: false })).toHaveLength(2_000);
    // What the explorer changes stands among the calls of clients.
    keep('devnet_mint', { caller: ui });
    expect([log.kept.kept, log.get(203)]).toEqual([2_200, undefined]);
    expect(log.list({ ...ALL, after: 2_200 }).map(({ id }) => id)).toEqual([2_203, 2_202, 2_201]);
    expect(log.list({ ...ALL, before: 4, limit: 1 }).map(({ id }) => id)).toEqual([3]);
    log.clear();
    expect(log.kept).toEqual({ kept: 0, kept_bytes: 0 });
  });

  test('take 14 MiB together, the oldest of which leave', () => {
    const { log, keep } = logWith();
    const answer = `{"result":"${'x'.repeat(60_000)}"}`;
    for (let count = 0; count < 300; count += 1) keep('starknet_call', { answer });
    const { kept, kept_bytes } = log.kept;
    const each = kept_bytes / kept;
    expect(kept_bytes).toBeLessThanOrEqual(14 * 2 ** 20);
    expect(kept_bytes + each).toBeGreaterThan(14 * 2 ** 20);
    const [request, response] = [log.get(300)?.request, log.get(300)?.response];
    expect(each).toBe(600 + (request?.head.length ?? 0) + (response?.head.length ?? 0));
  });

  test('have clients by their connection, or by what they say of themselves', () => {
    const { log, keep } = logWith();
    const numbers = () =>
      log
        .list(ALL)
        .map(({ client }) => client)
        .reverse();
    const socket = { transport: 'ws' as const, listener: { send: () => undefined } };
    for (const caller of [HTTP, { ...HTTP, origin: 'http://a' }, HTTP])
      keep('starknet_chainId', { caller });
    expect(numbers()).toEqual([1, 2, 1]);
    log.clear();
    const callers: readonly Caller[] = [
      socket,
      { ...socket, listener: { send: () => undefined } },
      socket,
    ];
    for (const caller of callers) keep('starknet_chainId', { caller });
    expect(numbers()).toEqual([1, 2, 1]);
    log.clear();
    for (let count = 0; count < 498; count += 1) {
      keep('starknet_chainId', { caller: { ...HTTP, agent: `agent ${count}` } });
    }
    keep('starknet_chainId');
    expect(numbers().at(-1)).toBe(1);
    // With the 501st client, all are new again.
    keep('starknet_chainId', { caller: { ...HTTP, agent: 'one more' } });
    keep('starknet_chainId');
    expect(numbers().slice(-2)).toEqual([501, 502]);
  });

  test('have numbers of batches, and none that no log has', () => {
    const { log } = logWith();
    const arrival = log.recordArrival(HTTP);
    for (const call of [arrival?.begin(true), arrival?.begin(true)])
      call?.ended('starknet_chainId', {}, '');
    log.recordArrival(HTTP)?.begin(true).ended('starknet_chainId', {}, '');
    log.recordArrival(HTTP)?.begin(false).ended('starknet_chainId', {}, '');
    expect(log.list(ALL).map(({ batch }) => batch)).toEqual([undefined, 2, 1, 1]);
    const before = log.kept.kept;
    log.recordArrival(HTTP)?.begin(false).ended('devnet_getRequests', {}, '');
    expect(log.kept.kept).toBe(before);
    log.set(false, true);
    expect(log.recordArrival(HTTP)).toBeUndefined();
    expect(log.state).toEqual({ recording: false, bodies: true });
  });
});

describe('a row', () => {
  test('has the first letters of what the call says', () => {
    const { log, keep } = logWith(['hide-me']);
    const [params, result] = [{ a: 'p'.repeat(300) }, 'r'.repeat(300)];
    keep('starknet_call', {
      ...{ params, answer: `{"jsonrpc":"2.0","result":"${result}"}` },
      caller: { ...HTTP, agent: 'g'.repeat(201), origin: 'o'.repeat(201) },
    });
    const [row] = log.list(ALL);
    expect(row?.params_preview).toBe(JSON.stringify(params).slice(0, 200));
    expect(row?.result_preview).toBe(`"${result}"`.slice(0, 100));
    expect([row?.agent, row?.origin]).toEqual(['g'.repeat(200), 'o'.repeat(200)]);
    expect(row?.time).toBe(Math.round(11_000 - (row?.duration_ms ?? 0)));
    const failure = new RpcError(7, 'm'.repeat(299), { reason: 'hide-me' });
    keep('starknet_call', { failure, answer: '{"error":{}}' });
    const [failed] = log.list(ALL);
    expect(failed).toMatchObject({ outcome: 'error', code: 7, message: `${'m'.repeat(299)}:` });
    expect(failed).not.toHaveProperty('result_preview');
    keep('starknet_call', { failure: new RpcError(7, 'why', { reason: 'hide-me' }), answer: '' });
    expect(log.list(ALL)[0]?.message).toBe(`why: ${HIDDEN}`);
    keep('starknet_call', { failure: new RpcError(7, 'why', { reason: 5 }), answer: '' });
    expect(log.list(ALL)[0]?.message).toBe('why');
  });

  test('of a long call has what fits, and says that it is not whole', () => {
    const { log, keep } = logWith();
    const params = { list: 'x'.repeat(70_000) };
    const text = JSON.stringify({ method: 'starknet_call', params });
    keep('starknet_call', { params, text });
    const taken = log.get(1)?.request;
    expect(taken).toMatchObject({ isWhole: false, bytes: text.length });
    expect(taken?.head.length).toBeLessThanOrEqual(64 * 1024);
    const [row] = log.list(ALL);
    expect(row?.params_preview).toBe(JSON.stringify(params).slice(0, 200));
    // A call that came alone is counted as it came, one of a batch without the others.
    const spaced = `{ "method": "starknet_call" }${' '.repeat(500)}`;
    const alone = logWith();
    for (const inBatch of [false, true]) alone.keep('starknet_call', { text: spaced, inBatch });
    expect([alone.log.get(1)?.row.bytes, alone.log.get(2)?.row.bytes]).toEqual([
      spaced.length,
      JSON.stringify({ method: 'starknet_call', params: {} }).length,
    ]);
    log.set(true, false);
    keep('starknet_call', { params });
    expect([log.get(2)?.request, log.get(2)?.response]).toEqual([undefined, undefined]);
    expect(log.get(2)?.row).not.toHaveProperty('params_preview');
    log.recordRefusal(HTTP, 'a body', new RpcError(1, 'refused'));
    expect(log.get(3)?.row).toMatchObject({ outcome: 'error', message: 'refused' });
  });
});

describe('what is secret', () => {
  const redaction = new Redaction([`0x00${'A1'.repeat(31)}`], ['a-word']);
  const shown = (value: unknown) => redaction.text(JSON.stringify(value)).text;

  test('is hidden by its name, by its digits, or as a word', () => {
    const names = [
      'private_key',
      'privateKey',
      'password',
      'auth_token',
      'token',
      'seed',
      'api-key',
    ];
    for (const name of names) expect(shown({ [name]: 'x' })).toBe(`{"${name}":"${HIDDEN}"}`);
    expect(shown({ seed: 5, token: [1, 2], tokens: 5 })).toBe(
      `{"seed":"${HIDDEN}","token":"${HIDDEN}","tokens":5}`,
    );
    expect(shown(`0x${'a1'.repeat(31)} 0x0000${'a1'.repeat(31)} 0x${'a1'.repeat(30)}`)).toBe(
      `"${HIDDEN} ${HIDDEN} 0x${'a1'.repeat(30)}"`,
    );
    expect(shown('this a-word there')).toBe(`"this ${HIDDEN} there"`);
    expect(shown(JSON.stringify({ token: 'abcd' }))).not.toContain('abcd');
    // What has a name is hidden elsewhere too, if it has four letters.
    expect(shown({ token: 'abcd', note: 'abcd' })).toBe(`{"token":"${HIDDEN}","note":"${HIDDEN}"}`);
    expect(shown({ token: 'abc', note: 'abc' })).toBe(`{"token":"${HIDDEN}","note":"abc"}`);
  });

  test('may be a part of a URL', () => {
    for (const plain of ['http://a.org', 'https://a.org:80', 'ws://a/', 'wss://a?']) {
      expect(shown(plain)).toBe(JSON.stringify(plain));
    }
    for (const url of [
      'http://a.org/v1',
      'http://me:you@a.org',
      'http://a.org?k=1',
      'wss://a.org#ab',
    ]) {
      expect(shown(url)).toMatch(new RegExp(`^"(http|wss)://a.org/${HIDDEN}"$`));
    }
  });

  test('of up to 64 is looked for, and a text of more is hidden', () => {
    const of = (count: number) =>
      redaction.text(
        JSON.stringify(Array.from({ length: count }, (_, at) => ({ token: `word${at}` }))),
      );
    expect(of(64).text).toContain('token');
    expect(of(65).text).toBe(`"${HIDDEN}"`);
    expect(of(65).secrets).toHaveLength(65);
    expect(redaction.text('{"a":"own-words"}', { secrets: ['own'] }).text).toBe(
      `{"a":"${HIDDEN}-words"}`,
    );
  });

  test('may be whole params or results', () => {
    const call = (method: string, params: unknown) =>
      redaction.call(method, { method, params }).text;
    expect(call('devnet_load', { path: '/a', image: 'x' })).toBe(
      '{"method":"devnet_load","params":{"path":"/a"}}',
    );
    expect(call('unknown_method', ['x'])).toBe(`{"method":"unknown_method","params":"${HIDDEN}"}`);
    expect(call('unknown_method', { a: 'x' })).toBe(
      '{"method":"unknown_method","params":{"a":"x"}}',
    );
    expect(call('starknet_call', ['x'])).toBe('{"method":"starknet_call","params":["x"]}');
    expect(redaction.call('', 'no json').text).toBe('"no json"');
    expect(redaction.call('', 'devnet_load [').text).toBe(`"${HIDDEN}"`);
    expect([hidesResult('devnet_dump'), hidesResult('starknet_call'), hidesResult('none')]).toEqual(
      [...[true, false, false]],
    );
    const answer = (length: number) => redaction.answer('devnet_dump', 'x'.repeat(length), {}).text;
    expect(answer(300)).toBe('x'.repeat(300));
    expect(answer(301)).toBe(`{"jsonrpc":"2.0","result":"${HIDDEN}"}`);
  });

  test('is found across the cut of a text', () => {
    const text = 'x'.repeat(1_000);
    expect(redaction.text(text, { longest: 1_000 })).toMatchObject({ text, isWhole: true });
    const cut = redaction.text(text, { longest: 999 });
    expect(cut).toMatchObject({ isWhole: false });
    const long = redaction.text('x'.repeat(20_000), { longest: 999 });
    expect(long).toMatchObject({ text: 'x'.repeat(999), isWhole: false });
  });
});
