// Journal: the calls that produced a chain, as text.
import { isObject } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import { type GenesisRecord, readGenesisRecord } from '../chain/genesis/genesis-record.js';
import type { World } from '../chain/world/world.js';
import { RpcError, reasonOf } from '../errors.js';
import { parse } from '../json/json.js';
import { type Id, isId, openEnvelope, type Params } from '../rpc/protocol/envelope.js';
import { sliced } from '../scheduling/slices.js';

/** A journal as text: a list of calls. */
export function journalText({ journal }: World): string {
  return `[${journal.join(',')}]`;
}

/** A journal as files hold it: its first entry tells with which accounts the calls were made. */
export function journalFileText({ journal }: World, genesis: GenesisRecord): string {
  return `[${[recordCall(genesis), ...journal].join(',')}]`;
}

// A list of calls has no place for other values. A read is repeated without an effect by other
// programs that load journals, and its id may be any string.
const RECORD_METHOD = 'devnet_getConfig';
const RECORD = 'starkbox genesis ';

function recordCall(genesis: GenesisRecord): string {
  const id = `${RECORD}${JSON.stringify(genesis)}`;
  return JSON.stringify({ jsonrpc: '2.0', method: RECORD_METHOD, params: null, id });
}

/** Whether an entry of a journal is the record of its accounts. */
export function isRecord({ method, id }: JournalCall, index: number): boolean {
  const isString = typeof id === 'string' && id.startsWith(RECORD);
  return index === 0 && method === RECORD_METHOD && isString;
}

/** The record in the first entry of a journal; other programs write none. */
export function genesisIn(calls: readonly JournalCall[]): GenesisRecord | undefined {
  const [first] = calls;
  if (!first || !isRecord(first, 0)) return undefined;
  try {
    return readGenesisRecord(JSON.parse(String(first.id).slice(RECORD.length)), 'genesis');
  } catch (error) {
    return failDump(`Deserialization error: call 0 of the journal: ${reasonOf(error)}`);
  }
}

/** A call as a journal holds it. */
export interface JournalCall {
  readonly jsonrpc: '2.0' | '1.0';
  readonly method: string;
  readonly params?: Params;
  readonly id: Id;
}

/** The calls of a world's journal. */
export async function callsIn({ journal }: World): Promise<readonly JournalCall[]> {
  const calls: JournalCall[] = [];
  for await (const text of sliced(journal)) calls.push(readCall(parseText(text), calls.length));
  return calls;
}

/** The calls in the text of a journal. */
export function parseJournal(text: string): readonly JournalCall[] {
  const calls = parseText(text);
  if (!Array.isArray(calls)) {
    failDump('Deserialization error: a dump is a list of JSON-RPC calls');
  }
  return calls.map((call: unknown, index) => readCall(call, index));
}

function parseText(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // The parser quotes the text, and a caller may name any file.
    return failDump('Deserialization error: the file is neither an image nor complete JSON');
  }
}

function readCall(call: unknown, index: number): JournalCall {
  const wrong = (reason: string): never =>
    failDump(
      `Deserialization error: call ${index} of the journal is not a JSON-RPC call: ${reason}`,
    );
  if (!isObject(call)) return wrong('it must be an object');
  const { jsonrpc, id = 0 } = call;
  const envelope = openEnvelope(call);
  if (typeof envelope === 'string') return wrong(envelope);
  if (!isId(id)) return wrong('id must be a string, an integer or null');
  const { method, params = null } = envelope;
  return { jsonrpc: jsonrpc === '1.0' ? '1.0' : '2.0', method, params, id };
}

export function failDump(reason: string): never {
  throw new RpcError(ERRORS.DUMP_ERROR.code, reason);
}
