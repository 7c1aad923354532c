// Calls on branches of the chain's state, which the node drops: tried and compared.
import { decodeEvent, decodeOutputs } from '@starkbox/abi';
import { toFelt } from '@starkbox/abi/basics';
import { z } from 'zod';
import { type EncodedCall, encode, type NamedCall } from './contracts.js';
import { linesOf } from './results.js';
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
  overrides: Overrides = {},
  explain = false,
): Promise<readonly Outcome[]> {
  return client.read(z.array(OUTCOME), 'devnet_callSequence', {
    calls: calls.map(({ request }) => request),
    block_id: 'pre_confirmed',
    explain,
    overrides,
  });
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
    const outcomes = await runCalls(session, prepared, overrides, true);
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
  const outcomes = await runCalls(session, prepared, overrides, true);
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
