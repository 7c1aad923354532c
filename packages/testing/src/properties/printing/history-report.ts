// The report of a history: its steps as a table, the last call with its tree, and a test that repeats it.
import { buildTree, readAbi } from '@starkbox/abi';
import { memberOf, table } from '@starkbox/abi/basics';
import { type Invocation, treeLines, View } from '@starkbox/abi/internal';
import type { CallBranch, Chain } from 'starkbox';
import type { EncodedCall, HistorySource } from '../histories/histories.js';
import type { Actor, Target } from '../histories/vocabulary.js';
import type { DirectResult } from '../model/direct-call.js';
import type { ActionStep, CallStep, History } from '../model/history.js';
import { type PrintedRunner, printTest } from './printed-test.js';
import { changedSlotLines, nameSlots } from './storage-text.js';
import { type AddressNames, identifiersOf, stepCells, valueCode } from './value-text.js';

/** Where the printed test belongs. */
export interface TestPlace {
  readonly runner: PrintedRunner;
  /** How it imports the file of invariants; undefined for a chain of the test. */
  readonly file?: string;
}

/** What is reported of a history. */
export interface ReportedHistory {
  readonly history: History;
  /** Where the history starts. It is not changed. */
  readonly start: CallBranch;
  readonly source: Pick<HistorySource, 'encode' | 'decode'>;
  readonly actors: readonly Actor[];
  readonly targets: readonly Pick<Target, 'name' | 'address'>[];
  /** The invariant that it violates; undefined if its last step fails by itself. */
  readonly invariant: string | undefined;
  /** The name of the printed test. */
  readonly title: string;
  readonly place: TestPlace;
  /** Performs an action on a branch, and returns the branch after it. */
  act?(
    step: ActionStep,
    branch: CallBranch,
  ): Promise<{ readonly branch: CallBranch; readonly failure: string | undefined }>;
  /** The reason of a failed call in few words. */
  reasonOf(failure: NonNullable<DirectResult['failure']>): string;
}

interface LastCall {
  readonly call: EncodedCall;
  readonly before: CallBranch;
  readonly after: CallBranch;
  readonly result: DirectResult;
}

interface Replayed {
  /** The outcome of each step. */
  readonly outcomes: readonly string[];
  readonly failures: ReadonlyMap<number, string>;
  /** The last step, if it is a call. */
  readonly lastCall: LastCall | undefined;
}

/** The text of a history: executes it once more. */
export async function reportHistory(facts: ReportedHistory): Promise<string> {
  const names = identifiersOf([...facts.targets, ...facts.actors]);
  const replayed = await replay(facts, names);
  const { failures, lastCall } = replayed;
  const { history, invariant, title } = facts;
  const { file, runner } = facts.place;
  return [
    historyTable(history, replayed.outcomes, names),
    ...(lastCall ? [await lastCallText(lastCall, names)] : []),
    'A test that repeats it:',
    printTest(
      {
        history,
        invariant,
        title,
        file,
        failures,
        names,
        contracts: facts.targets.map(({ address }) => address),
        actors: facts.actors.map(({ address }) => address),
      },
      runner,
    ).trimEnd(),
  ].join('\n\n');
}

async function replay(facts: ReportedHistory, names: AddressNames): Promise<Replayed> {
  const outcomes: string[] = [];
  const failures = new Map<number, string>();
  let branch = facts.start.branch();
  let lastCall: LastCall | undefined;
  for (const [at, step] of facts.history.entries()) {
    lastCall = undefined;
    let outcome = '';
    let failure: string | undefined;
    if (step.kind === 'call') {
      lastCall = await callOf(facts, step, branch);
      const { result } = lastCall;
      if (result.failure) failure = facts.reasonOf(result.failure);
      else outcome = returnedText(facts, step, result, names);
    } else if (step.kind === 'time') branch.increaseTime(step.seconds);
    else if (step.kind === 'block') await branch.mine();
    else if (facts.act) ({ branch, failure } = await facts.act(step, branch));
    if (failure !== undefined) failures.set(at, failure);
    outcomes.push(failure === undefined ? outcome : `fails: ${failure}`);
  }
  return { outcomes, failures, lastCall };
}

async function callOf(
  { source }: ReportedHistory,
  step: CallStep,
  branch: CallBranch,
): Promise<LastCall> {
  const call = source.encode(step);
  const before = branch.branch();
  const result = await branch.call(call);
  return { call, before, after: branch, result };
}

function returnedText(
  { source }: ReportedHistory,
  step: CallStep,
  { result }: DirectResult,
  names: AddressNames,
): string {
  const value = source.decode(step.to, step.function, result);
  return value === undefined ? '' : `returns ${valueCode(value, names)}`;
}

/** The steps with their callers and outcomes. */
export function historyTable(
  history: History,
  outcomes: readonly string[],
  names: AddressNames,
): string {
  if (history.length === 0) return 'It is violated before any step.';
  const rows = history.map((step, at) => [
    String(at + 1),
    ...stepCells(step, names),
    outcomes[at] ?? '',
  ]);
  const { lines } = table([['step', 'caller', 'call', 'outcome'], ...rows], {
    indent: '  ',
    columns: [{ align: 'right' }],
  });
  return lines.join('\n');
}

async function lastCallText(last: LastCall, names: AddressNames): Promise<string> {
  const { call, before, result } = last;
  if (result.failure) {
    const explanation = await before.explain(call);
    return `The last call:\n\n${indent(explanation?.text ?? result.failure.message)}`;
  }
  const chain = last.after.chain();
  try {
    const lines = [
      ...(await treeText(chain, result.traceText(), names)),
      ...(await storageText(chain, last, names)),
    ];
    return `The last call:\n\n${indent(lines.join('\n'))}`;
  } finally {
    await chain.close();
  }
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');

/** The call tree with values and events. */
async function treeText(
  chain: Pick<Chain, 'request'>,
  trace: string | undefined,
  names: AddressNames,
): Promise<readonly string[]> {
  const invocation: unknown = trace === undefined ? undefined : JSON.parse(trace);
  if (!isInvocation(invocation)) return [];
  const { roots } = buildTree(
    { type: 'INVOKE' },
    { type: 'INVOKE', execute_invocation: invocation },
    { execution_status: 'SUCCEEDED' },
  );
  const view = await View.of(roots, {
    names,
    abi: async (class_hash) => {
      const { abi } = await chain.request('starknet_getClass', {
        block_id: 'pre_confirmed',
        class_hash,
      });
      return readAbi(abi);
    },
  });
  return treeLines(roots, view);
}

const isInvocation = (value: unknown): value is Invocation =>
  Array.isArray(memberOf(value, 'calls')) && Array.isArray(memberOf(value, 'events'));

async function storageText(
  chain: Pick<Chain, 'request'>,
  { call, before, after, result }: LastCall,
  names: AddressNames,
): Promise<readonly string[]> {
  const felts = [call.caller, ...call.calldata, ...names.keys()];
  const slots = await nameSlots(chain, result.writes(), felts, names);
  const lines = await changedSlotLines(before, after, slots, names);
  return lines.length === 0 ? [] : ['', 'storage:', ...lines.map((line) => `  ${line}`)];
}
