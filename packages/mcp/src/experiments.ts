// Calls on branches of the chain's state, which the node drops: tried, compared, searched for a broken property.
import { decodeEvent, decodeOutputs } from '@starkbox/abi';
import { toFelt } from '@starkbox/abi/basics';
import { z } from 'zod';
import { type EncodedCall, encode, type NamedCall } from './contracts.js';
import { expressionValue, readExpression, truth, type Variables } from './expressions.js';
import { linesOf, ServerError } from './results.js';
import type { Session } from './session.js';
import { jsonOf, membersJson } from './values.js';

/** A call by any address. */
export interface DirectCall extends NamedCall {
  /** An index in the list of accounts, or an address. */
  readonly caller?: number | string | undefined;
  /** Seconds that pass before it. */
  readonly increase_time?: number | undefined;
}

export type Overrides = Readonly<Record<string, unknown>>;

const FELTS = z.array(z.string());
const WRITE = z.object({ contract_address: z.string(), key: z.string(), value: z.string() });
const OUTCOME = z.object({
  result: FELTS.optional(),
  failure: z
    .object({
      revert_error: z.unknown(),
      explained: z.object({ summary: z.string(), text: z.string() }).optional(),
    })
    .optional(),
  gas: z.number(),
  events: z.array(z.object({ from_address: z.string(), keys: FELTS, data: FELTS })),
  storage_writes: z.array(WRITE),
});
type Outcome = z.infer<typeof OUTCOME>;
export type StorageWrite = z.infer<typeof WRITE>;
const NAMES = z.object({
  slots: z.array(z.object({ contract_address: z.string(), key: z.string(), name: z.string() })),
});

/** Slots and events of an attempt that a result lists. */
const MAX_LISTED = 30;
const MAX_KEYS = 500;

/** A call as the node takes it, with what its outcome is decoded by. */
export interface PreparedCall {
  readonly encoded: EncodedCall;
  readonly request: Readonly<Record<string, unknown>>;
  /** For a reader: `give(0x1, 5) by 0x2`. */
  readonly text: string;
}

export async function prepare(session: Session, call: DirectCall): Promise<PreparedCall> {
  const encoded = await encode(session, call);
  const caller = call.caller === undefined ? undefined : await session.addressOf(call.caller);
  const given = Array.isArray(call.arguments) ? call.arguments : Object.values(call.arguments);
  const by = caller === undefined ? '' : ` by ${caller}`;
  const later = call.increase_time ? ` after ${call.increase_time} s` : '';
  return {
    encoded,
    request: {
      contract_address: toFelt(BigInt(call.contract_address)),
      entry_point_selector: encoded.selector,
      calldata: encoded.calldata,
      ...(caller === undefined ? {} : { caller }),
      ...(call.increase_time === undefined ? {} : { increase_time: call.increase_time }),
    },
    text: `${call.function}(${given.map((value) => JSON.stringify(value)).join(', ')})${by}${later}`,
  };
}

/** Runs calls one after another on a branch. */
export async function runCalls(
  { client }: Session,
  calls: readonly PreparedCall[],
  { overrides = {}, explain = false, views = [] }: RunOptions = {},
): Promise<readonly Outcome[]> {
  return client.read(z.array(OUTCOME), 'devnet_callSequence', {
    calls: [
      ...calls.map(({ request }) => request),
      ...views.map(({ request }) => ({ ...request, is_view: true })),
    ],
    block_id: 'pre_confirmed',
    explain,
    overrides,
  });
}

interface RunOptions {
  readonly overrides?: Overrides | undefined;
  readonly explain?: boolean;
  /** Called after the calls; what they write is dropped. */
  readonly views?: readonly PreparedCall[];
}

/** The decoded result of a call. */
function decodedResult(
  { encoded: { called, abi } }: PreparedCall,
  felts: readonly string[],
): unknown {
  const values = decodeOutputs(called, felts, abi)?.map(jsonOf);
  if (!values) return felts;
  return values.length === 1 ? values[0] : values;
}

export interface Attempt {
  readonly name?: string | undefined;
  readonly calls: readonly DirectCall[];
}

/** Runs each attempt on a branch of the same state, and compares the outcomes. */
export async function tryCalls(
  session: Session,
  attempts: readonly Attempt[],
  overrides: Overrides | undefined,
) {
  const rows: Awaited<ReturnType<typeof rowOf>>[] = [];
  for (const [index, { name, calls }] of attempts.entries()) {
    const prepared = await Promise.all(calls.map((call) => prepare(session, call)));
    const outcomes = await runCalls(session, prepared, { overrides, explain: true });
    rows.push(await rowOf(session, name ?? `attempt ${index + 1}`, prepared, outcomes));
  }
  const columns = ['outcome', 'gas', 'events', 'storage'] as const;
  const differs = columns.filter(
    (column) => new Set(rows.map((row) => JSON.stringify(row[column]))).size > 1,
  );
  return { rows, differs };
}

async function rowOf(
  session: Session,
  attempt: string,
  calls: readonly PreparedCall[],
  outcomes: readonly Outcome[],
) {
  const events = outcomes.flatMap((outcome) => outcome.events);
  return {
    attempt,
    outcome: calls.map((call, at) => {
      const outcome = outcomes[at];
      return { call: call.text, ...(outcome ? ending(call, outcome) : {}) };
    }),
    gas: outcomes.reduce((sum, { gas }) => sum + gas, 0),
    events: await Promise.all(events.slice(0, MAX_LISTED).map((event) => eventOf(session, event))),
    storage: await storageOf(session, outcomes, calls),
    ...(events.length > MAX_LISTED ? { more_events: events.length - MAX_LISTED } : {}),
  };
}

function ending(call: PreparedCall, { result, failure }: Outcome) {
  if (result) return { returns: decodedResult(call, result) };
  return { fails: failure?.explained?.summary ?? JSON.stringify(failure?.revert_error) };
}

async function eventOf(
  { client }: Session,
  { from_address, keys, data }: Outcome['events'][number],
) {
  const decoded = decodeEvent(keys, data, await client.abiAt(from_address));
  return decoded
    ? { from_address, name: decoded.name, members: membersJson(decoded.members) }
    : { from_address, keys, data };
}

/** The last values of the written slots, by their names. */
async function storageOf(
  { client }: Session,
  outcomes: readonly Outcome[],
  calls: readonly PreparedCall[],
): Promise<Readonly<Record<string, string>>> {
  const slots = new Map<string, StorageWrite>();
  for (const write of outcomes.flatMap(({ storage_writes }) => storage_writes)) {
    slots.set(`${write.contract_address} ${write.key}`, write);
  }
  const writes = [...slots.values()].slice(0, MAX_LISTED);
  if (writes.length === 0) return {};
  const contracts = [...new Set(writes.map(({ contract_address }) => contract_address))];
  const felts = calls.flatMap(({ encoded, request }) => [
    ...encoded.calldata,
    ...(typeof request['caller'] === 'string' ? [request['caller']] : []),
  ]);
  const named = await client.read(NAMES, 'devnet_nameStorage', {
    contracts: contracts.map((contract_address) => ({
      contract_address,
      keys: writes
        .filter((write) => write.contract_address === contract_address)
        .map(({ key }) => key),
    })),
    felts: [...new Set(felts)].slice(0, MAX_KEYS),
  });
  const nameOf = new Map(
    named.slots.map((slot) => [`${slot.contract_address} ${slot.key}`, slot.name]),
  );
  const several = contracts.length > 1;
  return Object.fromEntries(
    writes.map(({ contract_address, key, value }) => {
      const name = nameOf.get(`${contract_address} ${key}`) ?? key;
      return [several ? `${contract_address} ${name}` : name, value];
    }),
  );
}

/** Explains the last call of a sequence that fails. */
export async function explainCalls(
  session: Session,
  calls: readonly DirectCall[],
  overrides: Overrides | undefined,
) {
  const prepared = await Promise.all(calls.map((call) => prepare(session, call)));
  const outcomes = await runCalls(session, prepared, { overrides, explain: true });
  const at = outcomes.findLastIndex(({ failure }) => failure !== undefined);
  const failure = outcomes[at]?.failure;
  if (!failure) {
    const last = prepared.at(-1);
    const result = outcomes.at(-1)?.result ?? [];
    return { explanation: 'No call fails.', result: last && decodedResult(last, result) };
  }
  const text = failure.explained?.text ?? JSON.stringify(failure.revert_error);
  return { call: prepared[at]?.text, explanation: linesOf(text) };
}

/** A call whose arguments and callers are drawn from lists. */
export interface Action {
  readonly contract_address: string;
  readonly function: string;
  /** For each parameter, the values to try. */
  readonly arguments: readonly (readonly unknown[])[];
  readonly callers: readonly (number | string)[];
  readonly increase_time?: number | undefined;
}

export interface PropertyCheck {
  readonly actions: readonly Action[];
  readonly views: Readonly<Record<string, NamedCall>>;
  readonly property: string;
  readonly depth: number;
  /** The most sequences. */
  readonly limit: number;
  readonly seed: number;
  readonly overrides?: Overrides | undefined;
}

/** Calls that one sequence may be extended by. */
const MAX_CALLS = 200;
/** Milliseconds after which a search ends. */
const MAX_SEARCH_LENGTH = 60_000;

/** A sequence without a failure at its end, and the values of the views after it. */
interface Sequence {
  readonly calls: readonly PreparedCall[];
  readonly values: Variables;
}

/** Searches sequences of actions, shortest first, for one after which the property does not hold. */
export async function checkProperty(session: Session, check: PropertyCheck) {
  const names = Object.keys(check.views);
  const holds = readExpression(check.property, names);
  const views = await Promise.all(Object.values(check.views).map((view) => prepare(session, view)));
  const choices = await choicesOf(session, check.actions);
  const search = new Search(session, check, views, names);
  const start = await search.run([]);
  if (!truth(holds(start.values))) {
    return {
      holds: false,
      note: 'The property does not hold before any call.',
      values: shown(start.values),
    };
  }
  let frontier: readonly Sequence[] = [{ calls: [], values: start.values }];
  let isComplete = true;
  const random = randomOf(check.seed);
  for (let depth = 1; depth <= check.depth && frontier.length > 0; depth += 1) {
    const candidates = frontier.flatMap((sequence) =>
      choices.map((choice) => ({ sequence, choice })),
    );
    const room = check.limit - search.sequences;
    if (candidates.length > room) {
      isComplete = false;
      shuffle(candidates, random);
    }
    const next: Sequence[] = [];
    for (const { sequence, choice } of candidates.slice(0, Math.max(0, room))) {
      if (search.isLate) break;
      const calls = [...sequence.calls, choice];
      const { values, isNew } = await search.run(calls);
      if (!truth(holds(values))) {
        return {
          holds: false,
          counterexample: calls.map(({ text }) => text),
          values: { before: shown(sequence.values), after: shown(values) },
          ...search.figures,
        };
      }
      if (isNew) next.push({ calls, values });
    }
    if (search.isLate) isComplete = false;
    frontier = next;
  }
  const note = isComplete
    ? `It holds after every sequence of up to ${check.depth} of these calls.`
    : 'It held after all sequences that were tried; others were drawn by the seed, or left out. Raise limit or lower depth to try all.';
  return { holds: true, is_complete: isComplete, note, ...search.figures };
}

/** The actions with each of their arguments and callers. */
async function choicesOf(
  session: Session,
  actions: readonly Action[],
): Promise<readonly PreparedCall[]> {
  const calls = actions.flatMap(({ callers, arguments: lists, ...action }) =>
    callers.flatMap((caller) =>
      product(lists).map((values): DirectCall => ({ ...action, arguments: values, caller })),
    ),
  );
  if (calls.length > MAX_CALLS) {
    throw new ServerError(
      `The actions have ${calls.length} combinations of arguments and callers; the limit is ${MAX_CALLS}. Give fewer values.`,
    );
  }
  return Promise.all(calls.map((call) => prepare(session, call)));
}

function product(lists: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  let all: readonly (readonly unknown[])[] = [[]];
  for (const list of lists) {
    if (all.length * list.length > MAX_CALLS) {
      throw new ServerError(
        `An action has more than ${MAX_CALLS} combinations of arguments. Give fewer values.`,
      );
    }
    all = all.flatMap((before) => list.map((value) => [...before, value]));
  }
  return all;
}

class Search {
  readonly #session: Session;
  readonly #check: PropertyCheck;
  readonly #views: readonly PreparedCall[];
  readonly #names: readonly string[];
  readonly #began = performance.now();
  /** States that sequences led to, by what was written. */
  readonly #states = new Set<string>();
  readonly #failures = new Map<string, number>();
  sequences = 0;

  constructor(
    session: Session,
    check: PropertyCheck,
    views: readonly PreparedCall[],
    names: readonly string[],
  ) {
    this.#session = session;
    this.#check = check;
    this.#views = views;
    this.#names = names;
  }

  get isLate(): boolean {
    return performance.now() - this.#began > MAX_SEARCH_LENGTH;
  }

  get figures() {
    const reasons = [...this.#failures].sort(([, a], [, b]) => b - a).slice(0, 5);
    return {
      sequences: this.sequences,
      states: this.#states.size,
      failures: Object.fromEntries(reasons),
    };
  }

  /** Runs a sequence; its state is new unless its last call failed, or another sequence led there. */
  async run(calls: readonly PreparedCall[]) {
    this.sequences += 1;
    const { overrides } = this.#check;
    const outcomes = await runCalls(this.#session, calls, { overrides, views: this.#views });
    const last = calls.length === 0 ? undefined : outcomes[calls.length - 1];
    if (last?.failure) {
      const reason = JSON.stringify(last.failure.revert_error).slice(0, 200);
      this.#failures.set(reason, (this.#failures.get(reason) ?? 0) + 1);
    }
    const values = Object.fromEntries(
      this.#names.map((name, at) => {
        const view = this.#views[at];
        const outcome = outcomes[calls.length + at];
        if (!view || !outcome?.result) {
          const sequence = calls.map(({ text }) => text).join(', ') || 'no call';
          throw new Error(
            `The view ${name} fails after ${sequence}: ${JSON.stringify(outcome?.failure)}`,
          );
        }
        return [name, expressionValue(decodedResult(view, outcome.result))];
      }),
    );
    const state = stateText(calls, outcomes.slice(0, calls.length));
    const isNew = last?.failure === undefined && !this.#states.has(state);
    this.#states.add(state);
    return { values, isNew };
  }
}

/** What a sequence left: slots and their values, and the time that passed. */
function stateText(calls: readonly PreparedCall[], outcomes: readonly Outcome[]): string {
  const slots = new Map<string, string>();
  for (const { contract_address, key, value } of outcomes.flatMap(
    (outcome) => outcome.storage_writes,
  )) {
    slots.set(`${contract_address} ${key}`, value);
  }
  const seconds = calls.reduce(
    (sum, { request }) => sum + Number(request['increase_time'] ?? 0),
    0,
  );
  return JSON.stringify([seconds, [...slots].sort()]);
}

function shown(values: Variables): Readonly<Record<string, string | boolean>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? String(value) : value,
    ]),
  );
}

/** A generator of numbers below a bound, the same for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = (seed + 0x9e3779b9) >>> 0;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function shuffle<T>(list: T[], random: (below: number) => number): void {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    const [first, second] = [list[at], list[other]];
    if (first !== undefined && second !== undefined) [list[at], list[other]] = [second, first];
  }
}
