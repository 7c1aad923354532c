// Methods that execute transactions without keeping them: estimates, simulations, proofs and replays.
import type { Chain } from '../../chain/chain.js';
import { replayTransaction } from '../../chain/queries/replay-transaction.js';
import {
  estimateFee,
  estimateMessageFee,
  proveTransaction,
  simulate,
} from '../../chain/queries/simulate.js';
import { refuse } from '../../errors.js';
import { JsonText, stringify } from '../../json/json.js';
import type { Group } from '../protocol/handlers.js';

type SimulationMethods =
  | 'starknet_estimateFee'
  | 'starknet_estimateMessageFee'
  | 'starknet_simulateTransactions'
  | 'starknet_proveTransaction'
  | 'devnet_replayTransaction';

export function simulationMethods(chain: Chain): Group<SimulationMethods> {
  return {
    async starknet_estimateFee({ request, simulation_flags, block_id }, { session }) {
      const skipValidate = simulation_flags.includes('SKIP_VALIDATE');
      return estimateFee(chain, request, { skipValidate }, block_id, session.signal);
    },

    starknet_estimateMessageFee: ({ message, block_id }, { session }) =>
      estimateMessageFee(chain, message, block_id, session.signal),

    async starknet_simulateTransactions({ block_id, transactions, simulation_flags }, { session }) {
      const { signal } = session;
      const simulation = await simulate(chain, transactions, simulation_flags, block_id, signal);
      const simulated_transactions = simulation.transactions.map(({ trace, fee }) => ({
        transaction_trace: new JsonText(trace),
        fee_estimation: fee,
      }));
      return simulation.initialReads === undefined
        ? simulated_transactions
        : { simulated_transactions, initial_reads: new JsonText(simulation.initialReads) };
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
