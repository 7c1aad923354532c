// What the published specification accepts and refuses: an example for every kind of schema.
import { describe, expect, test } from 'vitest';
import { standardSpec } from '../conformance/index.js';

const spec = standardSpec();

const bounds = { max_amount: '0x1', max_price_per_unit: '0x2' };
const invoke = {
  type: 'INVOKE',
  version: '0x3',
  sender_address: '0x1',
  calldata: ['0x1', '0x0'],
  signature: [],
  nonce: '0x0',
  resource_bounds: { l1_gas: bounds, l1_data_gas: bounds, l2_gas: bounds },
  tip: '0x0',
  paymaster_data: [],
  account_deployment_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
};
const receipt = {
  type: 'INVOKE',
  transaction_hash: '0x5',
  actual_fee: { amount: '0x10', unit: 'FRI' },
  finality_status: 'ACCEPTED_ON_L2',
  execution_status: 'SUCCEEDED',
  messages_sent: [{ from_address: '0x1', to_address: '0x2', payload: [] }],
  events: [{ from_address: '0x1', keys: ['0x2'], data: [] }],
  execution_resources: { l1_gas: 0, l1_data_gas: 128, l2_gas: 1_000_000 },
};
const stateDiff = {
  storage_diffs: [{ address: '0x1', storage_entries: [{ key: '0x9', value: '0x0' }] }],
  deprecated_declared_classes: [],
  declared_classes: [{ class_hash: '0x1', compiled_class_hash: '0x2' }],
  deployed_contracts: [{ address: '0x1', class_hash: '0x2' }],
  replaced_classes: [],
  nonces: [{ contract_address: '0x1', nonce: '0x1' }],
};
const call = {
  contract_address: '0x1',
  entry_point_selector: '0x2',
  calldata: [],
  caller_address: '0x0',
  class_hash: '0x3',
  entry_point_type: 'EXTERNAL',
  call_type: 'CALL',
  result: ['0x1'],
  calls: [],
  events: [{ order: 0, keys: [], data: [] }],
  messages: [{ order: 0, from_address: '0x1', to_address: '0x2', payload: [] }],
  execution_resources: { l1_gas: 0, l2_gas: 10 },
  is_reverted: false,
};
const trace = {
  type: 'INVOKE',
  validate_invocation: call,
  execute_invocation: { ...call, calls: [call] },
  state_diff: stateDiff,
  execution_resources: receipt.execution_resources,
};
const estimate = {
  l1_gas_consumed: '0x0',
  l1_gas_price: '0x1',
  l2_gas_consumed: '0x2',
  l2_gas_price: '0x3',
  l1_data_gas_consumed: '0x4',
  l1_data_gas_price: '0x5',
  overall_fee: '0x6',
  unit: 'FRI',
};
const price = { price_in_fri: '0x1', price_in_wei: '0x1' };
const preConfirmed = {
  block_number: 1,
  timestamp: 1_700_000_000,
  sequencer_address: '0x1',
  l1_gas_price: price,
  l2_gas_price: price,
  l1_data_gas_price: price,
  l1_da_mode: 'BLOB',
  starknet_version: '0.14.4',
  transactions: [],
};
const block = {
  ...preConfirmed,
  status: 'ACCEPTED_ON_L2',
  block_hash: '0x1',
  parent_hash: '0x0',
  new_root: '0x0',
  event_commitment: '0x0',
  transaction_commitment: '0x0',
  receipt_commitment: '0x0',
  state_diff_commitment: '0x0',
  event_count: 0,
  transaction_count: 0,
  state_diff_length: 0,
};

function without(value: object, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

describe('checkSchema', () => {
  const bad: readonly (readonly [string, unknown, readonly string[]])[] = [
    [
      'FELT',
      '0x01',
      ['$: must match pattern "^0x(0|[a-fA-F1-9]{1}[a-fA-F0-9]{0,62})$", not "0x01"'],
    ],
    ['FELT', 1, ['$: must be string, not 1']],
    ['BLOCK_ID', { block_number: -1 }, ['$.block_number: must be >= 0, not -1']],
    [
      'BLOCK_TAG',
      'pending',
      ['$: must be one of l1_accepted, latest, pre_confirmed, not "pending"'],
    ],
    ['BROADCASTED_INVOKE_TXN', without(invoke, 'tip'), ["$: missing property 'tip'"]],
    [
      'BROADCASTED_INVOKE_TXN',
      { ...invoke, resource_bounds: { l1_gas: bounds, l2_gas: bounds } },
      ["$.resource_bounds: missing property 'l1_data_gas'"],
    ],
    ['BROADCASTED_TXN', { ...invoke, nonce: 0 }, ['$.nonce: must be string, not 0']],
    ['TXN_WITH_HASH', invoke, ["$: missing property 'transaction_hash'"]],
    [
      'TXN_WITH_HASH',
      { ...invoke, transaction_hash: '0x1', calldata: ['0x1', 2] },
      ['$.calldata[1]: must be string, not 2'],
    ],
    ['TXN_RECEIPT', without(receipt, 'actual_fee'), ["$: missing property 'actual_fee'"]],
    [
      'TXN_RECEIPT',
      { ...receipt, actual_fee: { amount: '0x1', unit: 'ETH' } },
      ['$.actual_fee.unit: must be one of WEI, not "ETH", or must be one of FRI, not "ETH"'],
    ],
    [
      'TXN_RECEIPT',
      { ...receipt, execution_status: 'REVERTED' },
      ["$: missing property 'revert_reason'"],
    ],
    [
      'TRANSACTION_TRACE',
      { ...trace, execute_invocation: { ...call, calls: [without(call, 'result')] } },
      ["$.execute_invocation.calls[0]: missing property 'result'"],
    ],
    ['STATE_DIFF', without(stateDiff, 'nonces'), ["$: missing property 'nonces'"]],
    ['FEE_ESTIMATE', { ...estimate, unit: 'WEI' }, ['$.unit: must be one of FRI, not "WEI"']],
    [
      'INITIAL_READS',
      { nonces: [{ contract_address: '0x1' }] },
      ["$.nonces[0]: missing property 'nonce'"],
    ],
    [
      'CONTRACT_EXECUTION_ERROR',
      { contract_address: '0x1', class_hash: '0x2', selector: '0x3', error: 5 },
      ['$.error: must be object, not 5, or must be string, not 5'],
    ],
    // The documents give no type for the first, and wrap the others in `schema`: a plain validator
    // would take anything.
    ['REORG_DATA', 'x', ['$: must be object, not "x"']],
    ['SUBSCRIPTION_ID', 1, ['$: must be string, not 1']],
    ['SUBSCRIPTION_BLOCK_ID', 'pre_confirmed', ['$: must not be "pre_confirmed"']],
  ];
  test.each(bad)('%s refuses %j', (name, value, violations) => {
    expect(spec.checkSchema(name, value)).toEqual(violations);
    expect(spec.checkSchema(name, value, { unknown: 'ignore' })).toEqual(violations);
  });

  const extra: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['FEE_ESTIMATE', { ...estimate, extra: 1 }, ["$: unknown property 'extra'"]],
    [
      'STATE_DIFF',
      { ...stateDiff, nonces: [{ contract_address: '0x1', nonce: '0x1', extra: 1 }] },
      ["$.nonces[0]: unknown property 'extra'"],
    ],
    ['TXN_RECEIPT', { ...receipt, revert_reason: 'why' }, ["$: unknown property 'revert_reason'"]],
    [
      'TXN_WITH_HASH',
      { ...invoke, transaction_hash: '0x1', max_fee: '0x1' },
      ["$: unknown property 'max_fee'"],
    ],
    [
      'TRANSACTION_TRACE',
      { ...trace, execute_invocation: { ...call, calls: [{ ...call, extra: 1 }] } },
      ["$.execute_invocation.calls[0]: unknown property 'extra'"],
    ],
  ];
  test.each(extra)('%s reports unknown members, unless they are to be ignored: %j', (...row) => {
    const [name, value, violations] = row;
    expect(spec.checkSchema(name, value)).toEqual(violations);
    expect(spec.checkSchema(name, value, { unknown: 'ignore' })).toEqual([]);
  });

  test('every schema of the documents can be used', () => {
    expect(spec.schemas.length).toBeGreaterThan(170);
    for (const name of spec.schemas) {
      expect(spec.checkSchema(name, undefined), name).not.toEqual([]);
      expect(spec.checkSchema(name, undefined, { unknown: 'ignore' }), name).not.toEqual([]);
    }
  });
});

describe('checkResult', () => {
  test('tells a block from a pre-confirmed one, though every block has what the other needs', () => {
    const method = 'starknet_getBlockWithTxHashes';
    expect(spec.checkResult(method, block)).toEqual([]);
    expect(spec.checkResult(method, preConfirmed)).toEqual([]);
    expect(spec.checkResult(method, block, { unknown: 'ignore' })).toEqual([]);
    expect(spec.checkResult(method, { ...block, timestamp: '1' })).toEqual([
      '$.timestamp: must be integer, not "1"',
    ]);
    expect(spec.checkResult(method, without(block, 'event_count'))).toEqual([
      "$: missing property 'event_count'",
    ]);
    expect(spec.checkResult(method, { ...preConfirmed, extra: 1 })).toEqual([
      "$: unknown property 'extra'",
    ]);
  });
});

describe('checkParams', () => {
  const method = 'starknet_getStorageAt';

  test('names what is wrong', () => {
    expect(spec.checkParams(method, ['0x1', '0x2'])).toEqual(["$: missing param 'block_id'"]);
    expect(spec.checkParams(method, ['0x1', '0x2', 'latest', ['NO']])).toEqual([
      '$.response_flags[0]: must be one of INCLUDE_LAST_UPDATE_BLOCK, not "NO"',
    ]);
    expect(spec.checkParams(method, [1, 2, 3, 4, 5])).toEqual([
      '$: must have at most 4 params, not 5',
    ]);
    expect(spec.checkParams('starknet_chainId', { a: 1 })).toEqual(["$: unknown param 'a'"]);
    expect(spec.checkParams('starknet_chainId', 'a')).toEqual(['$: must be an array or an object']);
  });

  test('wants all params of a notification', () => {
    const heads = 'starknet_subscriptionNewHeads';
    const head = without(without(block, 'status'), 'transactions');
    expect(spec.checkParams(heads, { subscription_id: '1', result: head })).toEqual([]);
    expect(spec.checkParams(heads, { result: head })).toEqual([
      "$: missing param 'subscription_id'",
    ]);
    expect(spec.checkParams(heads, { subscription_id: 1, result: head })).toEqual([
      '$.subscription_id: must be string, not 1',
    ]);
  });
});

describe('checkError', () => {
  const data = { transaction_index: 0, execution_error: 'why' };

  test('names what is wrong', () => {
    const check = (error: unknown): readonly string[] =>
      spec.checkError('starknet_estimateFee', error);
    expect(check({ code: 55, message: 'm' })).toEqual([
      '$.code: must be one of 20, 41, 24, not 55',
    ]);
    expect(check({ code: 41, message: 'm' })).toEqual(["$: missing property 'data'"]);
    expect(check({ code: 41, message: 'm', data: { ...data, transaction_index: -1 } })).toEqual([
      '$.data.transaction_index: must be >= 0, not -1',
    ]);
    expect(check({ code: 24 })).toEqual(['$.message: must be a string']);
  });

  test('reads the blemished errors: `required` as a string, a type name for a schema', () => {
    expect(spec.checkError('starknet_call', { code: 40, message: 'm', data: {} })).toEqual([
      "$.data: missing property 'revert_error'",
    ]);
    expect(
      spec.checkError('starknet_addInvokeTransaction', { code: 55, message: 'm', data: 5 }),
    ).toEqual(['$.data: must be string, not 5']);
  });
});
