// Chains of instances: branched from another one, new with options of their own, or from the data directory.
import { Chain } from '../chain/chain.js';
import { keptBranch } from '../chain/kept-branch.js';
import { UsageError } from '../config/option.js';
import type { Config } from '../config/options.js';
import { ConfigError } from '../config/rules.js';
import { refuse } from '../errors.js';
import type { InstanceRecord } from '../store/instance-records.js';
import type { ChainBase } from './chain-bases.js';
import { ChainService } from './chain-service.js';
import { instanceConfig } from './instance-options.js';

/** A service of a chain that begins as another one is now, kept where that one is kept. */
export async function branchFor(
  record: InstanceRecord,
  parent: ChainService,
): Promise<ChainService> {
  const { shared, base, options, stored: from } = parent;
  if (!from) return parent.branch();
  const { chain, store: stored } = await keptBranch(parent.chain, (now, start) =>
    from.branch(now, start, record),
  );
  return new ChainService(shared, { base, chain, stored, options });
}

/**
 * A service of a new chain on the same fork as another, kept if that one is.
 *
 * @param record has the options of that one, and more
 * @throws UsageError or ConfigError
 */
export async function newFor(record: InstanceRecord, caller: ChainService): Promise<ChainService> {
  const { shared } = caller;
  const { options } = record;
  const base = await baseWith(options.slice(caller.options.length), caller);
  const stored = caller.stored && shared.store?.newInstance(record, keepsHistory(base));
  const executions = caller.chain.executions.ofChain();
  const chain = stored
    ? await Chain.openStored(base.options, stored, undefined, executions)
    : await Chain.create(base.options, executions);
  return new ChainService(shared, { base, chain, stored, options });
}

/**
 * The service of an instance in the data directory.
 *
 * @throws UsageError or ConfigError
 */
export async function openInstance(
  record: InstanceRecord,
  root: ChainService,
): Promise<ChainService> {
  const { shared } = root;
  const { options } = record;
  const base = options.length === 0 ? root.base : await baseWith(options, root);
  const stored = shared.store?.chain(record.number, keepsHistory(base));
  const saved = await stored?.read();
  if (!saved) throw new Error(`the data directory has no chain of instance ${record.id}`);
  const chain = new Chain(base.options, saved, stored, root.chain.executions.ofChain());
  return new ChainService(shared, { base, chain, stored, options });
}

/** The base with options over those of a chain. */
export async function baseWith(
  options: readonly object[],
  { shared, base, chain }: ChainService,
): Promise<ChainBase> {
  const config = options.reduce<Config>(instanceConfig, base.config);
  return shared.bases.create({ config, fork: chain.options.fork });
}

const keepsHistory = ({ config }: ChainBase): boolean => config.stateArchive === 'full';

/** Refuses a call whose options cannot be used. */
export async function withOptionErrors<T>(make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) {
      refuse(`The options of an instance: ${error.message}`);
    }
    throw error;
  }
}
