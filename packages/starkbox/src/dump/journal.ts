// Knows the journal: the calls that made a chain what it is, how they are kept, written and repeated.
import type { Chain } from '../chain/chain.js';
import type { World } from '../chain/world/world.js';
import { RpcError, reasonOf } from '../errors.js';
import { parse } from '../json/json.js';
import { canonicalName } from '../method-names.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { type Id, isId, isObject, openEnvelope, type Params } from '../rpc/protocol/envelope.js';
import type { Schema } from '../rpc/protocol/schema.js';
import { Slices, sliced } from '../scheduling/slices.js';
import { ERRORS, methodFacts } from '../spec.js';

/** A journal as text: a list of calls. */
export function journalText({ journal }: World): string {
  return `[${journal.join(',')}]`;
}

// Reading. Nothing of a journal runs before all of it has been checked.

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
  for await (const text of sliced(journal)) calls.push(readCall(parsed(text), calls.length));
  return calls;
}

/** The calls in the text of a journal. */
export function parseJournal(text: string): readonly JournalCall[] {
  const calls = parsed(text);
  if (!Array.isArray(calls)) {
    failDump('Deserialization error: a dump is a list of JSON-RPC calls');
  }
  return calls.map((call: unknown, index) => readCall(call, index));
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    return failDump(`Deserialization error: ${reasonOf(error)}`);
  }
}

function readCall(call: unknown, index: number): JournalCall {
  const wrong = (reason: string): never =>
    failDump(`Deserialization error: call ${index} of the journal is no JSON-RPC call: ${reason}`);
  if (!isObject(call)) return wrong('it must be an object');
  const { jsonrpc, id = 0 } = call;
  const envelope = openEnvelope(call);
  if (typeof envelope === 'string') return wrong(envelope);
  if (!isId(id)) return wrong('id must be a string, an integer or null');
  const { method, params = null } = envelope;
  return { jsonrpc: jsonrpc === '1.0' ? '1.0' : '2.0', method, params, id };
}

/**
 * Checks every call of a journal before any of them runs: a journal may hold only what journals are
 * made of. A first call may load an image, because a journal begins so where the calls that made the
 * image were not kept.
 */
export async function checkCalls(calls: readonly JournalCall[], schema: Schema): Promise<void> {
  const slices = new Slices();
  for (const [index, call] of calls.entries()) {
    await locating(call, index, () => checkCall(call, index, schema));
    if (slices.isOver) await slices.next();
  }
}

async function checkCall(
  { method, params }: JournalCall,
  index: number,
  schema: Schema,
): Promise<void> {
  const name = canonicalName(method);
  const facts = methodFacts(name);
  if (!facts) throw new RpcError(-32601, 'Method not found');
  if (name !== 'devnet_load' && !facts.journalled) {
    failDump('a journal holds only calls that change the chain and can be repeated');
  }
  const reader = schema.reader(name);
  const given = (typeof reader === 'function' ? reader : await reader)(params);
  if (name === 'devnet_load') checkLoad(given, index);
}

function checkLoad(given: Readonly<Record<string, unknown>>, index: number): void {
  if (index > 0) failDump('a journal may load an image only as its first call');
  const { path, image, format = 'image' } = given;
  const isImage = (path === undefined) !== (image === undefined) && given['events'] === undefined;
  if (!isImage || format !== 'image') failDump('a journal may load an image and nothing else');
}

/** Adds to an error which call of the journal it is about. */
async function locating(
  { method }: JournalCall,
  index: number,
  run: () => Promise<unknown>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data } = error;
    throw new RpcError(code, `call ${index} of the journal (${method}): ${message}`, data);
  }
}

/**
 * Repeats calls that have been checked. One that failed but changed the chain did so the first time
 * too: a mint that reverts is such a call.
 */
export async function repeatCalls(
  dispatcher: Pick<Dispatcher, 'call'>,
  chain: Chain,
  calls: readonly JournalCall[],
): Promise<void> {
  for (const [index, call] of calls.entries()) {
    const before = chain.world;
    try {
      await locating(call, index, () => repeatCall(dispatcher, call));
    } catch (error) {
      if (chain.world === before) throw error;
    }
  }
}

function repeatCall(
  dispatcher: Pick<Dispatcher, 'call'>,
  { jsonrpc, method, params, id }: JournalCall,
): Promise<unknown> {
  // The file may have become a journal since it was named: without a format it would be repeated too.
  const isLoad = canonicalName(method) === 'devnet_load';
  const given = isLoad && isObject(params) ? { ...params, format: 'image' } : (params ?? undefined);
  return dispatcher.call(method, given, { transport: 'in-process' }, { jsonrpc, id });
}

export function failDump(reason: string): never {
  throw new RpcError(ERRORS.DUMP_ERROR.code, reason);
}
