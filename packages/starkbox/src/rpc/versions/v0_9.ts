// Version 0.9 of the specification, as its differences from 0.10.
import { listOf, type Members, membersOf } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import { type Version, withMember, without } from './difference.js';

const COMMITMENTS: ReadonlySet<string> = new Set([
  'event_commitment',
  'event_count',
  'receipt_commitment',
  'state_diff_commitment',
  'state_diff_length',
  'transaction_commitment',
  'transaction_count',
]);
const EVENT_PLACE: ReadonlySet<string> = new Set(['event_index', 'transaction_index']);
const MIGRATED: ReadonlySet<string> = new Set(['migrated_compiled_classes']);

const header = (block: unknown): Members => without(block, COMMITMENTS);
const event = (emitted: unknown): Members => without(emitted, EVENT_PLACE);
const withStateDiff = (whole: unknown): Members =>
  withMember(whole, 'state_diff', (diff) => without(diff, MIGRATED));

export const V0_9: Version = {
  name: 'v0_9',
  specVersion: '0.9.0',
  documents: 'v0_9.json',
  methods: {
    starknet_getBlockWithTxHashes: { result: header },
    starknet_getBlockWithTxs: { result: header },
    starknet_getBlockWithReceipts: { result: header },
    starknet_getStateUpdate: { result: withStateDiff },
    starknet_getEvents: {
      result: (page) => withMember(page, 'events', (events) => listOf(events).map(event)),
    },
    starknet_estimateFee: {
      error: (error) =>
        error.code === ERRORS.CONTRACT_NOT_FOUND.code
          ? new RpcError(ERRORS.TRANSACTION_EXECUTION_ERROR.code, error.message, {
              ...membersOf(error.data),
              transaction_index: 0,
              execution_error: error.message,
            })
          : error,
    },
    starknet_estimateMessageFee: {
      error: (error) =>
        error.code === ERRORS.CONTRACT_NOT_FOUND.code
          ? new RpcError(ERRORS.CONTRACT_ERROR.code, error.message, {
              ...membersOf(error.data),
              revert_error: error.message,
            })
          : error,
    },
    starknet_traceTransaction: { result: withStateDiff },
    starknet_traceBlockTransactions: {
      result: (traces) =>
        listOf(traces).map((traced) => withMember(traced, 'trace_root', withStateDiff)),
    },
    starknet_simulateTransactions: {
      result: (simulations) =>
        listOf(simulations).map((simulation) =>
          withMember(simulation, 'transaction_trace', withStateDiff),
        ),
    },
    starknet_proveTransaction: null,
    starknet_subscribeNewHeads: { notification: header },
    starknet_subscribeEvents: { notification: event },
  },
};
