// Methods about blocks and what they changed.

import type { BLOCK_ID, STATE_DIFF } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import { readStateDiff } from '../../chain/history/stored-texts.js';
import {
  blockNumber,
  latestHeader,
  noBlock,
  pendingNumber,
  stateDiffText,
} from '../../chain/world/find-block.js';
import { transactionHashesOf, transactionsOf } from '../../chain/world/world.js';
import { JsonText } from '../../json/json.js';
import type { HandlerGroup } from '../protocol/handlers.js';
import {
  blockFinality,
  wireHeader,
  wirePendingHeader,
  wireReceipt,
  wireTransaction,
} from '../wire-format.js';

export function blockMethods(chain: Chain): HandlerGroup {
  return {
    starknet_blockNumber: () => latestHeader(chain.world).number,

    starknet_blockHashAndNumber() {
      const { hash, number } = latestHeader(chain.world);
      return { block_hash: hash, block_number: number };
    },

    starknet_getBlockTransactionCount({ block_id }) {
      const { world } = chain;
      const number = blockNumber(world, block_id);
      return world.history.header(number)?.transactionCount ?? world.pending.transactions.size;
    },

    starknet_getBlockWithTxHashes({ block_id }) {
      const { world, number, header } = find(chain, block_id);
      return { ...header, transactions: transactionHashesOf(world, number) };
    },

    starknet_getBlockWithTxs({ block_id, response_flags }) {
      const { world, number, header } = find(chain, block_id);
      const transactions = transactionsOf(world, number).map((record) =>
        wireTransaction(record, response_flags, { hash: true }),
      );
      return { ...header, transactions };
    },

    starknet_getBlockWithReceipts({ block_id, response_flags }) {
      const { world, number, header } = find(chain, block_id);
      const transactions = transactionsOf(world, number).map((record) => ({
        transaction: wireTransaction(record, response_flags, { hash: false }),
        receipt: wireReceipt(world, { record, block: number }),
      }));
      return { ...header, transactions };
    },

    starknet_getStateUpdate({ block_id, contract_addresses }) {
      const { world } = chain;
      const number = blockNumber(world, block_id);
      const text = stateDiffText(world, number);
      const state_diff = contract_addresses
        ? onlyOf(readStateDiff(text), new Set(contract_addresses))
        : new JsonText(text);
      const hash = world.history.hash(number);
      return hash === undefined
        ? { old_root: '0x0', state_diff }
        : { block_hash: hash, old_root: '0x0', new_root: '0x0', state_diff };
    },
  };
}

/** A block without its transactions. */
function find(chain: Chain, id: BLOCK_ID) {
  const { world } = chain;
  const number = blockNumber(world, id);
  if (number === pendingNumber(world)) return { world, number, header: wirePendingHeader(world) };
  const header = world.history.header(number) ?? noBlock(world);
  return {
    world,
    number,
    header: { status: blockFinality(world, number), ...wireHeader(header) },
  };
}

/** Declarations belong to no contract and stay. */
function onlyOf(diff: STATE_DIFF, addresses: ReadonlySet<string>): STATE_DIFF {
  return {
    ...diff,
    storage_diffs: diff.storage_diffs.filter(({ address }) => addresses.has(address)),
    deployed_contracts: diff.deployed_contracts.filter(({ address }) => addresses.has(address)),
    nonces: diff.nonces.filter(({ contract_address }) => addresses.has(contract_address)),
    replaced_classes: diff.replaced_classes.filter((item) => addresses.has(item.contract_address)),
  };
}
