// Changes of the state without a transaction, and their checks.
import {
  type Class,
  type ClassLimits,
  EngineError,
  type State,
  type StateDiff,
  StorageList,
} from '@starkbox/engine';
import type { CLASS_DEFINITION, DECLARED_CLASS_ITEM, Methods } from '@starkbox/spec';
import { fail, failContract, invalidParams, refuse } from '../../errors.js';
import { stringify } from '../../json/json.js';
import { refuseClassSize } from './execution-errors.js';
import { compileOnce } from './prepare-transaction.js';

export type StateChange = Methods['devnet_applyStateDiff']['params'];

/** The slots of a change whose JSON the engine has read; they are not in the change itself. */
export class SlotList {
  readonly storage: StorageList;
  readonly text: string;
  /** Levels of JSON: the list, a contract, its entries, a slot. */
  readonly depth = 4;

  constructor(storage: StorageList) {
    this.storage = storage;
    this.text = storage.text;
  }

  static async read(text: string): Promise<SlotList | undefined> {
    const storage = await StorageList.read(text);
    return storage && new SlotList(storage);
  }
}

/** Reader of the slots in a long request. */
export const SLOT_READER = {
  method: 'devnet_applyStateDiff',
  path: ['state_diff', 'storage_diffs'],
  read: (text: string): Promise<SlotList | undefined> => SlotList.read(text),
} as const;

/** Refuses a change that is inconsistent in itself, without reading the state. */
export function checkShape({ state_diff: diff }: StateChange): void {
  const { storage_diffs = [], nonces = [], deployed_contracts = [], replaced_classes = [] } = diff;
  const { declared_classes = [], deprecated_declared_classes = [] } = diff;
  unique('storage_diffs.address', storage_diffs, ({ address }) => address);
  for (const { storage_entries } of storage_diffs) {
    unique('storage_entries.key', storage_entries, ({ key }) => key);
  }
  unique('nonces.contract_address', nonces, (entry) => entry.contract_address);
  const deployed = unique('deployed_contracts.address', deployed_contracts, (e) => e.address);
  const replaced = unique(
    'replaced_classes.contract_address',
    replaced_classes,
    (entry) => entry.contract_address,
  );
  const declared = unique('declared_classes.class_hash', declared_classes, (e) => e.class_hash);
  const deprecated = unique(
    'deprecated_declared_classes',
    deprecated_declared_classes,
    (hash) => hash,
  );
  if (overlap(deployed, replaced)) {
    invalidParams('deployed_contracts and replaced_classes overlap');
  }
  if (overlap(declared, deprecated)) {
    invalidParams('declared_classes and deprecated_declared_classes overlap');
  }
  const migrated = unique(
    'migrated_compiled_classes.class_hash',
    diff.migrated_compiled_classes ?? [],
    (entry) => entry.class_hash,
  );
  if (overlap(declared, migrated)) {
    invalidParams('declared_classes and migrated_compiled_classes overlap');
  }
}

function unique<T>(
  field: string,
  entries: readonly T[],
  key: (entry: T) => string,
): ReadonlySet<string> {
  const keys = new Set(entries.map(key));
  if (keys.size !== entries.length) invalidParams(`state_diff.${field}: duplicate entry`);
  return keys;
}

function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return [...left].some((key) => right.has(key));
}

/** Compiles the classes of a change and checks them against their given hashes. */
export async function compileGiven(
  definitions: readonly CLASS_DEFINITION[],
  limits: ClassLimits,
): Promise<readonly Class[]> {
  const compiled: Class[] = [];
  for (const [index, definition] of definitions.entries()) {
    const contractClass = await compileClass(definition.contract_class, limits);
    if (compiled.some(({ hash }) => hash === contractClass.hash)) {
      invalidParams(`classes[${index}]: duplicate class definition`);
    }
    if (definition.class_hash !== undefined && definition.class_hash !== contractClass.hash) {
      invalidParams(`classes[${index}].class_hash does not match definition`);
    }
    const { compiled_class_hash } = definition;
    if (
      compiled_class_hash !== undefined &&
      compiled_class_hash !== contractClass.compiledClassHash
    ) {
      invalidParams(`classes[${index}].compiled_class_hash does not match definition`);
    }
    compiled.push(contractClass);
  }
  return compiled;
}

/** Compiles a class as a node or a compiler writes it. */
export async function compileClass(body: object, limits: ClassLimits): Promise<Class> {
  try {
    return await compileOnce(stringify(body), limits);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.kind === 'class_too_large') refuseClassSize(error);
    if (error.kind === 'compilation') refuse(`Sierra compilation error: ${error.message}`);
    if (error.kind === 'class' || error.kind === 'sierra_version' || error.kind === 'input') {
      fail('INVALID_CONTRACT_CLASS', error.message);
    }
    throw error;
  }
}

/** The state after a change; an error applies nothing. */
export async function applyChange(
  state: State,
  { state_diff: diff }: StateChange,
  classes: readonly Class[],
  storage?: StorageList,
): Promise<State> {
  const classOf = async (hash: string): Promise<Class> =>
    classes.find((contractClass) => contractClass.hash === hash) ??
    (await state.class(hash)) ??
    fail('CLASS_HASH_NOT_FOUND');

  for (const { class_hash, compiled_class_hash } of diff.declared_classes ?? []) {
    if ((await classOf(class_hash)).compiledClassHash !== compiled_class_hash) {
      invalidParams('declared_classes.compiled_class_hash does not match a Sierra class');
    }
  }
  for (const hash of diff.deprecated_declared_classes ?? []) {
    if ((await classOf(hash)).kind !== 'cairo0') {
      invalidParams('deprecated_declared_classes must reference Cairo 0 classes');
    }
  }
  const deployed = new Set<string>();
  for (const { address, class_hash } of diff.deployed_contracts ?? []) {
    await classOf(class_hash);
    if (BigInt(address) === 0n || (await state.classHashAt(address)) !== '0x0') {
      invalidParams('deployed_contracts.address must be nonzero and unused');
    }
    deployed.add(address);
  }
  const assertExists = async (address: string): Promise<void> => {
    if (deployed.has(address)) return;
    if ((await state.classHashAt(address)) === '0x0') failContract(address);
  };
  for (const { contract_address, class_hash } of diff.replaced_classes ?? []) {
    await classOf(class_hash);
    await assertExists(contract_address);
  }
  for (const { address } of diff.storage_diffs ?? []) await assertExists(address);
  for (const address of storage?.addresses ?? []) await assertExists(address);
  for (const { contract_address } of diff.nonces ?? []) await assertExists(contract_address);
  const { migrated_compiled_classes, ...rest } = diff;
  const migrated = migrated_compiled_classes ?? [];
  for (const entry of migrated) await checkMigrated(state, entry);
  return applyDiff(
    state,
    migrated.length === 0 ? rest : { ...rest, migrated_compiled_classes: migrated },
    classes,
    storage,
  );
}

/** The protocol migrates declared Sierra classes from Poseidon to Blake, whose hash is the engine's. */
async function checkMigrated(
  state: State,
  { class_hash, compiled_class_hash }: DECLARED_CLASS_ITEM,
): Promise<void> {
  const where = 'state_diff.migrated_compiled_classes';
  const contractClass =
    (await state.class(class_hash)) ??
    invalidParams(`${where}: class ${class_hash} is not declared`);
  const { compiledClassHash } = contractClass;
  if (compiledClassHash === undefined) {
    invalidParams(`${where}: class ${class_hash} is a Cairo 0 class, which has no compiled hash`);
  }
  if (compiledClassHash !== compiled_class_hash) {
    invalidParams(
      `${where}: expected compiled_class_hash ${compiledClassHash} for class ${class_hash}, ` +
        `got ${compiled_class_hash}`,
    );
  }
}

/**
 * The state after a difference and the classes it needs. Replaced values are read first, and
 * classes that exist are not declared again, so that the block's difference is the same whether
 * the values before it are in memory or at the origin.
 */
export async function applyDiff(
  state: State,
  diff: Partial<StateDiff>,
  classes: readonly Class[],
  storage?: StorageList,
): Promise<State> {
  const fresh: Class[] = [];
  for (const contractClass of classes)
    if (!(await state.class(contractClass.hash))) fresh.push(contractClass);
  const isFresh = (hash: string): boolean =>
    fresh.some((contractClass) => contractClass.hash === hash);
  await state.prefetch(diff, storage);
  const { declared_classes = [], deprecated_declared_classes = [] } = diff;
  return state.apply(
    {
      ...diff,
      declared_classes: declared_classes.filter(({ class_hash }) => isFresh(class_hash)),
      deprecated_declared_classes: deprecated_declared_classes.filter(isFresh),
    },
    fresh,
    storage,
  );
}

/** The hashes of the classes that a difference declares. */
export function declaredIn(
  diff: Pick<StateDiff, 'declared_classes' | 'deprecated_declared_classes'>,
): readonly string[] {
  const sierra = diff.declared_classes.map(({ class_hash }) => class_hash);
  return [...sierra, ...diff.deprecated_declared_classes];
}
