// Envelopes of calls.
import { expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import {
  errorAnswer,
  idIn,
  idOf,
  isId,
  openCall,
  resultAnswer,
} from '../../src/rpc/protocol/envelope.js';

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
