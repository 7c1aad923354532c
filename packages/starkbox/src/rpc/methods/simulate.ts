// Methods that execute transactions without keeping them: estimates, simulations, proofs and replays.
import type { BLOCK_ID, OVERRIDES } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import type { Explainer } from '../../chain/queries/explain.js';
import { replayTransaction } from '../../chain/queries/replay-transaction.js';
import {
  call,
  estimateFee,
  estimateMessageFee,
  proveTransaction,
  type Simulation,
  simulate,
  type Where,
} from '../../chain/queries/simulate.js';
import { invalidParams, refuse } from '../../errors.js';
import { JsonText, stringify } from '../../json/json.js';
import type { HandlerGroup } from '../protocol/handlers.js';

export function simulationMethods(chain: Chain, explainer: Explainer): HandlerGroup {
  const locate = (
    id: BLOCK_ID,
    overrides: OVERRIDES | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Where> | Where =>
    overrides === undefined && !chain.options.fork
      ? id
      : explainer.locateOverridden(id, overrides ?? {}, signal);
  return {
    async devnet_call({ request, block_id, overrides }, { session: { signal } }) {
      const { caller } = overrides ?? {};
      const called = caller === undefined ? request : { ...request, caller };
      return call(chain, called, await locate(block_id, overrides, signal), signal);
    },

    async devnet_callSequence({ calls, block_id, explain = false, overrides = {} }, { session }) {
      // Loaded when first used: a node starts faster without.
      const { callSequence } = await import('../../chain/queries/call-sequence.js');
      const request = {
        calls,
        id: block_id,
        overrides,
        explains: explain,
      };
      return callSequence(chain, explainer, request, session.signal);
    },

    async devnet_estimateFee(params, { session: { signal } }) {
      const { request, simulation_flags, block_id, overrides } = params;
      const skipValidate = simulation_flags.includes('SKIP_VALIDATE');
      const where = await locate(block_id, withoutCaller(overrides), signal);
      return estimateFee(chain, request, { skipValidate }, where, signal);
    },

    async devnet_simulateTransactions(params, { session: { signal } }) {
      const { block_id, transactions, simulation_flags, overrides } = params;
      const where = await locate(block_id, withoutCaller(overrides), signal);
      return toWireSimulation(await simulate(chain, transactions, simulation_flags, where, signal));
    },

    async starknet_estimateFee({ request, simulation_flags, block_id }, { session }) {
      const skipValidate = simulation_flags.includes('SKIP_VALIDATE');
      return estimateFee(chain, request, { skipValidate }, block_id, session.signal);
    },

    starknet_estimateMessageFee: ({ message, block_id }, { session }) =>
      estimateMessageFee(chain, message, block_id, session.signal),

    async starknet_simulateTransactions({ block_id, transactions, simulation_flags }, { session }) {
      const { signal } = session;
      return toWireSimulation(
        await simulate(chain, transactions, simulation_flags, block_id, signal),
      );
    },

    starknet_proveTransaction: ({ block_id, transaction }, { session }) =>
      proveTransaction(chain, transaction, block_id, session.signal),

    async devnet_replayTransaction({ transaction_hash, overrides }, { session }) {
      const { fork } = chain.options;
      if (!fork) return refuse('Only transactions of a forked network can be replayed.');
      const replay = await replayTransaction(
        fork,
        chain,
        transaction_hash,
        overrides,
        session.signal,
      );
      return {
        receipt: new JsonText(stringify(replay.receipt)),
        trace: new JsonText(replay.trace),
        differences: new JsonText(stringify(replay.differences)),
      };
    },
  };
}

/** Rejects a caller for transactions, which are called by their senders. */
function withoutCaller(overrides: OVERRIDES | undefined): OVERRIDES | undefined {
  if (overrides?.caller === undefined) return overrides;
  return invalidParams(
    `params.overrides.caller: expected no caller for transactions, got ${overrides.caller}. Set it for devnet_call, or change the sender of the transaction`,
  );
}

function toWireSimulation({ transactions, initialReads }: Simulation) {
  const simulated_transactions = transactions.map(({ trace, fee }) => ({
    transaction_trace: new JsonText(trace),
    fee_estimation: fee,
  }));
  return initialReads === undefined
    ? simulated_transactions
    : { simulated_transactions, initial_reads: new JsonText(initialReads) };
}
