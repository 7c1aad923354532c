// Results, errors and notifications of older versions, from hand-made ones of the newest.
import { ERRORS } from '@starkbox/spec';
import { expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import type { CallContext, Handler } from '../../src/rpc/protocol/call-context.js';
import { AdaptedMethods } from '../../src/rpc/versions/adapt.js';
import { V0_8 } from '../../src/rpc/versions/v0_8.js';
import { V0_9 } from '../../src/rpc/versions/v0_9.js';

const SESSION = { transport: 'in-process' } as const;
const CONTEXT: CallContext = {
  ...{ prefix: 'starknet', session: SESSION, listener: undefined, cause: undefined },
};

/** Calls methods of an older version over handlers of the newest. */
function older(handlers: Readonly<Record<string, Handler>>, steps = [V0_9, V0_8]) {
  const methods = new AdaptedMethods(
    Object.keys(handlers),
    steps,
    () => new Map([[41, 'other words']]),
  );
  const lookup = methods.handlersOver((name) => handlers[name]);
  return {
    names: methods.names,
    renamed: methods.renamed,
    call: async (name: string, params: object = {}) => lookup(name)?.(params, CONTEXT),
  };
}

const answer =
  (value: unknown): Handler =>
  () =>
    value;

test('methods are renamed or gone, and others are as they are', async () => {
  const params: unknown[] = [];
  const { names, renamed, call } = older({
    starknet_subscribeNewTransactions: (given) => void params.push(given),
    starknet_proveTransaction: answer(1),
    starknet_getNonce: (given) => void params.push(given),
    starknet_specVersion: answer('0.10.2'),
    devnet_mint: answer(2),
  });
  expect([...names].sort()).toEqual([
    ...['devnet_mint', 'starknet_getNonce', 'starknet_specVersion'],
    'starknet_subscribePendingTransactions',
  ]);
  expect(renamed).toEqual({
    starknet_subscribePendingTransactions: 'starknet_subscribeNewTransactions',
  });
  expect([await call('starknet_specVersion'), await call('devnet_mint')]).toEqual(['0.8.1', 2]);
  expect(await call('starknet_proveTransaction')).toBeUndefined();
  await call('starknet_getNonce', { block_id: 'pending', contract_address: '0x1' });
  await call('starknet_getNonce', { filter: { from_block: 'pending', to_block: 'latest' } });
  await call('starknet_subscribePendingTransactions', { sender_address: ['0x1'] });
  await call('starknet_subscribePendingTransactions');
  const finality_status = ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'];
  expect(params).toEqual([
    { block_id: 'pre_confirmed', contract_address: '0x1' },
    { filter: { from_block: 'pre_confirmed', to_block: 'latest' } },
    { finality_status, sender_address: ['0x1'] },
    { finality_status },
  ]);
});

test('a block under construction has the hash of the one before, and receipts the statuses of the version', async () => {
  const receipt = (finality_status: string) => ({
    receipt: { finality_status, block_number: 5, block_hash: '0x5' },
  });
  const { call } = older({
    starknet_getBlockWithReceipts: answer({
      ...{ block_number: 5, timestamp: 7, event_count: 1 },
      transactions: [receipt('PRE_CONFIRMED'), receipt('ACCEPTED_ON_L1')],
    }),
    starknet_getBlockWithTxs: answer({ block_number: 5, block_hash: '0x5', event_count: 1 }),
    starknet_getBlockWithTxHashes: (params) => ({ block_hash: '0x4', block_number: params }),
    starknet_getTransactionStatus: answer({ finality_status: 'CANDIDATE' }),
    starknet_getTransactionReceipt: answer({ finality_status: 'PRE_CONFIRMED', block_number: 5 }),
    starknet_getMessagesStatus: answer([
      { finality_status: 'PRE_CONFIRMED', execution_status: 'SUCCEEDED' },
    ]),
  });
  expect(await call('starknet_getBlockWithReceipts')).toEqual({
    ...{ parent_hash: '0x4', timestamp: 7 },
    transactions: [{ receipt: { finality_status: 'ACCEPTED_ON_L2' } }, receipt('ACCEPTED_ON_L1')],
  });
  expect(await call('starknet_getBlockWithTxs')).toEqual({ block_number: 5, block_hash: '0x5' });
  expect(await call('starknet_getTransactionStatus')).toEqual({ finality_status: 'RECEIVED' });
  expect(await call('starknet_getTransactionReceipt')).toEqual({
    finality_status: 'ACCEPTED_ON_L2',
  });
  expect(await call('starknet_getMessagesStatus')).toEqual([{ finality_status: 'ACCEPTED_ON_L2' }]);
});

test('the trace of a reverted message from L1 has the call in place of the reason', async () => {
  const reverted = {
    ...{ type: 'L1_HANDLER', function_invocation: { revert_reason: 'why' } },
    execution_resources: { l1_gas: 1, l1_data_gas: 2, l2_gas: 3 },
  };
  const plain = { type: 'INVOKE', execute_invocation: { revert_reason: 'why' } };
  const handler = { contract_address: '0x1', entry_point_selector: '0x2', calldata: ['0x3'] };
  const asked: unknown[] = [];
  const over = (traced: object, receipt: object, classHash: Handler) =>
    older({
      starknet_traceTransaction: answer(traced),
      starknet_traceBlockTransactions: answer([{ transaction_hash: '0x7', trace_root: traced }]),
      starknet_getTransactionByHash: answer(handler),
      starknet_getTransactionReceipt: answer(receipt),
      starknet_getClassHashAt: (params, context) => {
        asked.push(params);
        return classHash(params, context);
      },
    });
  const hash = { transaction_hash: '0x7' };
  const whole = await over(reverted, { block_hash: '0xb' }, async () => '0xc').call(
    'starknet_traceTransaction',
    hash,
  );
  expect(whole).toMatchObject({
    function_invocation: {
      ...{ ...handler, caller_address: '0x0', class_hash: '0xc', is_reverted: true, calls: [] },
      ...{
        entry_point_type: 'L1_HANDLER',
        call_type: 'CALL',
        execution_resources: { l1_gas: 1, l2_gas: 3 },
      },
    },
  });
  const missing = async () => {
    throw new RpcError(ERRORS.CONTRACT_NOT_FOUND.code, 'none');
  };
  expect(await over(reverted, {}, missing).call('starknet_traceBlockTransactions')).toMatchObject([
    { transaction_hash: '0x7', trace_root: { function_invocation: { class_hash: '0x0' } } },
  ]);
  expect(asked).toMatchObject([{ block_id: { block_hash: '0xb' } }, { block_id: 'pre_confirmed' }]);
  const broken = async () => {
    throw new RpcError(1, 'broken');
  };
  await expect(over(reverted, {}, broken).call('starknet_traceTransaction', hash)).rejects.toThrow(
    'broken',
  );
  for (const traced of [
    plain,
    { ...plain, function_invocation: { revert_reason: 'why' } },
    { type: 'L1_HANDLER', function_invocation: { calls: [] } },
  ]) {
    expect(await over(traced, {}, missing).call('starknet_traceTransaction', hash)).toEqual(traced);
  }
});

test('what the version does not know is left out', async () => {
  const state_diff = { nonces: [], migrated_compiled_classes: [] };
  const { call } = older(
    {
      starknet_getStateUpdate: answer({ block_hash: '0x1', state_diff }),
      starknet_simulateTransactions: answer([
        { transaction_trace: { type: 'INVOKE', state_diff } },
      ]),
      starknet_getEvents: answer({ events: [{ keys: [], event_index: 1, transaction_index: 2 }] }),
      starknet_traceTransaction: answer({ type: 'INVOKE', state_diff }),
    },
    [V0_9],
  );
  const older_diff = { nonces: [] };
  expect(await call('starknet_getStateUpdate')).toEqual({
    block_hash: '0x1',
    state_diff: older_diff,
  });
  expect(await call('starknet_simulateTransactions')).toEqual([
    { transaction_trace: { type: 'INVOKE', state_diff: older_diff } },
  ]);
  expect(await call('starknet_getEvents')).toEqual({ events: [{ keys: [] }] });
  expect(await call('starknet_traceTransaction')).toEqual({
    type: 'INVOKE',
    state_diff: older_diff,
  });
});

test('errors have codes and messages of the version', async () => {
  const failing = (code: number, data?: object) => async () => {
    throw new RpcError(code, 'why', data);
  };
  const failure = (method: string, code: number, data?: object) =>
    older({ [method]: failing(code, data) })
      .call(method)
      .catch((error: unknown) => error);
  const { code: missing } = ERRORS.CONTRACT_NOT_FOUND;
  expect(await failure('starknet_estimateFee', missing, { a: 1 })).toMatchObject({
    ...{ code: 41, message: 'other words' },
    data: { a: 1, transaction_index: 0, execution_error: 'why' },
  });
  expect(await failure('starknet_estimateFee', 7)).toMatchObject({ code: 7, message: 'why' });
  expect(await failure('starknet_estimateMessageFee', missing)).toMatchObject({
    ...{ code: ERRORS.CONTRACT_ERROR.code, data: { revert_error: 'why' } },
  });
  expect(await failure('starknet_getNonce', missing)).toMatchObject({
    code: missing,
    message: 'why',
  });
  for (const { code } of [ERRORS.REPLACEMENT_TRANSACTION_UNDERPRICED, ERRORS.FEE_BELOW_MINIMUM]) {
    expect(await failure('starknet_addInvokeTransaction', code)).toMatchObject({
      ...{ code: ERRORS.UNEXPECTED_ERROR.code, data: 'why' },
    });
  }
  expect(await failure('starknet_addInvokeTransaction', 59)).toMatchObject({ code: 59 });
  const broken = new Error('broken');
  const { call } = older({ starknet_getNonce: () => Promise.reject(broken) });
  await expect(call('starknet_getNonce')).rejects.toBe(broken);
});

test('notifications are in the form of the version, and are sent once where two are one', async () => {
  const formOf = async (name: string, params: object = {}, steps = [V0_9, V0_8]) => {
    const forms: CallContext['form'][] = [];
    const note: Handler = (_, { form }) => void forms.push(form);
    const newest = ['Heads', 'Events', 'Transactions'].map(
      (topic) => `starknet_subscribeNew${topic}`,
    );
    const handlers = [...newest, 'starknet_subscribeEvents', 'starknet_subscribeTransactionStatus'];
    await older(Object.fromEntries(handlers.map((handler) => [handler, note])), steps).call(
      name,
      params,
    );
    return forms[0];
  };
  const send = (form: CallContext['form'], value: unknown, name = 'newest') => {
    const text = form?.result(name, JSON.stringify(value));
    return text === undefined ? undefined : JSON.parse(text);
  };
  const heads = await formOf('starknet_subscribeNewHeads');
  expect(heads?.isShared).toBe(true);
  expect(send(heads, { block_number: 1, event_count: 2 })).toEqual({ block_number: 1 });
  expect(send(heads, { block_number: 2, event_count: 2 })).toEqual({ block_number: 2 });
  expect(heads?.name('newest')).toBe('newest');
  expect(send(heads, { event_count: 1 }, 'subscriptionReorg')).toEqual({ event_count: 1 });
  const events = await formOf('starknet_subscribeEvents');
  expect(send(events, { keys: [], event_index: 0, finality_status: 'PRE_CONFIRMED' })).toEqual({
    keys: [],
  });
  expect(await formOf('starknet_subscribeTransactionStatus', {}, [V0_9])).toBeUndefined();
  const status = await formOf('starknet_subscribeTransactionStatus');
  expect(status?.isShared).toBe(false);
  const statusOf = (finality_status: string) => ({
    transaction_hash: '0x1',
    status: { finality_status },
  });
  expect(send(status, statusOf('PRE_CONFIRMED'))).toEqual(statusOf('ACCEPTED_ON_L2'));
  expect(send(status, statusOf('ACCEPTED_ON_L2'))).toBeUndefined();
  send(status, {}, 'subscriptionReorg');
  expect(send(status, statusOf('ACCEPTED_ON_L2'))).toEqual(statusOf('ACCEPTED_ON_L2'));
  const pending = await formOf('starknet_subscribePendingTransactions');
  const sent = (transaction_hash: string, finality_status: string) => ({
    transaction_hash,
    finality_status,
  });
  expect(pending?.name('newest')).toBe('subscriptionPendingTransactions');
  expect(pending?.name('subscriptionReorg')).toBe('subscriptionReorg');
  expect(send(pending, sent('0x1', 'PRE_CONFIRMED'))).toBe('0x1');
  expect(send(pending, sent('0x1', 'ACCEPTED_ON_L2'))).toBeUndefined();
  expect(send(pending, sent('0x1', 'ACCEPTED_ON_L2'))).toBe('0x1');
  send(pending, sent('0x2', 'PRE_CONFIRMED'));
  send(pending, {}, 'subscriptionReorg');
  expect(send(pending, sent('0x2', 'ACCEPTED_ON_L2'))).toBe('0x2');
  const details = await formOf('starknet_subscribePendingTransactions', {
    transaction_details: true,
  });
  expect(send(details, sent('0x3', 'PRE_CONFIRMED'))).toEqual({ transaction_hash: '0x3' });
});
