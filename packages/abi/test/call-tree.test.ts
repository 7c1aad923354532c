// Call trees from traces and from revert reasons, and the calls in the calldata of an account.
import { describe, expect, test } from 'vitest';
import { classesIn } from '../src/call-tree.js';
import { buildTree, selectorOf, type TracedTransaction } from '../src/index.js';
import type { Invocation } from '../src/trace.js';
import { readMulticall } from '../src/transactions/multicall.js';

const ACCOUNT = '0xacc';
const invocation = (
  contract: string,
  { calls = [], ...rest }: Partial<Invocation> = {},
): Invocation => ({
  contract_address: contract,
  class_hash: `${contract}c`,
  entry_point_selector: '0x5',
  entry_point_type: 'EXTERNAL',
  call_type: 'CALL',
  caller_address: ACCOUNT,
  calldata: [],
  result: [],
  is_reverted: false,
  execution_resources: { l2_gas: 7 },
  events: [],
  calls,
  ...rest,
});
const invoke = (calldata: readonly string[]): TracedTransaction => ({
  type: 'INVOKE',
  sender_address: ACCOUNT,
  calldata,
});
/** Two equal calls and a third one. */
const CALLDATA = ['0x3', '0x1', '0xf', '0x0', '0x1', '0xf', '0x1', '0x9', '0x2', '0xe', '0x0'];

describe('a trace', () => {
  test('becomes frames in the order of their phases', () => {
    const tree = buildTree(
      invoke([]),
      {
        type: 'INVOKE',
        validate_invocation: invocation(ACCOUNT),
        execute_invocation: invocation(ACCOUNT, {
          calls: [invocation('0x1', { call_type: 'DELEGATE' }), invocation('0x2')],
        }),
        fee_transfer_invocation: invocation('0x3'),
      },
      { execution_status: 'SUCCEEDED' },
    );
    expect(tree.roots.map(({ phase }) => phase)).toEqual(['validate', 'execute', 'fee']);
    expect(tree.roots[1]?.children.map(({ id, kind }) => [id, kind])).toEqual([
      ['execute.0', 'DELEGATE'],
      ['execute.1', 'CALL'],
    ]);
    expect([tree.count, tree.cause]).toEqual([5, undefined]);
    expect(classesIn(tree.roots)).toEqual(['0xaccc', '0x1c', '0x2c', '0x3c']);
  });

  test('names the innermost reverted frame as the cause, with panic data of any bytes', () => {
    const failed = (result: readonly string[]) =>
      buildTree(
        invoke([]),
        {
          type: 'INVOKE',
          execute_invocation: invocation(ACCOUNT, {
            is_reverted: true,
            calls: [invocation('0x1', { is_reverted: true, result })],
          }),
        },
        { execution_status: 'REVERTED' },
      ).cause;
    expect(failed(['0x4e4f', '0xff', '0x123'])?.cause).toBe('NO, 0xff, 0x123');
    expect(failed([])?.cause).toBe('no reason given');
    expect(failed([])?.id).toBe('execute.0');
  });
});

describe('a revert reason', () => {
  const step = (contract: string, selector: string) =>
    `Error in the called contract (contract address: ${contract}, class hash: 0xc, selector: ${selector}):\n`;

  test('gives the calls of the sender and the path to the failure', () => {
    const reason = `${step(ACCOUNT, selectorOf('__execute__'))}${step('0x2', '0xe')}${step('0x8', '0xd')}"no"`;
    const tree = buildTree(invoke(CALLDATA), undefined, {
      execution_status: 'REVERTED',
      revert_reason: reason,
    });
    expect(tree.isUncertain).toBe(false);
    expect(tree.roots[0]?.children.map(({ fate, failed }) => [fate, failed])).toEqual([
      ['undone', false],
      ['undone', false],
      [undefined, true],
    ]);
    expect(tree.cause).toMatchObject({ id: 'execute.2.0', contract: '0x8', cause: 'no' });
  });

  test('that fits several equal calls leaves open which one failed', () => {
    const reason = `${step(ACCOUNT, '0x1')}${step('0x1', '0xf')}"no"`;
    const tree = buildTree(invoke(CALLDATA), undefined, {
      execution_status: 'REVERTED',
      revert_reason: reason,
    });
    expect(tree.isUncertain).toBe(true);
    expect(tree.cause?.id).toBe('execute.1');
    expect(tree.roots[0]?.children.map(({ fate }) => fate)).toEqual([
      'undone',
      undefined,
      'not reached',
    ]);
  });
});

describe('the calls of an account', () => {
  test('are read in both encodings', () => {
    const calls = [
      { contract: '0x1', selector: '0xf', calldata: [] },
      { contract: '0x2', selector: '0xe', calldata: ['0x9'] },
    ];
    expect(readMulticall(['0x2', '0x1', '0xf', '0x0', '0x2', '0xe', '0x1', '0x9'])).toEqual(calls);
    const headers = ['0x1', '0xf', '0x0', '0x0', '0x2', '0xe', '0x0', '0x1'];
    expect(readMulticall(['0x2', ...headers, '0x1', '0x9'])).toEqual(calls);
  });

  test.each([[[]], [['0x1']], [['0xffffffff']], [['zz', '0x1']], [['0x1', '0x1', '0xf', '0x9']]])(
    'calldata %j has none',
    (calldata) => {
      expect(readMulticall(calldata)).toBeUndefined();
    },
  );
});
