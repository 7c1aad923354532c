// Answers what transactions would do and cost.
import type { Chain } from '../../chain/chain.js';
import {
  estimateFee,
  estimateMessageFee,
  proveTransaction,
  simulate,
} from '../../chain/queries/simulate.js';
import { JsonText } from '../../json/json.js';
import type { Group } from '../protocol/handlers.js';

type SimulationMethods =
  | 'starknet_estimateFee'
  | 'starknet_estimateMessageFee'
  | 'starknet_simulateTransactions'
  | 'starknet_proveTransaction';

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
      const done = await simulate(chain, transactions, simulation_flags, block_id, signal);
      const simulated_transactions = done.transactions.map(({ trace, fee }) => ({
        transaction_trace: new JsonText(trace),
        fee_estimation: fee,
      }));
      return done.initialReads === undefined
        ? simulated_transactions
        : { simulated_transactions, initial_reads: new JsonText(done.initialReads) };
    },

    starknet_proveTransaction: ({ block_id, transaction }, { session }) =>
      proveTransaction(chain, transaction, block_id, session.signal),
  };
}
