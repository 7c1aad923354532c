// Methods that send transactions, and those of the mempool that they wait in.
import { toFelt } from '@starkbox/abi/basics';
import type { MEMPOOL_DROPPED } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import type { Dropped } from '../../chain/mempool/mempool.js';
import {
  clearMempool,
  preConfirmFromMempool,
  removeFromMempool,
  sealMempool,
  selectFromMempool,
} from '../../chain/mempool-controls.js';
import { listMempool } from '../../chain/queries/list-mempool.js';
import { poolRulesOf } from '../../chain/steps/mempool-steps.js';
import type { HandlerGroup } from '../protocol/handlers.js';

export function writeMethods(chain: Chain): HandlerGroup {
  return {
    async starknet_addInvokeTransaction({ invoke_transaction }, { cause }) {
      const { hash } = await chain.submit(invoke_transaction, cause);
      return { transaction_hash: hash };
    },

    async starknet_addDeclareTransaction({ declare_transaction }, { cause }) {
      const { hash, declared } = await chain.submit(declare_transaction, cause);
      return { transaction_hash: hash, class_hash: declared?.hash ?? '0x0' };
    },

    async starknet_addDeployAccountTransaction({ deploy_account_transaction }, { cause }) {
      const { hash, address } = await chain.submit(deploy_account_transaction, cause);
      return { transaction_hash: hash, contract_address: address };
    },
  };
}

const LIMIT = 50;
/** Dropped transactions that a list has without a page of them. */
const NEWEST_DROPPED = 100;

export function mempoolMethods(chain: Chain): HandlerGroup {
  return {
    async devnet_mempoolList({ cursor, limit = LIMIT, dropped_from: from }) {
      const { world, options } = chain;
      const rules = poolRulesOf(world, options);
      const { rows, next, ...rest } = await listMempool(world, { cursor, limit }, rules);
      const { dropped, droppedCount } = world.mempool;
      const first = from === undefined ? droppedCount - NEWEST_DROPPED : from;
      const start = Math.max(0, first - (droppedCount - dropped.size));
      const page = dropped.slice(start, start + (from === undefined ? NEWEST_DROPPED : limit));
      return {
        ...rest,
        transactions: rows,
        dropped: page.toArray().map(wireDropped),
        ...(from === undefined
          ? {}
          : { next_dropped: droppedCount - dropped.size + start + page.size }),
        next,
      };
    },

    devnet_mempoolSelect: async ({ count }, { cause }) => ({
      candidates: await selectFromMempool(chain, count, cause),
    }),

    async devnet_mempoolPreConfirm({ count }, { cause }) {
      const { included, dropped } = await preConfirmFromMempool(chain, count, cause);
      return { pre_confirmed: included, dropped: dropped.map(wireDropped) };
    },

    async devnet_mempoolSeal() {
      const { block, included, dropped } = await sealMempool(chain);
      return { block_hash: block, pre_confirmed: included, dropped: dropped.map(wireDropped) };
    },

    async devnet_mempoolRemove({ transaction_hash }, { cause }) {
      await removeFromMempool(chain, transaction_hash, cause);
      return {};
    },

    devnet_mempoolClear: async (_params, { cause }) => ({
      removed: await clearMempool(chain, cause),
    }),
  };
}

function wireDropped({ hash, sender, nonce, reason }: Dropped): MEMPOOL_DROPPED {
  return { transaction_hash: hash, sender_address: sender, nonce: toFelt(nonce), reason };
}
