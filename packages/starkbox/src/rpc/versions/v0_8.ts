// Version 0.8 of the specification, as its differences from 0.9.
import { listOf, type Members, membersOf } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import {
  type Exchange,
  type MethodDifference,
  type SubscriptionDifference,
  type Version,
  withMember,
  without,
} from './difference.js';

const BLOCK: ReadonlySet<string> = new Set(['block_hash', 'block_number']);
const EXECUTION: ReadonlySet<string> = new Set(['execution_status']);
const FINALITY: ReadonlySet<string> = new Set(['finality_status']);

/** Statuses that 0.8 lacks. */
const STATUSES: ReadonlyMap<unknown, string> = new Map([
  ['CANDIDATE', 'RECEIVED'],
  ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'],
]);

const tag = (id: unknown): unknown => (id === 'pending' ? 'pre_confirmed' : id);

const status = (result: unknown): Members =>
  withMember(result, 'finality_status', (finality) => STATUSES.get(finality) ?? finality);

/** The receipt of a transaction in the block under construction has no block. */
const receipt = (newer: unknown): Members =>
  membersOf(newer)['finality_status'] === 'PRE_CONFIRMED'
    ? status(without(newer, BLOCK))
    : membersOf(newer);

/** A block under construction has no number, but the hash of the block before it. */
async function block(newer: unknown, { ask }: Exchange): Promise<Members> {
  const { block_number: number, ...others } = membersOf(newer);
  if (others['block_hash'] !== undefined) return membersOf(newer);
  const before = { block_id: { block_number: Number(number) - 1 } };
  const { block_hash: parent_hash } = membersOf(await ask('starknet_getBlockWithTxHashes', before));
  return { parent_hash, ...others };
}

async function blockWithReceipts(newer: unknown, exchange: Exchange): Promise<Members> {
  const inBlock = (item: unknown): Members => withMember(item, 'receipt', receipt);
  const older = await block(newer, exchange);
  return withMember(older, 'transactions', (transactions) => listOf(transactions).map(inBlock));
}

/** A message handler that was reverted is described by its call, where later versions give the reason. */
async function trace(newer: unknown, hash: unknown, { ask }: Exchange): Promise<Members> {
  const traced = membersOf(newer);
  const invocation = membersOf(traced['function_invocation']);
  if (traced['type'] !== 'L1_HANDLER' || !('revert_reason' in invocation)) return traced;
  const question = { transaction_hash: hash };
  const handler = membersOf(await ask('starknet_getTransactionByHash', question));
  const { contract_address, entry_point_selector, calldata } = handler;
  const { block_hash } = membersOf(await ask('starknet_getTransactionReceipt', question));
  const block_id = block_hash === undefined ? 'pre_confirmed' : { block_hash };
  const class_hash = await ask('starknet_getClassHashAt', { block_id, contract_address }).catch(
    (error: unknown) => {
      if (error instanceof RpcError && error.code === ERRORS.CONTRACT_NOT_FOUND.code) return '0x0';
      throw error;
    },
  );
  const { l1_gas, l2_gas } = membersOf(traced['execution_resources']);
  const function_invocation = {
    contract_address,
    entry_point_selector,
    calldata,
    caller_address: '0x0',
    class_hash,
    entry_point_type: 'L1_HANDLER',
    call_type: 'CALL',
    result: [],
    calls: [],
    events: [],
    messages: [],
    execution_resources: { l1_gas, l2_gas },
    is_reverted: true,
  };
  return { ...traced, function_invocation };
}

/** A status is only sent if it is another than the last, because two of the next version are one here. */
function statusNotifications(): SubscriptionDifference {
  let last: string | undefined;
  return {
    result(newer) {
      const now = withMember(newer, 'status', status);
      const text = JSON.stringify(now);
      if (text === last) return undefined;
      last = text;
      return now;
    },
    reorg: () => {
      last = undefined;
    },
  };
}

/** A transaction is sent once: before its block is closed, or with it if it was not known before. */
function pendingTransactions({ transaction_details }: Members): SubscriptionDifference {
  const sentHashes = new Set<unknown>();
  return {
    name: 'subscriptionPendingTransactions',
    result(newer) {
      const { transaction_hash, finality_status } = membersOf(newer);
      if (finality_status === 'PRE_CONFIRMED') sentHashes.add(transaction_hash);
      else if (sentHashes.delete(transaction_hash)) return undefined;
      return transaction_details === true ? without(newer, FINALITY) : transaction_hash;
    },
    reorg: () => sentHashes.clear(),
  };
}

/** Errors of sending that 0.8 has no code for. */
const NEW_REFUSALS: ReadonlySet<number> = new Set([
  ERRORS.REPLACEMENT_TRANSACTION_UNDERPRICED.code,
  ERRORS.FEE_BELOW_MINIMUM.code,
]);

const sending: MethodDifference = {
  error: (error) =>
    NEW_REFUSALS.has(error.code)
      ? new RpcError(ERRORS.UNEXPECTED_ERROR.code, ERRORS.UNEXPECTED_ERROR.message, error.message)
      : error,
};

export const V0_8: Version = {
  name: 'v0_8',
  specVersion: '0.8.1',
  documents: 'v0_8.json',
  params: (params) =>
    withMember(withMember(params, 'block_id', tag), 'filter', (filter) =>
      withMember(withMember(filter, 'from_block', tag), 'to_block', tag),
    ),
  methods: {
    starknet_getBlockWithTxHashes: { result: block },
    starknet_getBlockWithTxs: { result: block },
    starknet_getBlockWithReceipts: { result: blockWithReceipts },
    starknet_getTransactionReceipt: { result: receipt },
    starknet_getTransactionStatus: { result: status },
    starknet_getMessagesStatus: {
      result: (messages) => listOf(messages).map((message) => status(without(message, EXECUTION))),
    },
    starknet_traceTransaction: {
      result: (newer, exchange) => trace(newer, exchange.params['transaction_hash'], exchange),
    },
    starknet_traceBlockTransactions: {
      result: (traces, exchange) =>
        Promise.all(
          listOf(traces).map(async (item) => {
            const { transaction_hash, trace_root } = membersOf(item);
            const older = await trace(trace_root, transaction_hash, exchange);
            return { transaction_hash, trace_root: older };
          }),
        ),
    },
    starknet_addInvokeTransaction: sending,
    starknet_addDeclareTransaction: sending,
    starknet_addDeployAccountTransaction: sending,
    starknet_subscribeEvents: { notification: (event) => without(event, FINALITY) },
    starknet_subscribeTransactionStatus: { subscription: statusNotifications },
    starknet_subscribeNewTransactions: null,
    starknet_subscribeNewTransactionReceipts: null,
    starknet_subscribePendingTransactions: {
      method: 'starknet_subscribeNewTransactions',
      params: ({ sender_address }) => ({
        finality_status: ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'],
        ...(sender_address === undefined ? {} : { sender_address }),
      }),
      subscription: pendingTransactions,
    },
    starknet_unsubscribe: {
      // In this version ids are given as strings, and taken as numbers too.
      params: ({ subscription_id }) => ({ subscription_id: String(subscription_id) }),
    },
  },
};
