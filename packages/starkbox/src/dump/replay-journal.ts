// Replay of a journal: all of its calls are checked before any of them runs.
import type { Chain } from '../chain/chain.js';
import { RpcError } from '../errors.js';
import { canonicalName } from '../method-names.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { isObject } from '../rpc/protocol/envelope.js';
import type { Schema } from '../rpc/protocol/schema.js';
import { Slices } from '../scheduling/slices.js';
import { methodFacts } from '../spec.js';
import { failDump, type JournalCall } from './journal.js';

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
