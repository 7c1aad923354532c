// Methods about single transactions: what they are, their status, what they did.

import type { Chain } from '../../chain/chain.js';
import { inMempool } from '../../chain/mempool/mempool.js';
import { initialReadsOf } from '../../chain/queries/initial-reads.js';
import { l1TransactionHash } from '../../chain/steps/l1-handler.js';
import { blockNumber } from '../../chain/world/find-block.js';
import {
  findTransaction,
  type Located,
  transactionAt,
  transactionsOf,
  type World,
} from '../../chain/world/world.js';
import { fail } from '../../errors.js';
import { JsonText } from '../../json/json.js';
import type { HandlerGroup } from '../protocol/handlers.js';
import { poolStatus, wireReceiptWithBlock, wireStatus, wireTransaction } from '../wire-format.js';

export function transactionMethods(chain: Chain): HandlerGroup {
  return {
    starknet_getTransactionByHash({ transaction_hash, response_flags }) {
      const { world } = chain;
      const waiting = inMempool(world.mempool, transaction_hash);
      const transaction = waiting ?? find(world, transaction_hash).record;
      return wireTransaction(transaction, response_flags, { hash: true });
    },

    starknet_getTransactionByBlockIdAndIndex({ block_id, index, response_flags }) {
      const { world } = chain;
      const record = transactionAt(world, blockNumber(world, block_id), index);
      return wireTransaction(record ?? fail('INVALID_TXN_INDEX'), response_flags, { hash: true });
    },

    starknet_getTransactionReceipt({ transaction_hash }) {
      const { world } = chain;
      return wireReceiptWithBlock(world, find(world, transaction_hash));
    },

    starknet_getTransactionStatus({ transaction_hash }) {
      const { world } = chain;
      const waiting = inMempool(world.mempool, transaction_hash);
      if (waiting) return { finality_status: poolStatus(waiting) };
      return wireStatus(world, find(world, transaction_hash));
    },

    starknet_getMessagesStatus({ transaction_hash }) {
      const { world } = chain;
      const { incoming } = world.messages;
      const hashes =
        incoming.get(l1TransactionHash(transaction_hash)) ?? fail('TXN_HASH_NOT_FOUND');
      return hashes.toArray().map((hash) => ({
        transaction_hash: hash,
        ...wireStatus(world, find(world, hash)),
      }));
    },

    starknet_traceTransaction({ transaction_hash }) {
      const { world } = chain;
      if (inMempool(world.mempool, transaction_hash)) {
        fail('NO_TRACE_AVAILABLE', { status: 'RECEIVED' });
      }
      return new JsonText(find(world, transaction_hash).record.trace);
    },

    async starknet_traceBlockTransactions({ block_id, trace_flags }, { session }) {
      const { world } = chain;
      const number = blockNumber(world, block_id);
      const traces = transactionsOf(world, number).map(({ hash, trace }) => ({
        transaction_hash: hash,
        trace_root: new JsonText(trace),
      }));
      if (!trace_flags?.includes('RETURN_INITIAL_READS')) return traces;
      const reads = await initialReadsOf(chain, world, number, block_id, session.signal);
      return { traces, initial_reads: new JsonText(reads) };
    },
  };
}

function find(world: World, hash: string): Located {
  return findTransaction(world, hash) ?? fail('TXN_HASH_NOT_FOUND');
}
