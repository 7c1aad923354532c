// Methods that list and find parts of the chain: blocks, transactions, contracts, classes, slots, messages, snapshots, labels, reports.
import { toFelt } from '@starkbox/abi/basics';
import type { CONTRACT_NAME } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import type { Explainer } from '../../chain/queries/explain.js';
import { BlockLister, listTransactions } from '../../chain/queries/list-blocks.js';
import {
  listClasses,
  listContracts,
  listStorage,
  type PageRequest,
} from '../../chain/queries/list-contracts.js';
import { listMessages } from '../../chain/queries/list-messages.js';
import { search } from '../../chain/queries/search.js';
import type { Reports } from '../../chain/reports/reports.js';
import { listRuleFindings } from '../../chain/reports/rule-findings.js';
import { NetworkRules } from '../../chain/steps/network-rules.js';
import { labelsToJson } from '../../chain/world/labels.js';
import { invalidParams, shortUrl } from '../../errors.js';
import type { HandlerGroup } from '../protocol/handlers.js';
import type { SandboxNotifications } from '../subscriptions/sandbox-notifications.js';
import { blockFinality, finality } from '../wire-format.js';

const LIMIT = 50;

export function exploreMethods(
  chain: Chain,
  explainer: Explainer,
  sandbox: SandboxNotifications,
): HandlerGroup {
  const lister = new BlockLister();
  // Loaded when first used: a node starts faster without.
  let loading: Promise<Reports> | undefined;
  const reports = (): Promise<Reports> => {
    loading ??= import('../../chain/reports/reports.js').then(
      ({ Reports }) => new Reports(chain, () => explainer.names()),
    );
    return loading;
  };
  return {
    devnet_listBlocks({ before, limit = LIMIT }) {
      const { world } = chain;
      const { blocks, next } = lister.list(world, before, limit);
      return {
        blocks: blocks.map((block) => ({
          ...block,
          finality_status: blockFinality(world, block.block_number),
        })),
        next,
      };
    },

    async devnet_listTransactions({ filter = {}, ...request }) {
      const { world } = chain;
      const page = await listTransactions(world, filter, pageRequest(request));
      const transactions = page.rows.map((row) => ({
        ...row,
        finality_status: finality(world, row.block_number),
      }));
      return { transactions, next: page.next };
    },

    async devnet_listContracts(request, { session }) {
      const page = await listContracts(chain.world, pageRequest(request));
      const names = await explainer.names();
      const named = await names.contracts(
        page.rows.map(({ contract_address }) => contract_address),
        session.signal,
      );
      const byAddress = new Map(named.map((row) => [row.contract_address, row]));
      const contracts = page.rows.map((row) => ({
        ...row,
        ...nameOf(byAddress.get(row.contract_address), row.contract_address),
      }));
      return { contracts, next: page.next };
    },

    async devnet_listClasses(request) {
      const page = await listClasses(chain.world, pageRequest(request));
      const names = await explainer.names();
      const named = await names.classes(page.rows.map(({ class_hash }) => class_hash));
      const byHash = new Map(named.map((row) => [row.class_hash, row]));
      const classes = page.rows.map((row) => ({
        ...row,
        ...nameOf(byHash.get(row.class_hash), row.class_hash),
      }));
      return { classes, next: page.next };
    },

    async devnet_getStorage({ contract_address, block_id, variable, keys, ...request }) {
      const list = (range: PageRequest) =>
        listStorage(chain.world, contract_address, {
          ...range,
          isPending: block_id === 'pre_confirmed',
        });
      if (variable === undefined) {
        if (keys !== undefined) invalidParams('params.keys: expected a variable with keys');
        const page = await list(pageRequest(request));
        return { entries: page.rows, next: page.next };
      }
      const slot = await explainer.variableSlot(contract_address, { variable, keys });
      const { rows } = await list({ cursor: toFelt(BigInt(slot) - 1n), limit: 1 });
      return { entries: rows.filter(({ key }) => key === slot) };
    },

    devnet_nameStorage: ({ contracts, transaction_hash, felts }) =>
      explainer.nameStorage(contracts, transaction_hash, felts),

    async devnet_nameContracts({ contract_addresses = [], class_hashes = [] }, { session }) {
      const names = await explainer.names();
      return {
        contracts: await names.contracts(contract_addresses, session.signal),
        classes: await names.classes(class_hashes),
      };
    },

    devnet_getAbis: ({ class_hashes = [], contract_addresses = [] }) =>
      explainer.abis(class_hashes, contract_addresses),

    async devnet_listMessages({ direction, ...request }) {
      const { world } = chain;
      const { outgoing, l1 } = world.messages;
      const page = await listMessages(world, direction, pageRequest(request));
      return {
        messages: page.rows,
        next: page.next,
        waiting: outgoing.size,
        l1: l1 && { url: shortUrl(l1.url), messaging_contract_address: l1.contract },
      };
    },

    async devnet_listRuleFindings({ network, ...request }) {
      const { rules, chargesFee = true } = chain.options;
      const networkRules = new NetworkRules(network ?? rules?.network ?? 'mainnet', chargesFee);
      const page = await listRuleFindings(chain.world, networkRules, pageRequest(request));
      return { network: networkRules.network, findings: page.rows, next: page.next };
    },

    devnet_listSnapshots: () => ({
      snapshots: chain.snapshots.map(([id, { name, block, time, transactions }]) => ({
        snapshot_id: toFelt(id),
        name,
        block_number: block,
        timestamp: time,
        transaction_count: transactions,
      })),
    }),

    devnet_search: async ({ query }) =>
      search(
        { world: chain.world, names: await explainer.names(), abis: explainer.nameSources.abis },
        query,
      ),

    devnet_gasReport: async (request, { session }) =>
      (await reports()).gas(request, session.signal),

    devnet_explainTransaction: ({ transaction_hash }, { session: { signal } }) =>
      explainer.transaction(transaction_hash, { signal }),

    devnet_coverage: async (request, { session }) =>
      (await reports()).coverage(request, session.signal),

    devnet_executedLines: ({ transaction_hash }, { session }) =>
      explainer.executedLines(transaction_hash, session.signal),

    async devnet_addArtifact({ artifact, sources }) {
      const added = await explainer.addArtifact(artifact, sources);
      sandbox.artifactAdded();
      return added;
    },

    async devnet_setLabel({ value, label }, { cause }) {
      await chain.label(value, label ?? undefined, cause);
      return {};
    },

    devnet_getLabels: () => ({
      labels: labelsToJson(chain.world.labels).map(([value, label]) => ({ value, label })),
    }),
  };
}

function nameOf(
  named: Pick<CONTRACT_NAME, 'name' | 'name_source'> | undefined,
  felt: string,
): Pick<CONTRACT_NAME, 'name' | 'name_source'> {
  return { name: named?.name ?? felt, name_source: named?.name_source ?? 'ADDRESS' };
}

function pageRequest({ cursor, limit = LIMIT }: { cursor?: string; limit?: number }): PageRequest {
  return { cursor, limit };
}
