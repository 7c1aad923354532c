// Limits of a whole node: what they refuse, and ordinary use that passes.

import { ERRORS } from '@starkbox/spec';
import { afterAll, describe, expect, test } from 'vitest';
import { createChain } from '../../../src/index.js';

const warnings: string[] = [];

const node = await createChain({ seed: 0 });
afterAll(() => node.close());

async function ask(method: string, params: unknown): Promise<{ result?: unknown; error?: Failed }> {
  const text = await node.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return JSON.parse(text ?? '{}');
}

interface Failed {
  readonly code: number;
  readonly message: string;
}

const felts = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `0x${index.toString(16)}`);

const bound = { max_amount: '0x0', max_price_per_unit: '0x0' };
const invoke = (changes: object): object => ({
  type: 'INVOKE',
  version: '0x3',
  sender_address: node.accounts[0]?.address,
  calldata: [],
  signature: [],
  nonce: '0x0',
  resource_bounds: { l1_gas: bound, l2_gas: bound, l1_data_gas: bound },
  tip: '0x0',
  paymaster_data: [],
  account_deployment_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
  ...changes,
});

describe('a node', () => {
  test('takes a state diff of 100,000 slots', async () => {
    const storage_entries = felts(100_000).map((key) => ({ key, value: '0x7' }));
    const address = node.accounts[0]?.address;
    const { error } = await ask('devnet_applyStateDiff', {
      state_diff: { storage_diffs: [{ address, storage_entries }] },
    });
    expect(error).toBeUndefined();
    const { result } = await ask('starknet_getStorageAt', {
      contract_address: address,
      key: '0x1869f',
      block_id: 'pre_confirmed',
    });
    expect(result).toBe('0x7');
  });

  test('refuses a text that is nested too deep before it is parsed', async () => {
    const deep = JSON.parse((await node.handle('['.repeat(2_000_000))) ?? '{}').error;
    expect(deep).toMatchObject({
      code: ERRORS.PARSE_ERROR.code,
      data: { reason: 'Nested more than 1000 levels deep' },
    });
  });

  test.each(['calldata', 'signature', 'paymaster_data'])('limits the %s', async (name) => {
    const transaction = invoke({ [name]: felts(10_001) });
    const message = 'expected a list of at most 10000 items; got 10001 items';
    const block_id = 'latest';
    expect(
      (
        await ask('starknet_estimateFee', {
          request: [transaction],
          simulation_flags: [],
          block_id,
        })
      ).error,
    ).toEqual({
      code: ERRORS.INVALID_PARAMS.code,
      message: `params.request[0].${name}: ${message}`,
    });
    expect(
      (await ask('starknet_addInvokeTransaction', { invoke_transaction: transaction })).error,
    ).toEqual({
      code: ERRORS.INVALID_PARAMS.code,
      message: `params.invoke_transaction.${name}: ${message}`,
    });
  });

  test('limits the payload of messages', async () => {
    const { error } = await ask('devnet_postmanSendMessageToL2', {
      l1_contract_address: '0x1',
      l2_contract_address: '0x2',
      entry_point_selector: '0x3',
      payload: felts(5_001),
      paid_fee_on_l1: '0x1',
      nonce: '0x0',
    });
    expect(error?.message).toContain('at most 5000 items');
  });

  test('passes what is just within', async () => {
    const transaction = invoke({ calldata: felts(10_000) });
    const { error } = await ask('starknet_estimateFee', {
      request: [transaction],
      simulation_flags: ['SKIP_VALIDATE'],
      block_id: 'latest',
    });
    // It gets as far as to be executed.
    expect(error?.code).toBe(ERRORS.TRANSACTION_EXECUTION_ERROR.code);
  });

  test('writes the document of its methods once', async () => {
    const document = await node.handle('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}');
    const batch = Array.from(
      { length: 20 },
      () => '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}',
    );
    expect(await node.handle(`[${batch.join()}]`)).toBe(`[${batch.map(() => document).join()}]`);
  });
});

test('a step that blocks the event loop is logged with its method, at a limited rate', async () => {
  const { Dispatcher } = await import('../../../src/rpc/protocol/dispatcher.js');
  const { Schema } = await import('../../../src/rpc/protocol/schema.js');
  const { openTelemetry } = await import('../../../src/telemetry/telemetry.js');
  const { silentLog } = await import('../../../src/log.js');
  const log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said.join(' ')) };
  const telemetry = await openTelemetry(
    { metricsHost: undefined, metricsPort: 0, logLevel: 'info' },
    log,
    '0',
  );
  const dispatcher = new Dispatcher({
    handlers: {
      devnet_slow: () => {
        for (const begin = performance.now(); performance.now() - begin < 250; );
        return 1;
      },
    },
    restricted: undefined,
    log,
    schema: new Schema(() => new Map()),
    onStall: telemetry.onStall,
  });
  const text = '{"jsonrpc":"2.0","id":1,"method":"devnet_slow"}';
  await dispatcher.handle(`[${text},${text}]`, { transport: 'http' });
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^devnet_slow \(handle\) blocked the event loop for \d+ ms/);
});
