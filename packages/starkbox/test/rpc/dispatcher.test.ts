// JSON-RPC 2.0 for clients: envelopes, batches, notifications, names, errors, in-process calls.
import { ERRORS } from '@starkbox/spec';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { fail, RpcError, refuse } from '../../src/errors.js';
import { JsonText, parse } from '../../src/json/json.js';
import { silentLog } from '../../src/log.js';
import type { CallReport } from '../../src/probe.js';
import type { CallContext } from '../../src/rpc/protocol/call-context.js';
import { Dispatcher } from '../../src/rpc/protocol/dispatcher.js';
import { idOf } from '../../src/rpc/protocol/envelope.js';
import { Schema } from '../../src/rpc/protocol/schema.js';

const integer = (name: string, required: boolean) => ({
  name,
  required,
  schema: { type: 'integer', 'x-exact': true },
});
const DOCUMENT = {
  methods: [
    { name: 'devnet_add', params: [integer('n', true), integer('more', false)] },
    {
      name: 'devnet_felt',
      params: [{ name: 'felt', required: true, schema: { 'x-felt': 'felt' } }],
    },
  ],
};

let sum = 0n;
const logged: unknown[] = [];
const calls: CallReport[] = [];

const handlers = {
  starknet_chainId: (_: object, { prefix }: CallContext) => prefix,
  devnet_add: async ({ n, more = 0 }: { n: number | bigint; more?: number | bigint }) => {
    sum += BigInt(n);
    await new Promise((resolve) => setTimeout(resolve, Number(more)));
    return sum;
  },
  devnet_felt: ({ felt }: { felt: string }) => ({ felt }),
  devnet_text: () => ({ a: new JsonText('[9007199254740993]'), gone: undefined }),
  devnet_nothing: () => undefined,
  devnet_fail: () => fail('CONTRACT_ERROR', { revert_error: new JsonText('"no"') }),
  devnet_refuse: async () => refuse('not today'),
  devnet_broken: () => {
    throw new TypeError('secret');
  },
  devnet_cycle: () => {
    const value: { self?: unknown } = {};
    value.self = value;
    return value;
  },
  devnet_session: (_: object, { session }: CallContext) => session,
  devnet_forbidden: () => 'reached',
  starknet_forbidden: () => 'reached',
  'rpc.discover': (_: object, { prefix }: CallContext) => prefix,
  devnet_later: undefined,
};

const dispatcher = new Dispatcher({
  handlers,
  restricted: ['devnet_forbidden', 'chain_forbidden'],
  log: { ...silentLog, error: (fields) => void logged.push(fields) },
  schema: new Schema(() => new Map([['test.json', DOCUMENT]])),
  onCall: (report) => void calls.push(report),
});

const HTTP = { transport: 'http' } as const;

async function send(body: unknown): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await dispatcher.handle(text, HTTP);
  return answer === undefined ? undefined : parse(answer);
}

const call = (id: unknown, method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const result = (id: unknown, value: unknown) => ({ jsonrpc: '2.0', id, result: value });
const failure = (id: unknown, code: number) => ({
  jsonrpc: '2.0',
  id,
  error: expect.objectContaining({ code }),
});

beforeEach(() => {
  sum = 0n;
  logged.length = 0;
  calls.length = 0;
});

describe('envelopes', () => {
  test.each<[unknown]>([[1], [-7], [0], ['text'], [''], [null]])('id %j comes back', async (id) => {
    expect(await send(call(id, 'starknet_chainId'))).toEqual(result(id, 'starknet'));
    expect(await send(call(id, 'nope'))).toEqual(failure(id, -32601));
  });

  test('an id beyond 2^53 comes back digit by digit', async () => {
    const id = '12345678901234567890';
    const answer = await dispatcher.handle(
      `{"jsonrpc":"2.0","id":${id},"method":"starknet_chainId"}`,
      HTTP,
    );
    expect(answer).toBe(`{"jsonrpc":"2.0","id":${id},"result":"starknet"}`);
  });

  test.each(['1.5', '{"a":1}', '[1]', 'true', '1e400'])('an id cannot be %s', async (id) => {
    const text = `{"jsonrpc":"2.0","id":${id},"method":"starknet_chainId"}`;
    expect(await send(text)).toEqual(failure(null, -32600));
  });

  test('version 1.0 is taken, and answered with 2.0', async () => {
    const old = { jsonrpc: '1.0', id: 4, method: 'starknet_chainId' };
    expect(await send(old)).toEqual(result(4, 'starknet'));
  });

  test.each(['{ this is not valid JSON }', '', 'garbage', `${'['.repeat(100_000)}`])(
    'no JSON: %#',
    async (text) => {
      expect(await send(text)).toEqual(failure(null, -32700));
    },
  );

  test.each(['null', '"text"', '5', '[]', '[1]', '[[]]', '[null,"x"]', '{}'])(
    'no call: %s',
    async (text) => {
      expect(await send(text)).toEqual(failure(null, -32600));
    },
  );

  test.each<[object]>([
    [{ jsonrpc: '2.0', id: 4 }],
    [{ jsonrpc: '2.0', id: 4, method: 5 }],
    [{ jsonrpc: '3.0', id: 4, method: 'starknet_chainId' }],
    [{ id: 4, method: 'starknet_chainId' }],
    [{ jsonrpc: '2.0', id: 4, method: 'starknet_chainId', extra: 1 }],
    [{ jsonrpc: '2.0', id: 4, method: 'starknet_chainId', params: 5 }],
    [{ jsonrpc: '2.0', id: 4, method: 'starknet_chainId', params: 'text' }],
  ])('not quite a call: %j', async (body) => {
    expect(await send(body)).toEqual(failure(4, -32600));
  });

  test('an invalid call without an id is answered, because it is no notification', async () => {
    expect(await send({ jsonrpc: '2.0', method: 5 })).toEqual(failure(null, -32600));
    expect(await send({ method: 'starknet_chainId' })).toEqual(failure(null, -32600));
  });
});

describe('names', () => {
  test.each([
    ['starknet_chainId', 'starknet'],
    ['chain_chainId', 'chain'],
    ['rpc.discover', 'rpc'],
  ])('%s is served with the prefix that was used', async (method, prefix) => {
    expect(await send(call(1, method))).toEqual(result(1, prefix));
  });

  test.each([
    '',
    'chainId',
    'STARKNET_chainId',
    'starknet_chainid',
    'devnet_chainId',
    'sandbox_chainId',
    'chain_rpc.discover',
    'rpc_discover',
    'toString',
    'constructor',
    '__proto__',
    'starknet_toString',
    'starknet___proto__',
    'devnet_later',
  ])('%j does not exist', async (method) => {
    expect(await send(call(1, method))).toEqual(failure(1, -32601));
  });

  test.each([
    ['starknet_chainid', 'Unknown method starknet_chainid; did you mean starknet_chainId?'],
    ['devnet_chainId', 'Unknown method devnet_chainId; did you mean starknet_chainId?'],
    ['chainId', 'Unknown method chainId; did you mean starknet_chainId?'],
    ['devnet_fel', 'Unknown method devnet_fel; did you mean devnet_felt?'],
    ['sandbox_fel', 'Unknown method sandbox_fel; did you mean sandbox_felt?'],
    ['sandbox_Felt', 'Unknown method sandbox_Felt; did you mean sandbox_felt?'],
    ['chain_chainid', 'Unknown method chain_chainid; did you mean chain_chainId?'],
    // The beginning of one name, of four letters or more.
    ['starknet_forb', 'Unknown method starknet_forb; did you mean starknet_forbidden?'],
    ['sandbox_chainId', 'Unknown method sandbox_chainId; did you mean chain_chainId?'],
  ])('of %j it is said what may be meant', async (method, reason) => {
    const error = {
      code: ERRORS.METHOD_NOT_FOUND.code,
      message: 'Method not found',
      data: { reason },
    };
    expect(await send(call(1, method))).toEqual({ jsonrpc: '2.0', id: 1, error });
  });

  test.each(['nope', 'starknet_for', '', 'x'.repeat(5000)])(
    'of %j nothing more is said',
    async (method) => {
      const error = { code: ERRORS.METHOD_NOT_FOUND.code, message: 'Method not found' };
      expect(await send(call(1, method))).toEqual({ jsonrpc: '2.0', id: 1, error });
    },
  );

  test.each(['devnet_forbidden', 'sandbox_forbidden', 'starknet_forbidden', 'chain_forbidden'])(
    '%s is forbidden, whatever its parameters',
    async (method) => {
      const forbidden = { code: ERRORS.METHOD_FORBIDDEN.code, message: 'Method forbidden' };
      expect(await send(call(1, method))).toEqual({ jsonrpc: '2.0', id: 1, error: forbidden });
      expect(await send(call(1, method, { no: 'such' }))).toEqual(failure(1, -32604));
    },
  );
});

describe('parameters', () => {
  test.each<[unknown]>([[[5]], [[5, null]], [{ n: 5 }], [{ n: 5, more: null }]])(
    '%j',
    async (params) => {
      expect(await send(call(1, 'devnet_add', params))).toEqual(result(1, 5));
    },
  );

  test.each<[unknown]>([[undefined], [null], [{}], [[]], [[1, 2, 3]], [{ n: 1, m: 2 }], [['x']]])(
    '%j is refused',
    async (params) => {
      expect(await send(call(1, 'devnet_add', params))).toEqual(failure(1, -32602));
    },
  );

  test('the message says which one, and what was expected', async () => {
    expect(await send(call(1, 'devnet_add', { n: 'x' }))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: ERRORS.INVALID_PARAMS.code,
        message: 'params.n: expected an integer; got "x"',
      },
    });
  });

  test('amounts are exact on the way in and out', async () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"devnet_add","params":[1e21]}`;
    const answer = await dispatcher.handle(text, HTTP);
    expect(answer).toBe('{"jsonrpc":"2.0","id":1,"result":1000000000000000000000}');
  });
});

describe('outcomes', () => {
  test('finished text is passed on, what is undefined is null or left out', async () => {
    const text = await dispatcher.handle(JSON.stringify(call(1, 'devnet_text')), HTTP);
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":[9007199254740993]}}');
    expect(await send(call(1, 'devnet_nothing'))).toEqual(result(1, null));
  });

  test('errors carry their code, message and data', async () => {
    const contract = {
      code: ERRORS.CONTRACT_ERROR.code,
      message: 'Contract error',
      data: { revert_error: 'no' },
    };
    expect(await send(call(1, 'devnet_fail'))).toEqual({ jsonrpc: '2.0', id: 1, error: contract });
    const error = { code: -1, message: 'not today' };
    expect(await send(call(1, 'devnet_refuse'))).toEqual({ jsonrpc: '2.0', id: 1, error });
    expect(logged).toEqual([]);
  });

  test.each(['devnet_broken', 'devnet_cycle'])(
    'anything unexpected in %s is logged, and not shown',
    async (method) => {
      const text = await dispatcher.handle(JSON.stringify(call(1, method)), HTTP);
      expect(parse(text ?? '')).toEqual(failure(1, -32603));
      expect(text).not.toMatch(/secret|dispatch|\bat /);
      expect(logged).toEqual([{ err: expect.any(Error), method }]);
    },
  );
});

describe('notifications', () => {
  test('are executed and not answered', async () => {
    expect(await send({ jsonrpc: '2.0', method: 'devnet_add', params: [5] })).toBeUndefined();
    expect(sum).toBe(5n);
  });

  test.each(['nope', 'devnet_forbidden', 'devnet_fail', 'devnet_add'])(
    'are not answered if %s fails either',
    async (method) => {
      expect(await send({ jsonrpc: '2.0', method })).toBeUndefined();
    },
  );

  test('a cause of an unexpected failure is still logged', async () => {
    expect(await send({ jsonrpc: '2.0', method: 'devnet_broken' })).toBeUndefined();
    expect(logged).toHaveLength(1);
  });
});

describe('batches', () => {
  test('are executed and answered in order, notifications included and left out', async () => {
    const answers = await send([
      call('slow', 'devnet_add', [1, 20]),
      { jsonrpc: '2.0', method: 'devnet_add', params: [10] },
      call('fast', 'devnet_add', [100]),
      call(7, 'nope'),
      { foo: 1 },
    ]);
    expect(answers).toEqual([
      result('slow', 1),
      result('fast', 111),
      failure(7, -32601),
      failure(null, -32600),
    ]);
  });

  test('entries that are no calls are answered in their place', async () => {
    const answers = await send([1, call(1, 'starknet_chainId'), [], call(1.5, 'starknet_chainId')]);
    const wrong = failure(null, -32600);
    expect(answers).toEqual([wrong, result(1, 'starknet'), wrong, wrong]);
  });

  test('equal ids are no matter', async () => {
    const answers = await send([call('a', 'starknet_chainId'), call('a', 'chain_chainId')]);
    expect(answers).toEqual([result('a', 'starknet'), result('a', 'chain')]);
  });

  test('only notifications: no answer', async () => {
    const note = { jsonrpc: '2.0', method: 'devnet_add', params: [1] };
    expect(await send([note, note])).toBeUndefined();
    expect(sum).toBe(2n);
  });

  test('one that is too long is refused as a whole', async () => {
    const thousand = Array.from({ length: 1000 }, (_, id) => call(id, 'devnet_add', [1]));
    expect(await send([...thousand, call(1000, 'devnet_add', [1])])).toEqual(failure(null, -32600));
    expect(sum).toBe(0n);
    expect(await send(thousand)).toHaveLength(1000);
  });
});

describe('in this process', () => {
  const session = { transport: 'in-process' } as const;

  test('a call gives plain values', async () => {
    await expect(dispatcher.call('chain_chainId', undefined, session)).resolves.toBe('chain');
    await expect(dispatcher.call('devnet_add', { n: 2n ** 60n }, session)).resolves.toBe(2n ** 60n);
    await expect(dispatcher.call('devnet_text', undefined, session)).resolves.toStrictEqual({
      a: [9007199254740993n],
    });
    await expect(dispatcher.call('devnet_session', [], session)).resolves.toEqual(session);
  });

  test("the caller's values are left alone, even frozen ones", async () => {
    const params = Object.freeze({ felt: '0x0A' });
    await expect(dispatcher.call('devnet_felt', params, session)).resolves.toEqual({ felt: '0xa' });
    await expect(dispatcher.call('devnet_add', { n: 1, more: undefined }, session)).resolves.toBe(
      1,
    );
    expect(params).toEqual({ felt: '0x0A' });
  });

  test.each<[string, unknown, number]>([
    ['nope', undefined, -32601],
    ['sandbox_forbidden', undefined, -32604],
    ['devnet_add', {}, -32602],
    ['devnet_add', 5, -32602],
    ['devnet_add', 'text', -32602],
    ['devnet_broken', undefined, -32603],
    ['devnet_cycle', undefined, -32603],
  ])('%s %j throws', async (method, params, code) => {
    const outcome = dispatcher.call(method, params, session);
    await expect(outcome).rejects.toBeInstanceOf(RpcError);
    await expect(outcome).rejects.toMatchObject({ code });
  });

  test('data of errors are plain too', async () => {
    await expect(dispatcher.call('devnet_fail', undefined, session)).rejects.toMatchObject({
      code: ERRORS.CONTRACT_ERROR.code,
      data: { revert_error: 'no' },
    });
  });
});

test('every call is measured once, under its canonical name', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'hrtime'] });
  onTestFinished(() => void vi.useRealTimers());
  const answered = send([
    call(1, 'chain_chainId'),
    call(2, 'sandbox_add', [1, 20]),
    call(3, 'made up by a client'),
    call(4, 'devnet_forbidden'),
    { jsonrpc: '2.0', method: 'devnet_broken' },
  ]);
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(20);
  await answered;
  expect(calls.map(({ method, errorCode }) => [method, errorCode])).toEqual([
    ['starknet_chainId', undefined],
    ['devnet_add', undefined],
    ['unknown', -32601],
    ['devnet_forbidden', -32604],
    ['devnet_broken', -32603],
  ]);
  expect(calls.map(({ seconds }) => seconds)).toEqual([0, 0.02, 0, 0, 0]);
});

test('the id of a text can be read without executing it', () => {
  expect(idOf('{"id":"a"}')).toBe('a');
  expect(idOf('{"id":12345678901234567890}')).toBe(12345678901234567890n);
  for (const text of ['{"id":1.5}', '{}', '[{"id":1}]', 'null', '{']) expect(idOf(text)).toBeNull();
});

test('in a batch that is too long, calls that are not made are answered, and notifications are not', async () => {
  const ended: [method: string, hasAnswer: boolean][] = [];
  const observed = {
    handled: () => undefined,
    failed: () => undefined,
    ended: (method: string, _: unknown, answer: string | undefined) =>
      void ended.push([method, answer !== undefined]),
  };
  const small = new Dispatcher({
    handlers: { devnet_long: () => 'x'.repeat(100) },
    schema: new Schema(() => new Map()),
    log: silentLog,
    maxAnswer: 200,
    observer: { recordArrival: () => ({ begin: () => observed }) },
  });
  const call = { jsonrpc: '2.0', method: 'devnet_long' };
  const batch = [{ ...call, id: 1 }, { ...call, id: 2 }, call, 5, { ...call, id: 'last' }];
  const answer = await small.handle(JSON.stringify(batch), { transport: 'in-process' });
  const answers: readonly object[] = JSON.parse(answer ?? '');
  const { code } = ERRORS.SERVICE_BUSY;
  expect(answers).toMatchObject([
    { id: 1, result: 'x'.repeat(100) },
    { id: 2, error: { code } },
    { id: null, error: { code } },
    { id: 'last', error: { code } },
  ]);
  expect(ended).toEqual([
    ['devnet_long', true],
    ['devnet_long', true],
    ['devnet_long', false],
    [expect.any(String), true],
    ['devnet_long', true],
  ]);
});
