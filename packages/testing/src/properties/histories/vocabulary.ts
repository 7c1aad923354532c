// What steps are drawn from: functions, actions, actors and jumps of time, compiled once.
import type { Abi, AbiFunction } from '@starkbox/abi';
import { type FunctionCodec, functionCodec } from '@starkbox/abi/internal';
import * as fc from 'fast-check';
import type {
  ActionStep,
  BlockStep,
  CallStep,
  Step,
  StepValue,
  TimeStep,
} from '../model/history.js';
import { addressShrinker, type ListLimits, shrinkerOf } from '../values/arbitrary.js';
import { anyOf, type Draw, Draws, fittingConstant, type ValuePool } from '../values/drawing.js';
import type { SeenCollector } from '../values/seen.js';
import type { StepResult } from './run.js';

/** An address that calls. */
export interface Actor {
  /** As printed tests call it, for example `alice`. */
  readonly name: string;
  readonly address: string;
}

/** A contract whose functions are called. */
export interface Target {
  /** As printed tests call it, for example `vault`. */
  readonly name: string;
  readonly address: string;
  readonly abi: Abi;
  /** Names of the functions; all external ones by default. */
  readonly functions?: readonly string[];
  /** Names of functions that are not called. */
  readonly exclude?: readonly string[];
  /** Numbers in the code of its class. */
  readonly constants?: readonly bigint[];
}

/** An action of the user. */
export interface ActionTarget {
  readonly name: string;
  /** None by default. */
  readonly arguments?: fc.Arbitrary<readonly StepValue[]>;
  /** How often it is drawn: a function has weight 1, the default. */
  readonly weight?: number;
}

/** What histories consist of. */
export interface HistoriesOptions {
  readonly targets: readonly Target[];
  readonly actors: readonly Actor[];
  readonly actions?: readonly ActionTarget[];
  /** Most steps of a history. */
  readonly depth: number;
  /** The longest jump in seconds, or false. */
  readonly time?: number | false;
  /** Whether steps close blocks. */
  readonly blocks?: boolean;
  /** The time of the chain at the start, in seconds. */
  readonly startTime?: number;
  /** How steps are drawn: `guided` by default. */
  readonly strategy?: 'guided' | 'random';
  /** Class hashes to draw as arguments. */
  readonly classHashes?: readonly string[];
}

/** A function of a target that steps call. */
export interface CalledFunction {
  readonly kind: 'call';
  readonly target: Target;
  readonly codec: FunctionCodec;
  readonly draws: readonly Draw[];
}

export type Choice = CalledFunction | { readonly kind: 'action'; readonly action: ActionTarget };

const A_YEAR = 366 * 24 * 3600;
/** Steps of a corpus and merged jumps may be longer than a drawn jump. */
const MAX_JUMP = 2 ** 40;
const MAX_WEIGHT = 100;
/** Lists that are drawn without a guide. */
const SHORT_LISTS: ListLimits = { maxLength: 5, size: 'max' };
/** Jumps that contracts are written for: a second, a minute, an hour, a day, a week, 30 days. */
const USUAL_JUMPS = [1, 60, 3600, 86_400, 604_800, 2_592_000];
const JUMP_BIAS = [-1, 0, 0, 1];

/** The functions, actions and actors of a campaign. */
export class Vocabulary {
  readonly options: HistoriesOptions;
  /** Functions and actions, each as often as its weight. */
  readonly choices: readonly Choice[];
  readonly actors: readonly string[];
  readonly contracts: readonly string[];
  readonly constants: readonly bigint[];
  /** Longest drawn jump; 0 without jumps. */
  readonly longestJump: number;
  /** By contract and name: a key of both would be a new string for each call. */
  readonly #functions = new Map<string, Map<string, FunctionCodec>>();
  readonly #called = new Map<string, CalledFunction>();
  readonly #targets: ReadonlyMap<string, Abi>;

  constructor(options: HistoriesOptions) {
    this.options = options;
    this.actors = options.actors.map(({ address }) => address);
    this.contracts = options.targets.map(({ address }) => address);
    this.constants = [...new Set(options.targets.flatMap(({ constants = [] }) => constants))];
    this.longestJump = options.time === false ? 0 : (options.time ?? A_YEAR);
    this.#targets = new Map(options.targets.map(({ address, abi }) => [address, abi]));
    const calls = options.targets.flatMap((target) => this.#calls(target));
    const actions = (options.actions ?? []).flatMap((action) => {
      const weight = Math.max(0, Math.min(Math.round(action.weight ?? 1), MAX_WEIGHT));
      return Array.from({ length: weight }, (): Choice => ({ kind: 'action', action }));
    });
    this.choices = [...calls, ...actions];
  }

  #calls(target: Target): CalledFunction[] {
    const draws = new Draws(target.abi);
    return calledFunctions(target).map((of) => {
      const codec = this.functionOf(target.address, of.name);
      const called: CalledFunction = {
        kind: 'call',
        target,
        codec,
        draws: codec.inputs.map(({ type }) => draws.of(type)),
      };
      this.#called.set(`${target.address} ${of.name}`, called);
      return called;
    });
  }

  /**
   * Any function of a target, views included.
   *
   * @throws TypeError if the contract or the function is unknown
   */
  functionOf(contract: string, name: string): FunctionCodec {
    const compiled = this.#functions.get(contract)?.get(name);
    if (compiled) return compiled;
    const abi = this.#targets.get(contract);
    if (!abi)
      throw new TypeError(`${contract} is no contract of this campaign: add it to "contracts"`);
    const entry = [...abi.functions.values()].find((of) => of.name === name);
    if (!entry) {
      const names = [...abi.functions.values()].map((of) => of.name).join(', ');
      throw new TypeError(`The contract has no function ${name}; it has ${names}`);
    }
    const codec = functionCodec(entry, abi);
    const functions = this.#functions.get(contract) ?? new Map();
    this.#functions.set(contract, functions.set(name, codec));
    return codec;
  }

  /** @throws TypeError if there is nothing to call, or no actor */
  assertDrawable(): void {
    if (this.choices.length === 0) {
      throw new TypeError(
        'Expected at least one external function or action to call: add contracts, functions or actions',
      );
    }
    if (this.actors.length === 0)
      throw new TypeError('Expected at least one actor, not an empty list');
  }

  /** The function that a step calls; undefined if steps are not drawn from it. */
  calledBy(step: CallStep): CalledFunction | undefined {
    return this.#called.get(`${step.to} ${step.function}`);
  }

  drawStep(choice: Choice, random: fc.Random, pool: ValuePool): Step {
    if (choice.kind === 'action') {
      const { name, arguments: values } = choice.action;
      return {
        kind: 'action',
        name,
        arguments: values ? values.generate(random, undefined).value : [],
      };
    }
    const { target, codec, draws } = choice;
    return {
      kind: 'call',
      from: pool.caller ?? this.actors[0] ?? '0x0',
      to: target.address,
      function: codec.name,
      arguments: draws.map((draw) => draw(random, pool, 0)),
    };
  }

  /** A jump: to a time that executions have shown, by a constant of a class, or by a usual one. */
  drawJump(random: fc.Random, pool: ValuePool): Step {
    const seconds = this.#jumpToShown(random, pool) ?? this.#usualJump(random, pool);
    const biased = seconds + (anyOf(JUMP_BIAS, random) ?? 0);
    return { kind: 'time', seconds: Math.max(1, Math.min(biased, this.longestJump)) };
  }

  #jumpToShown(random: fc.Random, pool: ValuePool): number | undefined {
    if (random.nextInt(0, 1) === 0) return undefined;
    const value = anyOf(random.nextInt(0, 2) === 0 ? pool.numbers : pool.recent.numbers, random);
    if (value === undefined) return undefined;
    const seconds = Number(value > pool.time ? value - pool.time : value);
    return seconds <= this.longestJump ? seconds : undefined;
  }

  #usualJump(random: fc.Random, pool: ValuePool): number {
    const choice = random.nextInt(0, 3);
    if (choice < 2) {
      const constant = fittingConstant(random, pool, BigInt(this.longestJump));
      if (constant !== undefined) return Number(constant);
    }
    if (choice < 3) return (anyOf(USUAL_JUMPS, random) ?? 1) * random.nextInt(1, 2);
    return random.nextInt(1, Math.min(this.longestJump, 2 ** random.nextInt(1, 30)));
  }

  /** Views with no arguments or one address, called by the first actor. */
  probes(): readonly CallStep[] {
    return this.options.targets.flatMap((target) =>
      [...target.abi.functions.values()]
        .filter(({ kind }) => kind === 'view')
        .flatMap((of) => this.#probesOf(target, of)),
    );
  }

  #probesOf({ address: to }: Target, { name, inputs }: AbiFunction): readonly CallStep[] {
    const from = this.actors[0] ?? '0x0';
    const probe = (values: readonly StepValue[]): CallStep => ({
      kind: 'call',
      from,
      to,
      function: name,
      arguments: values,
    });
    const [input] = inputs;
    if (!input) return [probe([])];
    const isAddress = inputs.length === 1 && input.type.endsWith('::ContractAddress');
    return isAddress ? [...this.actors, ...this.contracts].map((holder) => probe([holder])) : [];
  }

  /**
   * Collects the values of a step: its arguments, result, events and writes.
   *
   * @param readsEvents whether events are read: most of their values are arguments or writes too
   */
  collect(step: Step, result: StepResult, seen: SeenCollector, readsEvents = true): void {
    if (step.kind !== 'call' && step.kind !== 'action') return;
    if (result.hasFailed) return;
    for (const value of step.arguments) seen.addValue(value);
    if (step.kind !== 'call') return;
    seen.addCaller(step.to, step.function, step.from);
    const codec = this.functionOf(step.to, step.function);
    for (let at = 0; at < codec.inputs.length; at++) {
      seen.addTyped(codec.inputs[at]?.type ?? '', step.arguments[at] ?? []);
    }
    collectResult(codec, result.result, seen);
    for (const { keys, data } of readsEvents ? result.events() : []) {
      for (let at = 1; at < keys.length; at++) seen.addFelt(keys[at] ?? '0x0');
      for (const felt of data) seen.addFelt(felt);
    }
    // The newest are drawn most often: the state of the contract comes last.
    for (const { value } of result.writes()) seen.addFelt(value);
  }

  /** Shrinks a step of any kind: callers, arguments, seconds. */
  stepShrinker(): fc.Arbitrary<Step> {
    return fc.oneof<fc.Arbitrary<Step>[]>(
      ...this.#stepsOf(undefined),
      jumpArbitrary(MAX_JUMP),
      blockArbitrary(),
    );
  }

  /** Draws steps with equal chances for all functions, callers and values. */
  uniformSteps(): fc.Arbitrary<Step> {
    return fc.oneof<fc.Arbitrary<Step>[]>(
      ...this.#stepsOf(SHORT_LISTS),
      ...(this.longestJump > 0 ? [jumpArbitrary(this.longestJump)] : []),
      ...(this.options.blocks === true ? [blockArbitrary()] : []),
    );
  }

  /** Steps of each function and action. */
  #stepsOf(lists: ListLimits | undefined): readonly fc.Arbitrary<Step>[] {
    const simplest = [...this.actors, ...this.contracts];
    const from = addressShrinker(this.actors);
    const calls = [...this.#called.values()].map(({ target, codec }) =>
      fc.record<CallStep>(
        {
          kind: fc.constant('call'),
          from,
          to: fc.constant(target.address),
          function: fc.constant(codec.name),
          arguments: fc.tuple(
            ...codec.inputs.map(({ type }) => shrinkerOf(target.abi, type, simplest, lists)),
          ),
        },
        { noNullPrototype: true },
      ),
    );
    const actions = (this.options.actions ?? []).map(({ name, arguments: values }) =>
      fc.record<ActionStep>(
        {
          kind: fc.constant('action'),
          name: fc.constant(name),
          arguments: values ?? emptyArguments(),
        },
        { noNullPrototype: true },
      ),
    );
    return [...calls, ...actions];
  }
}

function jumpArbitrary(longest: number): fc.Arbitrary<TimeStep> {
  const seconds = fc.integer({ min: 1, max: longest });
  return fc.record({ kind: fc.constant('time' as const), seconds }, { noNullPrototype: true });
}

function blockArbitrary(): fc.Arbitrary<BlockStep> {
  return fc.record({ kind: fc.constant('block' as const) }, { noNullPrototype: true });
}

/** Functions that steps call: the external ones, or the listed ones. */
function calledFunctions({ name, abi, functions, exclude = [] }: Target): AbiFunction[] {
  const entries = [...abi.functions.values()];
  for (const listed of [...(functions ?? []), ...exclude]) {
    if (!entries.some((of) => of.name === listed)) {
      const names = entries.map((of) => of.name).join(', ');
      throw new TypeError(`The contract ${name} has no function ${listed}; it has ${names}`);
    }
  }
  return entries.filter(
    (of) =>
      !exclude.includes(of.name) &&
      (functions ? functions.includes(of.name) : of.kind === 'external'),
  );
}

/** No arguments; each list is another object, so it is compared by its length. */
function emptyArguments(): fc.Arbitrary<readonly StepValue[]> {
  return fc.tuple<StepValue[]>();
}

function collectResult(codec: FunctionCodec, result: readonly string[], seen: SeenCollector): void {
  if (result.length === 0) return;
  try {
    const value = codec.decode(result);
    if (value === undefined) return;
    seen.addValue(value);
    const [type] = codec.outputs;
    if (type !== undefined) seen.addTyped(type, value);
  } catch {
    // A result that does not fit its type still has felts.
    for (const felt of result) seen.addFelt(felt);
  }
}
