// Types of the library: params and results of every method under all of its names, and typed errors.

import { aliasOf, type Methods as Canonical, METHODS, type Notifications } from '@starkbox/spec';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ParamsArgument } from '../../src/client/methods.js';
import {
  type ChainSubscription,
  isRpcError,
  type LocalChain,
  type MethodName,
  type Methods,
  type Notification,
  RpcError,
  type SubscribeMethodName,
  type TypedRpcError,
} from '../../src/index.js';

/** The call that a user writes, for the sake of its types alone: it is not made. */
declare const chain: LocalChain;
type Called<M extends MethodName> = Awaited<ReturnType<typeof chain.request<M>>>;

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type IsAny<T> = 0 extends 1 & T ? true : false;

/** Names whose types are not exact. */
type Inexact = {
  [M in MethodName]: IsAny<Called<M>> extends true
    ? M
    : unknown extends Called<M>
      ? M
      : Same<Called<M>, Methods[M]['result']> extends true
        ? Methods[M]['params'] extends object | undefined
          ? never
          : M
        : M;
}[MethodName];

/** Names of methods whose second name has other types. */
type Unlike = {
  [M in keyof Canonical]: M extends `starknet_${infer R}`
    ? Same<Methods[`chain_${R}` & MethodName], Canonical[M]> extends true
      ? never
      : M
    : M extends `devnet_${infer R}`
      ? Same<Methods[`sandbox_${R}` & MethodName], Canonical[M]> extends true
        ? never
        : M
      : never;
}[keyof Canonical];

describe('requests', () => {
  test('have exact types for every method under all of its names', () => {
    expectTypeOf<Inexact>().toBeNever();
    expectTypeOf<Unlike>().toBeNever();
    const names = Object.keys(METHODS).flatMap((name) => [name, aliasOf(name)]);
    expect(names.filter(Boolean).length).toBeGreaterThan(180);
  });

  test('take the params of their method, and no others', () => {
    expectTypeOf<ParamsArgument<'starknet_blockNumber'>>().toEqualTypeOf<
      [params?: Record<string, never>]
    >();
    expectTypeOf<ParamsArgument<'starknet_getNonce'>>().toEqualTypeOf<
      [params: Canonical['starknet_getNonce']['params']]
    >();
    expectTypeOf<ParamsArgument<'devnet_createBlock'>>().toEqualTypeOf<
      [params?: { readonly count?: number; readonly interval?: number }]
    >();
    const calls = () => [
      chain.request('sandbox_mint', { address: '0x1', amount: 1n }),
      // @ts-expect-error there is no such method
      chain.request('starknet_blockNumbr'),
      // @ts-expect-error the params are required
      chain.request('starknet_getNonce'),
      // @ts-expect-error a required one is missing
      chain.request('starknet_getNonce', { block_id: 'latest' }),
      // @ts-expect-error there is no such block
      chain.request('starknet_getNonce', { block_id: 'lastest', contract_address: '0x1' }),
      // @ts-expect-error there is no such param
      chain.request('devnet_mint', { address: '0x1', amount: 1, token: '0x2' }),
    ];
    expect(calls).toBeInstanceOf(Function);
  });

  test('give results that need no check', () => {
    expectTypeOf<Called<'starknet_blockNumber'>>().toEqualTypeOf<number>();
    expectTypeOf<Called<'chain_chainId'>>().toEqualTypeOf<string>();
    expectTypeOf<Called<'sandbox_mint'>['new_balance']>().toEqualTypeOf<string>();
    expectTypeOf<Called<'starknet_getTransactionReceipt'>['execution_status']>().toEqualTypeOf<
      'SUCCEEDED' | 'REVERTED'
    >();
  });
});

describe('subscriptions', () => {
  test('give their notifications by name', () => {
    expectTypeOf<Notification<'starknet_subscribeNewHeads'>['name']>().toEqualTypeOf<
      'starknet_subscriptionNewHeads' | 'starknet_subscriptionReorg'
    >();
    const heads = (_: ChainSubscription<'starknet_subscribeNewHeads'>) => undefined;
    expectTypeOf(heads).parameter(0).toExtend<AsyncIterable<unknown>>();
    type Names = { [M in SubscribeMethodName]: Notification<M>['name'] }[SubscribeMethodName];
    expectTypeOf<Names>().toEqualTypeOf<keyof Notifications>();
  });
});

describe('errors', () => {
  test('have data of the type that their code has', () => {
    const read = (error: unknown): string => {
      if (!isRpcError(error)) return 'another error';
      switch (error.code) {
        case 40:
          expectTypeOf(error.data).toHaveProperty('revert_error');
          return 'contract error';
        case 52:
          expectTypeOf(error.data).toEqualTypeOf<string>();
          return 'nonce';
        case 24:
          expectTypeOf(error.data).toBeUnknown();
          return 'block';
        default:
          return String(error.code);
      }
    };
    expect(read(new RpcError(52, 'nonce', 'too low'))).toBe('nonce');
    expect(read(new RpcError(40, 'contract', { revert_error: 'x' }))).toBe('contract error');
    expect(read(new RpcError(24, 'block'))).toBe('block');
    expect(read(new Error('other'))).toBe('another error');
    expectTypeOf<TypedRpcError>().toExtend<RpcError>();
  });
});
