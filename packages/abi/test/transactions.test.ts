// Transactions as wallets and pages send them: calls in both encodings, bounds, deployments.
import { expect, test } from 'vitest';
import { readAbi } from '../src/abi.js';
import { selectorOf } from '../src/selector.js';
import { deployCall, UDC } from '../src/transactions/deployment.js';
import { boundsFrom, invokeOf, mostFee, NO_BOUNDS } from '../src/transactions/invoke.js';
import { callFormatOf, executeCalldata, readMulticall } from '../src/transactions/multicall.js';

const CALLS = [
  { contract: '0xa', selector: '0x1', calldata: ['0x5', '0x6'] },
  { contract: '0xb', selector: '0x2', calldata: [] },
  { contract: '0xc', selector: '0x3', calldata: ['0x7'] },
];
const NEW = [
  '0x3',
  '0xa',
  '0x1',
  '0x2',
  '0x5',
  '0x6',
  '0xb',
  '0x2',
  '0x0',
  '0xc',
  '0x3',
  '0x1',
  '0x7',
];
const OLD = [
  ...['0x3', '0xa', '0x1', '0x0', '0x2', '0xb', '0x2', '0x2', '0x0', '0xc', '0x3', '0x2', '0x1'],
  ...['0x3', '0x5', '0x6', '0x7'],
];

test('calls are the calldata of the account, in its encoding', () => {
  expect(executeCalldata(CALLS)).toEqual(NEW);
  expect(executeCalldata(CALLS, 'call array')).toEqual(OLD);
  expect([readMulticall(NEW), readMulticall(OLD)]).toEqual([CALLS, CALLS]);
  expect(readMulticall(['0x0'])).toEqual([]);
  for (const calldata of [
    [],
    ['x'],
    NEW.slice(0, -1),
    [...NEW, '0x0'],
    OLD.slice(0, -1),
    [...OLD, '0x0'],
    ['0x9'],
  ]) {
    expect(readMulticall(calldata)).toBeUndefined();
  }
  // An offset beyond the data.
  expect(readMulticall(OLD.with(3, '0x2'))).toBeUndefined();
  const abiOf = (name: string) =>
    readAbi([
      { type: 'function', name: '__execute__', inputs: [{ name, type: 'felt' }], outputs: [] },
    ]);
  expect([
    callFormatOf(abiOf('call_array')),
    callFormatOf(abiOf('calls')),
    callFormatOf(readAbi([])),
  ]).toEqual([...['call array', 'calls', 'calls']]);
  expect(invokeOf('0x9', CALLS, '0x4')).toMatchObject({
    ...{
      type: 'INVOKE',
      sender_address: '0x9',
      nonce: '0x4',
      calldata: NEW,
      resource_bounds: NO_BOUNDS,
    },
  });
});

test('bounds are half as much again as the estimate, and room for the validation', () => {
  const fee = {
    ...{
      l1_gas_consumed: '0x2',
      l1_gas_price: '0x3',
      l1_data_gas_consumed: '0x5',
      l1_data_gas_price: '0x4',
    },
    ...{ l2_gas_consumed: '0xa', l2_gas_price: '0x7' },
  };
  const bounds = boundsFrom(fee);
  const hex = (value: number) => `0x${value.toString(16)}`;
  expect(bounds).toEqual({
    l1_gas: { max_amount: '0x3', max_price_per_unit: '0x5' },
    l1_data_gas: { max_amount: '0x8', max_price_per_unit: '0x6' },
    l2_gas: { max_amount: hex(15 + 1_000_000), max_price_per_unit: '0xb' },
  });
  expect(mostFee(bounds)).toBe(3n * 5n + 8n * 6n + 1_000_015n * 11n);
  expect(mostFee(NO_BOUNDS)).toBe(0n);
});

test('a deployment is a call of the universal deployer', () => {
  const deployment = { classHash: '0xc', salt: '0x5', isUnique: true, calldata: ['0x1', '0x2'] };
  expect(deployCall(deployment)).toEqual({
    ...{ contract: UDC, selector: selectorOf('deploy_contract') },
    calldata: ['0xc', '0x5', '0x1', '0x2', '0x1', '0x2'],
  });
  expect(deployCall({ ...deployment, isUnique: false }).calldata[2]).toBe('0x0');
});
