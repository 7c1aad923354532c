// Typed data of outside executions: the same as that of starknet.js, with the same hashes, in both versions.
import fc from 'fast-check';
import { outsideExecution, typedData } from 'starknet';
import { describe, expect, test } from 'vitest';
import {
  ANY_CALLER,
  messageHash,
  type OutsideExecution,
  outsideCall,
  readTypedData,
  typedDataOf,
} from '../../src/paymaster/outside-execution.js';

const CHAIN_ID = '0x534e5f5345504f4c4941';
const TRANSFER = '0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e';

const felt = fc.bigInt({ min: 0n, max: 2n ** 250n }).map((value) => `0x${value.toString(16)}`);
const time = fc.bigInt({ min: 0n, max: 2n ** 40n });

const executions = (version: 1 | 2): fc.Arbitrary<OutsideExecution> =>
  fc.record({
    version: fc.constant(version),
    caller: fc.oneof(felt, fc.constant(ANY_CALLER)),
    nonce: felt,
    executeAfter: time,
    executeBefore: time,
    calls: fc.array(
      fc.record({
        to: felt,
        selector: fc.constant(TRANSFER),
        calldata: fc.array(felt, { maxLength: 5 }),
      }),
      { maxLength: 4 },
    ),
  });

describe.each([1, 2] as const)('version %i', (version) => {
  const samples = fc.sample(
    fc.tuple(
      executions(version),
      felt.filter((user) => user !== '0x0'),
    ),
    { seed: 9, numRuns: 50 },
  );

  test('typed data is what starknet.js builds', () => {
    for (const [execution] of samples) {
      const { caller, nonce, calls } = execution;
      const options = {
        caller,
        execute_after: `0x${execution.executeAfter.toString(16)}`,
        execute_before: `0x${execution.executeBefore.toString(16)}`,
      };
      const named = calls.map(({ to, calldata }) => ({
        contractAddress: to,
        entrypoint: 'transfer',
        calldata: [...calldata],
      }));
      const expected = outsideExecution.getTypedData(
        CHAIN_ID,
        options,
        nonce,
        named,
        version === 1 ? '1' : '2',
      );
      expect(typedDataOf(execution, CHAIN_ID)).toEqual(expected);
    }
  });

  test('the hash is what starknet.js signs', () => {
    for (const [execution, user] of samples) {
      const data = JSON.parse(JSON.stringify(typedDataOf(execution, CHAIN_ID)));
      expect(messageHash(execution, CHAIN_ID, user)).toBe(typedData.getMessageHash(data, user));
    }
  });

  test('typed data that was sent is read as it was built', () => {
    for (const [execution] of samples) {
      const sent = JSON.parse(JSON.stringify(typedDataOf(execution, CHAIN_ID)));
      expect(readTypedData(sent)).toEqual({ execution, chainId: CHAIN_ID });
    }
  });

  test('the call of an account is what starknet.js builds', () => {
    for (const [execution, user] of samples) {
      const { caller, nonce, executeAfter, executeBefore, calls } = execution;
      const signature = ['0x1', '0x2'];
      const [expected] = outsideExecution.buildExecuteFromOutsideCall({
        outsideExecution: {
          caller,
          nonce,
          execute_after: executeAfter,
          execute_before: executeBefore,
          calls: calls.map((call) => ({ ...call, calldata: [...call.calldata] })),
        },
        signature,
        signerAddress: user,
        version: version === 1 ? '1' : '2',
      });
      const calldata = Object(expected?.calldata ?? []);
      const { to, calldata: own } = outsideCall(user, execution, signature);
      expect(to).toBe(expected?.contractAddress);
      expect(own.map(BigInt)).toEqual([...calldata].map(BigInt));
    }
  });
});

describe('values of typed data', () => {
  const [execution] = fc.sample(executions(2), { seed: 1, numRuns: 1 });
  if (!execution) throw new Error('there is no execution');

  test('may be decimal digits, numbers and short strings', () => {
    const { message, domain, ...rest } = typedDataOf(execution, CHAIN_ID);
    const written = {
      ...rest,
      domain: { ...domain, chainId: 'SN_SEPOLIA' },
      message: {
        ...message,
        Caller: 'ANY_CALLER',
        'Execute After': Number(execution.executeAfter),
        'Execute Before': execution.executeBefore.toString(),
      },
    };
    expect(readTypedData(written)).toEqual({
      execution: { ...execution, caller: ANY_CALLER },
      chainId: CHAIN_ID,
    });
  });

  const damaged: readonly (readonly [string, object])[] = [
    ['Caller', { Caller: null }],
    ['Nonce', { Nonce: `0x${'f'.repeat(64)}` }],
    ['Execute After', { 'Execute After': 1.5 }],
    ['Execute Before', { 'Execute Before': 2n ** 252n }],
    ['Calls', { Calls: {} }],
    ['Calls[0].To', { Calls: [{ Selector: '0x1', Calldata: [] }] }],
    ['Calls[0].Calldata', { Calls: [{ To: '0x1', Selector: '0x1' }] }],
  ];
  test.each(damaged)('that are wrong in %s are refused by its name', (name, changes) => {
    const { message, ...rest } = typedDataOf(execution, CHAIN_ID);
    expect(() => readTypedData({ ...rest, message: { ...message, ...changes } })).toThrow(name);
  });

  test('of another domain are refused', () => {
    const { domain, ...rest } = typedDataOf(execution, CHAIN_ID);
    expect(() => readTypedData({ ...rest, domain: { ...domain, name: 'Mail' } })).toThrow(
      'domain.name',
    );
  });
});
