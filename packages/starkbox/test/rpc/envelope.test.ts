// Envelopes of calls, and how many transactions and felts a call may have.
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import {
  errorAnswer,
  idIn,
  idOf,
  isId,
  openCall,
  resultAnswer,
} from '../../src/rpc/protocol/envelope.js';
import { limitTransactions } from '../../src/rpc/protocol/transaction-limits.js';

const CALL = { jsonrpc: '2.0', method: 'a', params: { b: 1 }, id: 7 };

test('a call has a version, a method, params and an id', () => {
  expect(openCall(CALL)).toEqual({ call: CALL, id: 7 });
  expect(
    openCall({ ...CALL, jsonrpc: '1.0', id: undefined, params: undefined }).error,
  ).toBeUndefined();
  for (const params of [null, [], [1]])
    expect(openCall({ ...CALL, params }).call?.params).toBe(params);
  const reasonOf = (call: unknown) => {
    const { error } = openCall(call);
    expect(error?.code).toBe(-32600);
    return Object(error?.data).reason;
  };
  expect(reasonOf([])).toBe('a call is an object');
  expect(reasonOf('a')).toBe('a call is an object');
  expect(reasonOf({ ...CALL, jsonrpc: '3.0' })).toMatch(/jsonrpc/);
  expect(reasonOf({ ...CALL, method: 5 })).toMatch(/method/);
  expect(reasonOf({ ...CALL, params: 5 })).toMatch(/params/);
  expect(reasonOf({ ...CALL, extra: 5 })).toBe('unknown member extra');
  for (const id of [1.5, {}, true]) expect(reasonOf({ ...CALL, id })).toMatch(/^id/);
  expect(openCall({ ...CALL, method: 5 }).id).toBe(7);
});

test('ids are strings, integers or null', () => {
  expect(['a', 0, -1, 2n ** 70n, null].map(isId)).toEqual(Array(5).fill(true));
  expect([1.5, undefined, {}, [], true].map(isId)).toEqual(Array(5).fill(false));
  expect([idIn(CALL), idIn({ id: 1.5 }), idIn([CALL])]).toEqual([7, null, null]);
  const padded = (length: number) => {
    const text = JSON.stringify(CALL);
    return text + ' '.repeat(length - text.length);
  };
  expect([idOf(padded(64 * 1024)), idOf(padded(64 * 1024 + 1)), idOf('{')]).toEqual([
    7,
    null,
    null,
  ]);
});

test('answers are texts', () => {
  expect(resultAnswer('[1]', 'a')).toBe('{"jsonrpc":"2.0","id":"a","result":[1]}');
  expect(errorAnswer(new RpcError(5, 'why'))).toBe(
    '{"jsonrpc":"2.0","id":null,"error":{"code":5,"message":"why"}}',
  );
  expect(errorAnswer(new RpcError(5, 'why', null), 3)).toBe(
    '{"jsonrpc":"2.0","id":3,"error":{"code":5,"message":"why","data":null}}',
  );
});

describe('limits of a call', () => {
  const session = { transport: 'in-process' } as const;
  const context = { prefix: 'devnet', session, listener: undefined, cause: undefined } as const;
  const limited = (method: string, params: object) => {
    const handler = limitTransactions(method, () => 'handled');
    try {
      return handler(params, context);
    } catch (error) {
      return error instanceof RpcError ? error.code : error;
    }
  };
  const felts = (count: number) => Array<string>(count).fill('0x1');
  const estimate = (...transactions: readonly unknown[]) =>
    limited('starknet_estimateFee', { request: transactions });

  test('are 10,000 felts in each list', () => {
    expect(estimate({ calldata: felts(10_000), signature: felts(10_000) })).toBe('handled');
    expect(estimate({ calldata: [] }, { calldata: felts(10_001) })).toBe(-32602);
    expect(estimate({ nonce: '0x1', other: 5 })).toBe('handled');
    // A class has limits of its own.
    const contract_class = { sierra_program: felts(10_001) };
    expect(estimate({ contract_class })).toBe('handled');
    expect(limited('starknet_estimateMessageFee', { message: { payload: felts(10_001) } })).toBe(
      -32602,
    );
    expect(limited('starknet_estimateMessageFee', { message: { payload: felts(10_000) } })).toBe(
      'handled',
    );
    expect(limited('starknet_chainId', { request: felts(20_000) })).toBe('handled');
  });

  test('are 1,000 transactions', () => {
    expect(estimate(...Array(1_000).fill({}))).toBe('handled');
    expect(estimate(...Array(1_001).fill({}))).toBe(-32602);
    expect(estimate()).toBe('handled');
  });
});
