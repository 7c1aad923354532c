// Methods that control the chain: blocks, time, prices, accounts, impersonation, state, snapshots.
import { toFelt } from '@starkbox/abi/basics';
import {
  type CONFIG,
  type GAS_PRICES,
  type Methods,
  type PREDEPLOYED_ACCOUNT,
  SPEC_VERSION,
} from '@starkbox/spec';
import {
  EXPECTED_BLOCK_GENERATION,
  EXPECTED_L1_ACCEPTANCE,
  effectiveBlockGeneration,
  hasMempool,
  readBlockGeneration,
  readL1Acceptance,
} from '../../block-settings.js';
import {
  blockSettings,
  createBlocks,
  increaseTime,
  setBlockSettings,
  setGasPrice,
  setTime,
} from '../../chain/block-controls.js';
import type { Chain, ChainOptions } from '../../chain/chain.js';
import { deal } from '../../chain/deal.js';
import { declareClass, deployContract } from '../../chain/declare-and-deploy.js';
import { SlotList } from '../../chain/execution/apply-state-diff.js';
import { balanceOf, mint } from '../../chain/mint.js';
import { reorg } from '../../chain/reorg.js';
import { chosenClass, replaceClass } from '../../chain/replace-class.js';
import { PRICE_NAMES } from '../../chain/world/gas-prices.js';
import { invalidParams } from '../../errors.js';
import type { HandlerGroup } from '../protocol/handlers.js';

/** The network and the block that a restart asks for. */
export type ForkRequest = NonNullable<Methods['devnet_restart']['params']['fork']>;

export interface NodeFacts {
  /** As the chain was started, or restarted. */
  readonly config: () => CONFIG;
  /** What a chain on top of another network is made with. */
  readonly refork: (fork: ForkRequest) => Promise<ChainOptions>;
  /** Of the node itself. */
  readonly version: string;
}

/** Goes back in time: the chain alone, or together with an L1. */
export type Timeline = Pick<Chain, 'snapshot' | 'deleteSnapshot' | 'revert' | 'restart'>;

export function devnetMethods(
  chain: Chain,
  { config, version, refork }: NodeFacts,
  timeline: Timeline,
): HandlerGroup {
  return {
    devnet_getConfig: () => config(),

    devnet_getStatus(_params, { prefix }) {
      const { history, pending, impersonation, mempool } = chain.world;
      const { fork } = chain.options;
      const waiting = pending.transactions.size;
      const generation = effectiveBlockGeneration(chain.world, chain.options);
      const showsMempool = hasMempool(generation) || mempool.waiting.size > 0;
      return {
        block_count: history.next - history.first,
        transaction_count: history.transactionCount + waiting,
        pre_confirmed_tx_count: waiting,
        mempool_tx_count: showsMempool ? mempool.waiting.size : undefined,
        chain_id: chain.options.chainId,
        protocol_version: SPEC_VERSION,
        [prefix === 'sandbox' ? 'sandbox_version' : 'devnet_version']: version,
        is_forked: fork !== undefined,
        fork_config: fork && { url: config().fork_config.url ?? '', block: fork.block.number },
        impersonated_accounts: impersonation.accounts.toArray(),
        auto_impersonate: impersonation.auto,
      };
    },

    async devnet_getPredeployedAccounts({ with_balance }, { session: { signal } }) {
      const accounts: PREDEPLOYED_ACCOUNT[] = [];
      // One after the other: thousands of calls at once would not fit into the queue.
      for (const account of chain.options.genesis.accounts) {
        const { address, publicKey, privateKey, classHash } = account;
        accounts.push({
          initial_balance: config().predeployed_accounts_initial_balance,
          address,
          public_key: publicKey,
          private_key: privateKey,
          balance: with_balance
            ? {
                eth: await balance(chain, address, 'WEI', 'pre_confirmed', signal),
                strk: await balance(chain, address, 'FRI', 'pre_confirmed', signal),
              }
            : null,
          ...(classHash !== undefined && { class_hash: classHash }),
        });
      }
      return accounts;
    },

    devnet_getAccountBalance: (
      { address, unit = 'FRI', block_id = 'latest' },
      { session: { signal } },
    ) => balance(chain, address, unit, block_id, signal),

    async devnet_mint({ address, amount, unit = 'FRI' }, { cause }) {
      const whole = BigInt(typeof amount === 'number' ? Math.trunc(amount) : amount);
      const minted = await mint(chain, address, whole, unit, cause);
      return { new_balance: minted.balance.toString(), unit, tx_hash: minted.hash };
    },

    async devnet_deal({ amount, adjust_supply: adjustSupply = false, ...recipient }, { cause }) {
      const whole = BigInt(amount);
      const dealt = await deal(chain, { ...recipient, amount: whole, adjustSupply }, cause);
      return {
        new_balance: whole.toString(),
        variable: dealt.variable ?? null,
        slot: dealt.slot,
        total_supply: dealt.totalSupply?.toString() ?? null,
      };
    },

    async devnet_declare({ contract_class }, { cause }) {
      const { compiled, ...declared } = await declareClass(chain, contract_class, cause);
      return {
        class_hash: compiled.hash,
        compiled_class_hash: declared.compiledClassHash,
        transaction_hash: declared.transactionHash,
      };
    },

    async devnet_deploy({ class_hash: classHash, constructor_calldata, salt }, { cause }) {
      const request = { classHash, calldata: constructor_calldata ?? [], salt };
      const { address, transactionHash } = await deployContract(chain, request, cause);
      return { contract_address: address, transaction_hash: transactionHash };
    },

    async devnet_createBlock({ count, interval }, { cause }) {
      const hashes = await createBlocks(chain, count ?? 1, interval, cause);
      const block_hash = hashes.at(-1) ?? '0x0';
      return count === undefined ? { block_hash } : { block_hash, block_hashes: hashes };
    },

    devnet_abortBlocks: async ({ starting_block_id, return_transactions }, { cause }) => ({
      aborted: await chain.abortBlocks(starting_block_id, cause, return_transactions),
    }),

    devnet_reorg: ({ depth, blocks }, { cause }) => reorg(chain, depth, blocks, cause),

    devnet_acceptOnL1: async ({ starting_block_id }, { cause }) => ({
      accepted: await chain.acceptOnL1(starting_block_id, cause),
    }),

    async devnet_setGasPrice({ generate_block = false, ...changes }, { cause }) {
      return setGasPrice(chain, exactPrices(changes), generate_block, cause);
    },

    async devnet_setBlockSettings(
      { block_generation_on, time_step, sequencer_address, l1_acceptance },
      { cause },
    ) {
      const generation =
        block_generation_on === undefined
          ? undefined
          : (readBlockGeneration(String(block_generation_on)) ??
            invalidParams(`params.block_generation_on: must be ${EXPECTED_BLOCK_GENERATION}`));
      const l1Acceptance =
        l1_acceptance === undefined
          ? undefined
          : (readL1Acceptance(String(l1_acceptance)) ??
            invalidParams(`params.l1_acceptance: must be ${EXPECTED_L1_ACCEPTANCE}`));
      await setBlockSettings(
        chain,
        { generation, timeStep: time_step, sequencer: sequencer_address, l1Acceptance },
        cause,
      );
      return blockSettings(chain);
    },

    devnet_getBlockSettings: () => blockSettings(chain),

    async devnet_setTime({ time, generate_block = true }, { cause }) {
      const hash = await setTime(chain, time, generate_block, cause);
      return { block_timestamp: time, block_hash: hash ?? null };
    },

    devnet_increaseTime: async ({ time }, { cause }) => ({
      timestamp_increased_by: time,
      block_hash: await increaseTime(chain, time, cause),
    }),

    async devnet_restart({ restart_l1_to_l2_messaging = false, fork }) {
      await timeline.restart(
        restart_l1_to_l2_messaging ? () => undefined : undefined,
        fork && (await refork(fork)),
      );
      return {};
    },

    devnet_snapshot: async ({ name }) => toFelt(await timeline.snapshot(name)),

    devnet_deleteSnapshot: ({ snapshot_id }) =>
      timeline.deleteSnapshot(snapshotNumber(snapshot_id)),

    devnet_revert: ({ snapshot_id }) => timeline.revert(snapshotNumber(snapshot_id)),

    async devnet_applyStateDiff(change, { cause, list }) {
      const storage = list instanceof SlotList ? list.storage : undefined;
      const classes = await chain.applyStateDiff(change, cause, storage);
      return {
        classes: classes.map(({ hash, compiledClassHash }) => ({
          class_hash: hash,
          compiled_class_hash: compiledClassHash,
        })),
      };
    },

    async devnet_replaceClass({ contract_address, class_hash, contract_class }, { cause }) {
      const newClass = chosenClass(class_hash, contract_class);
      const replacement = { address: contract_address, newClass };
      const { old, hash } = await replaceClass(chain, replacement, cause);
      return { old_class_hash: old, class_hash: hash };
    },

    async devnet_impersonateAccount({ account_address }, { cause }) {
      await chain.impersonate(
        (now) => ({ ...now, accounts: now.accounts.add(account_address) }),
        cause,
      );
      return {};
    },

    async devnet_stopImpersonateAccount({ account_address }, { cause }) {
      await chain.impersonate(
        (now) => ({ ...now, accounts: now.accounts.delete(account_address) }),
        cause,
      );
      return {};
    },

    async devnet_autoImpersonate(_params, { cause }) {
      await chain.impersonate((now) => ({ ...now, auto: true }), cause);
      return {};
    },

    async devnet_stopAutoImpersonate(_params, { cause }) {
      await chain.impersonate((now) => ({ ...now, auto: false }), cause);
      return {};
    },
  };
}

async function balance(chain: Chain, ...[address, unit, id, signal]: BalanceQuery) {
  const amount = await balanceOf(chain, address, unit, id, signal);
  return { amount: amount.toString(), unit };
}

type BalanceQuery = Parameters<typeof balanceOf> extends [unknown, ...infer Rest] ? Rest : never;

/** Only what is given, as exact integers. */
function exactPrices(changes: Partial<GAS_PRICES>): Partial<Record<keyof GAS_PRICES, bigint>> {
  const exact: Partial<Record<keyof GAS_PRICES, bigint>> = {};
  for (const name of PRICE_NAMES) {
    const price = changes[name];
    if (price !== undefined && price !== null) exact[name] = BigInt(price);
  }
  return exact;
}

function snapshotNumber(id: string): bigint {
  if (!/^0x[0-9a-fA-F]+$/.test(id)) {
    invalidParams('params.snapshot_id: must be hexadecimal digits after 0x');
  }
  const digits = id.slice(2).replace(/^0+(?=.)/, '');
  if (digits.length > 16) invalidParams('params.snapshot_id: must fit 64 bits');
  return BigInt(`0x${digits}`);
}
