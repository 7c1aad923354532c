// Rehearsal of an upgrade: transactions of an origin, each run with the old and with the new class of a contract.
import { type Members, membersOf } from '@starkbox/abi/basics';
import type { Class, State } from '@starkbox/engine';
import { Executions } from '../chain/execution/executions.js';
import {
  afterOriginTransaction,
  type OriginBlock,
  originBlock,
  originContext,
  originHeader,
  originTransaction,
} from '../chain/queries/replay-transaction.js';
import type { DebugInfos } from '../debug-info/debug-infos.js';
import type { Fork } from '../fork/fork.js';
import { parse } from '../json/json.js';
import { originStateDiff } from '../json/state-diff.js';
import { nearestVersion } from '../starknet-versions.js';
import { CarriedSlots } from './carried.js';
import { compareRuns } from './compare.js';
import { type BlockSelection, findTouched, reading, type Search } from './find.js';
import { compareLayouts } from './layout.js';
import {
  countKinds,
  type DifferentTransaction,
  type LayoutComparison,
  type Rehearsal,
  type SkippedTransaction,
} from './report.js';
import { type Run, runOf, writesOf } from './run.js';
import { Describer } from './words.js';

/** Blocks that are read before their turn. Without carried slots, their transactions run then too. */
const AHEAD = 6;

export interface RehearsalOptions {
  readonly fork: Fork;
  /** As text, such as `SN_MAIN`. */
  readonly chainId: string;
  readonly contract: string;
  readonly newClass: Class;
  readonly wanted: BlockSelection;
  /** Whether the writes of the new class are carried to later transactions. */
  readonly carry: boolean;
  /** Percent by which gas may grow. */
  readonly tolerance: number;
  /** Debug information of the old and the new class. */
  readonly infos: DebugInfos;
  readonly onProgress?: ((text: string) => void) | undefined;
}

export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const { fork, contract, newClass, wanted, carry, chainId, onProgress } = options;
  const oldClass = await classAtForkPoint(fork, contract);
  const search = await findTouched(fork, contract, wanted, (block, count) =>
    onProgress?.(`searching block ${block}: ${count} transactions`),
  );
  const layout = await layoutOf(options, oldClass);
  const runs = new Runs(options);
  const total = search.blocks.reduce((sum, { hashes }) => sum + hashes.size, 0);
  for await (const block of blocksOf(options, search, runs)) {
    await runs.addBlock(block);
    onProgress?.(`ran ${runs.count} of ${total} transactions`);
  }
  const oldClasses = [...runs.oldClasses];
  return {
    contract,
    chain_id: chainId,
    from_block: search.from,
    to_block: search.to,
    blocks: search.to - search.from + 1,
    old_classes: oldClasses.length === 0 ? [oldClass] : oldClasses,
    new_class: newClass.hash,
    mode: carry ? 'carried' : 'independent',
    transactions: runs.count,
    counts: countKinds(runs.different),
    layout,
    different: runs.different,
    skipped: runs.skipped,
    not_reproduced: runs.notReproduced,
    notes: [...notesOf(options, search, layout, oldClasses), ...runs.notes],
  };
}

async function classAtForkPoint(fork: Fork, contract: string): Promise<string> {
  const hash = await reading(`the class of ${contract}`, () =>
    fork.read({ kind: 'class_hash', address: contract }),
  );
  if (hash !== null && BigInt(hash) !== 0n) return hash;
  throw new Error(
    `the network has no contract at ${contract} in block ${fork.block.number}: check --contract and --fork-network`,
  );
}

async function layoutOf(
  { fork, newClass, infos }: RehearsalOptions,
  oldClass: string,
): Promise<LayoutComparison> {
  const text = await reading(`class ${oldClass}`, () =>
    fork.read({ kind: 'class', class_hash: oldClass }),
  );
  const sourceOf = (hash: string, definition: unknown) => ({
    definition,
    info: infos.get(hash),
    texts: infos.texts(hash),
  });
  return compareLayouts(
    sourceOf(oldClass, text === null ? {} : parse(text)),
    sourceOf(newClass.hash, parse(await newClass.json())),
  );
}

function notesOf(
  { fork, wanted }: RehearsalOptions,
  { from, to, isIncomplete }: Search,
  { unknown }: LayoutComparison,
  oldClasses: readonly string[],
): readonly string[] {
  const { version, relation } = nearestVersion(fork.block.starknetVersion);
  return [
    ...(isIncomplete && 'last' in wanted
      ? [`The search ended at block ${from}: search earlier blocks with --from and --to ${to}.`]
      : []),
    ...(oldClasses.length > 1
      ? [
          `The contract had ${oldClasses.length} classes in these blocks: each transaction ran with its class of that time as the old one.`,
        ]
      : []),
    ...(unknown.length > 0
      ? [
          `Types of these variables are not compared, because a class has no sources: ${unknown.join(', ')}. Pass the artifact of the old class with --old-class.`,
        ]
      : []),
    ...(relation === 'newer'
      ? [
          `The network has Starknet ${fork.block.starknetVersion}: gas is metered by the constants of ${version}.`,
        ]
      : []),
  ];
}

/** A block with the transactions that are run for certain. */
interface TouchedOriginBlock extends OriginBlock {
  readonly hashes: ReadonlySet<string>;
}

interface PreparedBlock extends TouchedOriginBlock {
  /** Of its touched transactions; undefined if these depend on earlier blocks. */
  readonly outcomes: readonly Outcome[] | undefined;
}

/** Blocks in order, read ahead. With carried slots, all blocks from the first one on. */
async function* blocksOf(
  { fork, carry }: RehearsalOptions,
  { blocks, to }: Search,
  runs: Runs,
): AsyncGenerator<PreparedBlock, void, undefined> {
  const touched = new Map(blocks.map(({ number, hashes }) => [number, hashes]));
  const first = blocks[0]?.number;
  if (first === undefined) return;
  const numbers = carry
    ? Array.from({ length: to - first + 1 }, (_, index) => first + index)
    : [...touched.keys()];
  const open = async (number: number): Promise<PreparedBlock> => {
    const block = await reading(`block ${number}`, () => originBlock(fork, number));
    const hashes = touched.get(number) ?? new Set();
    for (const { hash, trace } of block.traces) if (hashes.has(hash)) block.prefetch(trace);
    const prepared = { ...block, hashes };
    return { ...prepared, outcomes: carry ? undefined : await runs.execute(prepared) };
  };
  const opening: Promise<PreparedBlock>[] = [];
  for (const [index, number] of numbers.entries()) {
    while (opening.length < AHEAD && index + opening.length < numbers.length) {
      const next = open(numbers[index + opening.length] ?? number);
      // It is awaited in its turn.
      next.catch(() => {});
      opening.push(next);
    }
    const block = await opening.shift();
    if (block) yield block;
  }
}

/** The state before a transaction, and the transaction. */
interface TransactionSite {
  readonly block: TouchedOriginBlock;
  readonly state: State;
  readonly index: number;
  readonly hash: string;
  readonly trace: Members;
}

/** The runs of a transaction, or the reason why it did not run. */
type Outcome =
  | { readonly place: TransactionSite; readonly skipped: string }
  | {
      readonly place: TransactionSite;
      readonly skipped?: never;
      /** As the network returns the transaction. */
      readonly values: Members;
      readonly oldClass: string;
      /** The state before it, with the new class. */
      readonly replaced: State;
      readonly old: Run;
      readonly now: Run;
    };

class Runs {
  count = 0;
  readonly oldClasses = new Set<string>();
  readonly different: DifferentTransaction[] = [];
  readonly skipped: SkippedTransaction[] = [];
  readonly notReproduced: SkippedTransaction[] = [];
  readonly notes: string[] = [];
  readonly #options: RehearsalOptions;
  readonly #carried: CarriedSlots | undefined;
  readonly #words: Describer;
  readonly #classes = new CompiledClasses();
  readonly #executions = new Executions({});

  constructor(options: RehearsalOptions) {
    this.#options = options;
    this.#carried = options.carry ? new CarriedSlots() : undefined;
    this.#words = new Describer(options.contract, options.infos);
  }

  /** Runs the touched transactions of a block. */
  async execute(block: TouchedOriginBlock): Promise<readonly Outcome[]> {
    const { fork } = this.#options;
    const outcomes: Outcome[] = [];
    let state = await this.#classes.declaredIn(block);
    const last = block.traces.findLastIndex(({ hash }) => block.hashes.has(hash));
    for (const [index, { hash, trace }] of block.traces.slice(0, last + 1).entries()) {
      if (block.hashes.has(hash)) {
        outcomes.push(await this.#run({ block, state, index, hash, trace }));
      }
      if (index < last) state = await afterOriginTransaction(fork, state, trace);
    }
    return outcomes;
  }

  /** Adds a block to the report. Blocks come in order. */
  async addBlock(block: PreparedBlock): Promise<void> {
    if (block.outcomes) for (const outcome of block.outcomes) await this.#add(outcome);
    else await this.#addCarried(block);
  }

  async #addCarried(block: TouchedOriginBlock): Promise<void> {
    const { fork } = this.#options;
    let state = await this.#classes.declaredIn(block);
    for (const [index, { hash, trace }] of block.traces.entries()) {
      if (block.hashes.has(hash) || this.#carried?.affects(hash, trace)) {
        await this.#add(await this.#run({ block, state, index, hash, trace }));
      } else await this.#carried?.pass(trace, state);
      state = await afterOriginTransaction(fork, state, trace);
    }
  }

  async #run(place: TransactionSite): Promise<Outcome> {
    const { contract } = this.#options;
    const { block, state, hash } = place;
    const oldClass = await state.classHashAt(contract);
    if (oldClass === '0x0') return { place, skipped: 'it deploys the contract' };
    const replaced = await this.#withNewClass(state);
    const values = await this.#transaction(hash);
    const context = originContext(this.#options, originHeader(block.header));
    const transaction = await originTransaction(this.#options.fork, values, this.#options.chainId);
    const run = async (before: State): Promise<Run> => {
      const [execution] = await this.#executions.simulate(
        before,
        context,
        [transaction],
        {},
        {
          report: 'execution',
        },
      );
      if (!execution) throw new Error('an execution returned no report');
      return runOf(execution);
    };
    const [old, now] = await reading(`the state of block ${block.number} for ${hash}`, () =>
      Promise.all([run(state), run(replaced)]),
    );
    await this.#classes.add(old.classes, place);
    return { place, values, oldClass, replaced, old, now };
  }

  async #add(outcome: Outcome): Promise<void> {
    const { place } = outcome;
    const { newClass } = this.#options;
    if (outcome.skipped !== undefined) {
      this.#skip(place, outcome.skipped);
      return;
    }
    const { old, now, values, replaced, oldClass } = outcome;
    this.count += 1;
    this.oldClasses.add(oldClass);
    this.#checkReproduced(place, old);
    this.#words.at(replaced, oldClass, newClass.hash);
    const changes = await compareRuns(old, now, {
      words: this.#words,
      tolerance: this.#options.tolerance,
      newClass: newClass.hash,
    });
    if (changes.length > 0) {
      this.different.push({
        transaction_hash: place.hash,
        block_number: place.block.number,
        index: place.index,
        sender: String(values['sender_address'] ?? values['contract_address'] ?? ''),
        function: await this.#functionOf(old, now),
        changes,
      });
    }
    await this.#carry(place, old, now);
  }

  async #withNewClass(state: State): Promise<State> {
    const { contract, newClass } = this.#options;
    const { hash: class_hash, compiledClassHash = '0x0' } = newClass;
    const replaced = await state.apply(
      {
        declared_classes: [{ class_hash, compiled_class_hash: compiledClassHash }],
        replaced_classes: [{ contract_address: contract, class_hash }],
      },
      [newClass],
    );
    return this.#carried ? this.#carried.on(replaced) : replaced;
  }

  async #transaction(hash: string): Promise<Members> {
    const { fork } = this.#options;
    const params = { transaction_hash: hash };
    const { text } = await reading(`transaction ${hash}`, () =>
      fork.answer('starknet_getTransactionByHash', params, undefined),
    );
    return membersOf(parse(text));
  }

  /** The function of the contract that a run calls first. */
  async #functionOf(old: Run, now: Run): Promise<string> {
    const { contract } = this.#options;
    const call = [...old.calls, ...now.calls].find((candidate) => candidate.contract === contract);
    return call ? this.#words.functionOf(call) : this.#words.failedFunction(old, now);
  }

  /** Notes a run with the old class that ends otherwise than on the network. */
  #checkReproduced(place: TransactionSite, old: Run): void {
    const expected = originStateDiff(place.trace['state_diff']);
    const { l2_gas: gas } = membersOf(place.trace['execution_resources']);
    const isOther = stateText(expected) !== stateText(old.diff);
    if (!isOther && (gas === undefined || gas === old.gas?.l2_gas)) return;
    this.notReproduced.push({
      transaction_hash: place.hash,
      block_number: place.block.number,
      reason: isOther
        ? old.status === 'REJECTED'
          ? `here it is rejected: ${old.reason}`
          : 'here its state changes differ'
        : `here it uses ${old.gas?.l2_gas} L2 gas, on the network ${String(gas)}`,
    });
  }

  async #carry({ hash, state, trace }: TransactionSite, old: Run, now: Run): Promise<void> {
    if (!this.#carried) return;
    const expected = originStateDiff(trace['state_diff']);
    await this.#carried.add({ ...old, writes: writesOf(expected) }, now, state);
    const isSame =
      JSON.stringify(expected.deployed_contracts) === JSON.stringify(now.diff.deployed_contracts);
    if (!isSame) {
      this.notes.push(
        `Transaction ${hash} deploys other contracts with the new class: later transactions ran with the contracts of the network.`,
      );
    }
    if (now.status === 'REJECTED' && old.status !== 'REJECTED') {
      this.notes.push(
        `Transaction ${hash} is rejected with the new class: later transactions of its sender ran as if it had only used its nonce.`,
      );
    }
  }

  #skip({ hash, block }: TransactionSite, reason: string): void {
    this.skipped.push({ transaction_hash: hash, block_number: block.number, reason });
  }
}

/** Classes that are kept. */
const MAX_CLASSES = 200;

/** Classes of earlier transactions: each block has a source of its own, which would compile them again. */
class CompiledClasses {
  readonly #classes = new Map<string, { readonly compiled: Class; block: number }>();

  /** Adds classes that exist in the block of a transaction. */
  async add(hashes: Iterable<string>, { state, block }: TransactionSite): Promise<void> {
    for (const hash of hashes) {
      const known = this.#classes.get(hash);
      if (known) known.block = Math.min(known.block, block.number);
      if (known || this.#classes.size >= MAX_CLASSES) continue;
      const compiled = await state.class(hash);
      if (compiled) this.#classes.set(hash, { compiled, block: block.number });
    }
  }

  /** The state of a block with the classes that exist before it. */
  declaredIn({ state, number }: OriginBlock): Promise<State> {
    const classes = [...this.#classes.values()].flatMap(({ compiled, block }) =>
      block < number ? [compiled] : [],
    );
    return state.apply(
      {
        declared_classes: classes.flatMap(({ hash: class_hash, compiledClassHash }) =>
          compiledClassHash === undefined
            ? []
            : [{ class_hash, compiled_class_hash: compiledClassHash }],
        ),
        deprecated_declared_classes: classes.flatMap(({ hash, compiledClassHash }) =>
          compiledClassHash === undefined ? [hash] : [],
        ),
      },
      classes,
    );
  }
}

/** Slots and contracts of a difference, in one order. */
function stateText(diff: ReturnType<typeof originStateDiff>): string {
  const slots = diff.storage_diffs.flatMap(({ address, storage_entries }) =>
    storage_entries.map(({ key, value }) => `${address} ${key} ${value}`),
  );
  const contracts = [...diff.deployed_contracts, ...diff.replaced_classes].map((entry) =>
    JSON.stringify(entry),
  );
  return [...slots, ...contracts].sort().join('\n');
}
