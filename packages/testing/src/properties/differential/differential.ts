// Comparison of two classes, or of two chains: the same histories on both.
import { type Abi, decodeEvent, valueText } from '@starkbox/abi';
import { table } from '@starkbox/abi/basics';
import * as fc from 'fast-check';
import type { CallBranch } from 'starkbox';
import { Histories } from '../histories/histories.js';
import type { Target } from '../histories/vocabulary.js';
import type { DirectResult } from '../model/direct-call.js';
import type { CallStep, History } from '../model/history.js';
import type { InvariantOptions } from '../model/options.js';
import { historyTable } from '../printing/history-report.js';
import {
  type NamedSlotText,
  nameSlots,
  type Slot,
  slotAfter,
  slotId,
  slotValueText,
  withoutUpperHalves,
} from '../printing/storage-text.js';
import { type AddressNames, identifiersOf, valueCode } from '../printing/value-text.js';
import { reasonOf } from '../runner/reasons.js';
import { actorsOf, targetsOf } from '../runner/targets.js';
import {
  type CompareOptions,
  compareResults,
  type DifferenceKind,
  leavesEqualStates,
} from './comparison.js';
import { type DifferentialSide, openSides } from './sides.js';

/** Options of `differential`. */
export interface DifferentialOptions
  extends CompareOptions,
    Pick<InvariantOptions<undefined>, 'contracts' | 'actors' | 'runs' | 'depth' | 'seed'> {
  /** Whether histories let time pass; true by default. A number is the longest jump in seconds. */
  readonly time?: boolean | number;
  /** Whether histories close blocks; true by default. */
  readonly blocks?: boolean;
  /** Differences to find before the search ends; 10 by default. */
  readonly limit?: number;
}

/** A difference with its shortest history. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** The name of the contract. */
  readonly contract: string;
  /** The function whose call differs. */
  readonly function: string;
  /** The shortest history that shows it: its last call differs. */
  readonly history: History;
  /** The steps and both outcomes of the last call. */
  readonly text: string;
}

/** Gas of the calls that succeeded on both sides. */
export interface FunctionGas {
  readonly calls: number;
  /** The sum on the first side. */
  readonly a: number;
  /** The sum on the second side. */
  readonly b: number;
}

/** The result of a comparison. */
export interface DifferentialReport {
  /** One for each kind and function. */
  readonly differences: readonly Difference[];
  readonly runs: number;
  readonly calls: number;
  readonly seed: number;
  /** By contract and function, for example `vault.deposit`. */
  readonly gas: Readonly<Record<string, FunctionGas>>;
  /** All differences, and the gas of each function. */
  readonly text: string;
}

const DEFAULT_RUNS = 256;
const DEFAULT_DEPTH = 32;
const DEFAULT_LIMIT = 10;
const MAX_JUMP = 30 * 24 * 3600;
/** Histories that shrinking tries at most. */
const MAX_ATTEMPTS = 2_000;

/**
 * Runs the same random histories on two classes or chains, and compares results, failures, events and storage after
 * each call. Views are called too.
 *
 * @param a a chain, or a chain with other classes for some contracts
 * @param b contracts have the same addresses as on `a`
 * @returns each difference once, with its shortest history
 * @throws TypeError if the options list something else than contracts
 * @example
 * const newClass = 'target/dev/vault_v2.contract_class.json';
 * const { differences, text } = await differential(
 *   chain,
 *   { chain, classes: { [vault.address]: newClass } },
 *   { contracts: [vault] },
 * );
 */
export async function differential(
  a: DifferentialSide,
  b: DifferentialSide,
  options: DifferentialOptions,
): Promise<DifferentialReport> {
  const sides = await openSides(a, b);
  const targets = await targetsOf(sides.chain, options.contracts);
  const actors = actorsOf(sides.chain, options.actors);
  const { depth = DEFAULT_DEPTH, time = true, blocks = true } = options;
  const histories = new Histories({
    targets: targets.map(withViews),
    actors,
    depth,
    time: time === true ? MAX_JUMP : time,
    blocks,
    startTime: sides.a.time,
  });
  const names = identifiersOf([...targets, ...actors]);
  const comparison = new Comparison({ ...sides, histories, targets, names, options });
  return comparison.run();
}

/** Results of views are compared too. */
function withViews(target: Target): Target {
  if (target.functions) return target;
  const functions = [...target.abi.functions.values()]
    .filter(({ kind }) => kind === 'external' || kind === 'view')
    .map(({ name }) => name);
  return { ...target, functions };
}

interface ComparisonFacts {
  readonly a: CallBranch;
  readonly b: CallBranch;
  readonly histories: Histories;
  readonly targets: readonly Target[];
  readonly names: AddressNames;
  readonly options: DifferentialOptions;
}

/** A call that differs. */
interface DifferentCall {
  readonly kind: DifferenceKind;
  readonly step: CallStep;
  /** Steps up to the call. */
  readonly steps: number;
  readonly outcomes: readonly string[];
  readonly results: readonly [a: DirectResult, b: DirectResult];
  readonly branches: readonly [a: CallBranch, b: CallBranch];
}

const keyOf = ({ kind, step }: Pick<DifferentCall, 'kind' | 'step'>): string =>
  `${kind} ${step.to} ${step.function}`;

/** Steps one after the other. `Drawing` fits. */
interface Steps {
  next(time: number): History[number] | undefined;
  observe?(result: DirectResult): void;
}

class Comparison {
  readonly #facts: ComparisonFacts;
  readonly #differences = new Map<string, Difference>();
  readonly #gas = new Map<string, { calls: number; a: number; b: number }>();
  #calls = 0;

  constructor(facts: ComparisonFacts) {
    this.#facts = facts;
  }

  async run(): Promise<DifferentialReport> {
    const { histories, options } = this.#facts;
    const { seed = 0, runs = DEFAULT_RUNS, limit = DEFAULT_LIMIT } = options;
    let { constants: values } = histories;
    let executed = 0;
    while (executed < runs && this.#differences.size < limit) {
      const drawing = histories.draw(seed, executed, { corpus: [], seen: values });
      executed += 1;
      const isNew = (call: DifferentCall): boolean => !this.#differences.has(keyOf(call));
      const different = await this.#execute(drawing, isNew, true);
      if (different) await this.#add(drawing.history.slice(0, different.steps), different);
      values = histories.merge(values, drawing.seen());
    }
    return this.#report(executed, seed);
  }

  /** Executes steps on both sides up to the first difference that is looked for. */
  async #execute(
    steps: Steps,
    isSought: (call: DifferentCall) => boolean,
    isCounted: boolean,
  ): Promise<DifferentCall | undefined> {
    const { histories, options } = this.#facts;
    const [a, b] = [this.#facts.a.branch(), this.#facts.b.branch()];
    const outcomes: string[] = [];
    for (let count = 1; ; count++) {
      const step = steps.next(a.time);
      if (step === undefined) return undefined;
      if (step.kind !== 'call') {
        await passStep(step, a);
        await passStep(step, b);
        outcomes.push('');
        continue;
      }
      const call = histories.encode(step);
      const branches = [a.branch(), b.branch()] as const;
      const results = [await a.call(call), await b.call(call)] as const;
      steps.observe?.(results[0]);
      if (isCounted) this.#count(step, results);
      const kind = compareResults(...results, options);
      if (kind === undefined) {
        outcomes.push(this.#outcome(step, results[0]));
        continue;
      }
      outcomes.push(`differs: ${kind}`);
      const different = { kind, step, steps: count, outcomes, results, branches };
      if (isSought(different)) return different;
      if (!leavesEqualStates(...results)) return undefined;
    }
  }

  #count(step: CallStep, [a, b]: readonly [DirectResult, DirectResult]): void {
    this.#calls += 1;
    if (a.hasFailed || b.hasFailed) return;
    const label = this.#label(step);
    const sum = this.#gas.get(label) ?? { calls: 0, a: 0, b: 0 };
    sum.calls += 1;
    sum.a += a.gas;
    sum.b += b.gas;
    this.#gas.set(label, sum);
  }

  #label({ to, function: name }: CallStep): string {
    return `${this.#facts.names.get(to) ?? to}.${name}`;
  }

  #outcome(step: CallStep, result: DirectResult): string {
    if (result.failure) return `fails: ${reasonOf(result.failure)}`;
    const { histories, names } = this.#facts;
    const value = histories.decode(step.to, step.function, result.result);
    return value === undefined ? '' : `returns ${valueCode(value, names)}`;
  }

  /** Shrinks the history of a new difference, and describes it. */
  async #add(history: History, original: DifferentCall): Promise<void> {
    const key = keyOf(original);
    let shortest = { history, different: original };
    let attempts = 0;
    const property = fc.asyncProperty(this.#facts.histories.shrinker, async (candidate) => {
      if (attempts >= MAX_ATTEMPTS) return true;
      attempts += 1;
      const different = await this.#replay(candidate, key);
      if (!different) return true;
      shortest = { history: candidate.slice(0, different.steps), different };
      return false;
    });
    await fc.check(property, { examples: [[history]], numRuns: 1, seed: 0 });
    const { step, kind } = shortest.different;
    this.#differences.set(key, {
      kind,
      contract: this.#facts.names.get(step.to) ?? step.to,
      function: step.function,
      history: shortest.history,
      text: await this.#describe(shortest.history, shortest.different),
    });
  }

  #replay(history: History, key: string): Promise<DifferentCall | undefined> {
    let at = 0;
    const steps = { next: () => history[at++] };
    return this.#execute(steps, (call) => keyOf(call) === key, false);
  }

  async #describe(history: History, different: DifferentCall): Promise<string> {
    const { names } = this.#facts;
    const { kind, step } = different;
    const rows = await this.#differenceRows(different);
    const { lines } = table([['', 'a', 'b'], ...rows], { indent: '  ' });
    return [
      `${this.#label(step)}: ${KIND_TEXTS[kind]}`,
      historyTable(history, different.outcomes, names),
      lines.join('\n'),
    ].join('\n\n');
  }

  async #differenceRows(different: DifferentCall): Promise<readonly (readonly string[])[]> {
    const { kind, step, results } = different;
    const [a, b] = results;
    switch (kind) {
      case 'failure':
      case 'result':
        return [
          ['outcome', this.#outcome(step, a) || 'returns', this.#outcome(step, b) || 'returns'],
        ];
      case 'gas':
        return [['gas', String(a.gas), String(b.gas)]];
      case 'events':
        return this.#eventRows(a, b);
      case 'storage':
        return this.#storageRows(different);
    }
  }

  #eventRows(a: DirectResult, b: DirectResult): readonly (readonly string[])[] {
    const [textsOfA, textsOfB] = [this.#eventTexts(a), this.#eventTexts(b)];
    const count = Math.max(textsOfA.length, textsOfB.length);
    const rows = Array.from({ length: count }, (_, at) => [
      `event ${at + 1}`,
      textsOfA[at] ?? 'none',
      textsOfB[at] ?? 'none',
    ]);
    return rows.filter(([, first, second]) => first !== second);
  }

  #eventTexts(result: DirectResult): readonly string[] {
    const { targets, names } = this.#facts;
    const abis = new Map<string, Abi>(targets.map(({ address, abi }) => [address, abi]));
    return result.events().map(({ from_address, keys, data }) => {
      const abi = abis.get(from_address);
      const event = abi && decodeEvent(keys, data, abi);
      const contract = names.get(from_address) ?? from_address;
      if (!event) return `${contract} [${keys.join(', ')}] [${data.join(', ')}]`;
      const felt = (text: string): string => names.get(text) ?? text;
      const members = event.members.map(
        ({ name, value }) =>
          `${name}: ${valueText(value, { felt, address: felt, classHash: felt })}`,
      );
      return `${contract} ${event.name.split('::').at(-1)}(${members.join(', ')})`;
    });
  }

  /** Slots that one side wrote otherwise, by name. */
  async #storageRows({
    step,
    results,
    branches,
  }: DifferentCall): Promise<readonly (readonly string[])[]> {
    const { histories, names } = this.#facts;
    const values = results.map(
      (result) => new Map(result.writes().map((write) => [slotId(write), write.value])),
    );
    const all = new Map(results.flatMap((result) => result.writes().map((w) => [slotId(w), w])));
    const differing = [...all.values()].filter(
      (slot) => values[0]?.get(slotId(slot)) !== values[1]?.get(slotId(slot)),
    );
    const felts = [step.from, ...histories.encode(step).calldata, ...names.keys()];
    const slots = await namedByEither(branches, differing, felts, names);
    const rows: string[][] = [];
    for (const slot of withoutUpperHalves(slots)) {
      const row = [slot.text];
      for (const [side, branch] of branches.entries()) {
        const written = values[side];
        const read = async (of: Slot): Promise<string> =>
          written?.get(slotId(of)) ?? (await branch.storageAt(of.address, of.key));
        const high = slot.name?.part === 'low' ? await read(slotAfter(slot)) : undefined;
        row.push(slotValueText(slot, await read(slot), high, names));
      }
      rows.push(row);
    }
    return rows;
  }

  #report(runs: number, seed: number): DifferentialReport {
    const differences = [...this.#differences.values()];
    const gas = Object.fromEntries([...this.#gas].sort(([a], [b]) => (a < b ? -1 : 1)));
    const facts = { differences, runs, calls: this.#calls, seed, gas };
    return { ...facts, text: reportText(facts) };
  }
}

/** Names slots by the classes of the first side, and others by the classes of the second. */
async function namedByEither(
  branches: readonly CallBranch[],
  slots: readonly Slot[],
  felts: readonly string[],
  names: AddressNames,
): Promise<readonly NamedSlotText[]> {
  let texts: readonly NamedSlotText[] = [];
  for (const branch of branches) {
    const chain = branch.chain();
    try {
      const current = await nameSlots(chain, slots, felts, names);
      texts = current.map((slot, at) => (texts[at]?.name ? texts[at] : slot));
    } finally {
      await chain.close();
    }
  }
  return texts;
}

const KIND_TEXTS: Readonly<Record<DifferenceKind, string>> = {
  failure: 'one side fails, or fails for another reason',
  result: 'returns another value',
  events: 'emits other events',
  storage: 'writes other values',
  gas: 'takes another amount of gas',
};

async function passStep(
  step: Exclude<History[number], CallStep>,
  branch: CallBranch,
): Promise<void> {
  if (step.kind === 'time') branch.increaseTime(step.seconds);
  else if (step.kind === 'block') await branch.mine();
}

function reportText({
  differences,
  runs,
  calls,
  seed,
  gas,
}: Omit<DifferentialReport, 'text'>): string {
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  const rows = Object.entries(gas).map(([name, sum]) => [
    name,
    String(sum.calls),
    String(Math.round(sum.a / sum.calls)),
    String(Math.round(sum.b / sum.calls)),
    sum.a === 0 ? '' : `${(((sum.b - sum.a) / sum.a) * 100).toFixed(1)} %`,
  ]);
  const right = { align: 'right' } as const;
  const { lines } = table([['function', 'calls', 'gas of a', 'gas of b', 'change'], ...rows], {
    indent: '  ',
    columns: [{}, right, right, right, right],
  });
  return [
    `${count} in ${runs} runs with ${calls} calls (seed ${seed})`,
    ...differences.map(({ text }) => text),
    ...(rows.length === 0 ? [] : [lines.join('\n')]),
  ].join('\n\n');
}
