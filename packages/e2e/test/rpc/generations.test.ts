// Gas of classes that count it by Sierra and of those that count it by steps, in every mixture of account and contract.
import { fileURLToPath } from 'node:url';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  boundsOf,
  type Call,
  contract,
  hex,
  read,
  selector,
  ZERO,
} from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';
import { classFile, type Generation } from '../../../../contracts/classes.js';

const NEWER = { accountClassCustom: fileURLToPath(classFile('account', '2.19')) };

const MIXTURES: readonly (readonly [account: Generation, contract: Generation])[] = [
  ['2.19', '2.19'],
  ['2.19', '2.8'],
  ['2.8', '2.19'],
  ['2.8', '2.8'],
];

interface Frame {
  readonly execution_resources: { readonly l1_gas: number; readonly l2_gas: number };
  readonly calls: readonly Frame[];
}

async function chainOf(account: Generation, contracts: Generation) {
  const { client, sender } = await startFixture(account === '2.8' ? {} : NEWER);
  const counter = await sender.deploy(await contract('counter', contracts), ['0x5']);
  const reverter = await sender.deploy(await contract('reverter', contracts));
  const estimate = async (calls: readonly Call[]) => {
    const request = await sender.invokeRequest(calls, { resource_bounds: ZERO });
    const [fee] = await client.call('starknet_estimateFee', [[request], [], 'latest']);
    if (!fee) throw new Error('nothing was estimated');
    return fee;
  };
  const receiptOf = async (hash: string) => client.call('starknet_getTransactionReceipt', [hash]);
  return { client, sender, counter, reverter, estimate, receiptOf };
}

/** What every frame counted, outer ones first. */
const gasOf = ({ execution_resources, calls }: Frame): readonly number[] => [
  execution_resources.l2_gas,
  ...calls.flatMap(gasOf),
];

describe.each(MIXTURES)('an account of Cairo %s, contracts of Cairo %s', (account, contracts) => {
  const started = chainOf(account, contracts);

  test('an estimate is enough, and exactly what the receipt says', async () => {
    const { client, sender, counter, estimate, receiptOf } = await started;
    const calls = [{ to: counter, name: 'increase', calldata: ['0x3'] }];
    const fee = await estimate(calls);
    const hash = await sender.invoke(calls, { resource_bounds: boundsOf(fee) });
    const { execution_status, execution_resources, actual_fee } = await receiptOf(hash);
    expect(execution_status).toBe('SUCCEEDED');
    expect(hex(execution_resources.l2_gas)).toBe(fee.l2_gas_consumed);
    expect(hex(execution_resources.l1_data_gas)).toBe(fee.l1_data_gas_consumed);
    expect(actual_fee.amount).toBe(fee.overall_fee);
    expect(await read(client, counter, 'get')).toEqual(['0x8']);
  });

  test('each frame of a trace contains what it called', async () => {
    const { client, sender, counter, reverter, receiptOf } = await started;
    const calldata = [counter, selector('get'), '0x0'];
    const hash = await sender.invoke([{ to: reverter, name: 'forward', calldata }]);
    const trace = await client.call('starknet_traceTransaction', [hash]);
    if (trace.type !== 'INVOKE' || !('calls' in trace.execute_invocation)) {
      throw new Error('it was not executed');
    }
    const [outer = 0, middle = 0, inner = 0] = gasOf(trace.execute_invocation);
    expect(inner).toBeGreaterThan(0);
    expect(middle).toBeGreaterThan(inner);
    expect(outer).toBeGreaterThan(middle);
    const { execution_resources } = await receiptOf(hash);
    expect(execution_resources.l2_gas).toBeGreaterThan(outer);
    expect(trace.execution_resources).toEqual(execution_resources);
  });

  test('what is not paid for ends as its account counts', async () => {
    const { sender, reverter, estimate, receiptOf } = await started;
    const calls = (n: number) => [{ to: reverter, name: 'burn', calldata: [hex(n)] }];
    const fee = await estimate(calls(100));
    const hash = await sender.invoke(calls(100_000), { resource_bounds: boundsOf(fee) });
    const receipt = await receiptOf(hash);
    expect(receipt).toMatchObject({
      execution_status: 'REVERTED',
      revert_reason: expect.stringContaining(
        account === '2.19' && contracts === '2.19' ? 'Out of gas' : 'no remaining steps',
      ),
    });
    expect(BigInt(receipt.actual_fee.amount)).toBeLessThanOrEqual(BigInt(fee.overall_fee));
  });
});
