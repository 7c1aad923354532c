// Replay of a journal: all of its calls are checked before any of them runs.
import { isObject } from '@starkbox/abi/basics';
import { canonicalName, methodFacts } from '@starkbox/spec';
import type { Chain } from '../chain/chain.js';
import { isAlreadyAccepted } from '../chain/steps/abort-and-accept.js';
import { RpcError } from '../errors.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import type { Schema } from '../rpc/protocol/schema.js';
import { Slices } from '../scheduling/slices.js';
import { failDump, isRecord, type JournalCall } from './journal.js';

/**
 * Checks every call of a journal before any of them runs: only methods that journals record are
 * allowed. The first call may load an image, because the journal of an image without one begins so.
 */
export async function checkCalls(calls: readonly JournalCall[], schema: Schema): Promise<void> {
  const slices = new Slices();
  const first = calls.findIndex((call, index) => !isRecord(call, index));
  for (const [index, call] of calls.entries()) {
    if (isRecord(call, index)) continue;
    await locating(call, index, () => checkCall(call, index === first, schema));
    if (slices.isOver) await slices.next();
  }
}

async function checkCall(
  { method, params }: JournalCall,
  isFirst: boolean,
  schema: Schema,
): Promise<void> {
  const name = canonicalName(method);
  const facts = methodFacts(name);
  if (!facts) throw new RpcError(-32601, 'Method not found');
  if (name !== 'devnet_load' && !facts.journalled) {
    failDump(
      facts.external
        ? 'a journal may not access files or other hosts: remove this call, and send it after the load'
        : 'a journal may contain only repeatable calls that change the chain',
    );
  }
  const reader = schema.reader(name);
  const checkedParams = (typeof reader === 'function' ? reader : await reader)(params);
  if (name === 'devnet_load') checkLoad(checkedParams, isFirst);
}

function checkLoad(loadParams: Readonly<Record<string, unknown>>, isFirst: boolean): void {
  if (!isFirst) failDump('a journal may load an image only as its first call');
  const { path, image, format = 'image' } = loadParams;
  const isImage =
    (path === undefined) !== (image === undefined) && loadParams['events'] === undefined;
  if (!isImage || format !== 'image') failDump('a journal may load an image and nothing else');
}

/** Adds the index of the call to an error. */
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
 * Replays checked calls. A call that fails but changes the chain, such as a mint that reverts, did
 * the same when it was recorded. Blocks of a node with `--l1-acceptance` may be accepted before the
 * recorded call that accepts them.
 */
export async function repeatCalls(
  dispatcher: Pick<Dispatcher, 'call'>,
  chain: Chain,
  calls: readonly JournalCall[],
): Promise<void> {
  for (const [index, call] of calls.entries()) {
    if (isRecord(call, index)) continue;
    const before = chain.world;
    try {
      await locating(call, index, () => repeatCall(dispatcher, call));
    } catch (error) {
      const isAccepted = error instanceof RpcError && isAlreadyAccepted(error);
      if (chain.world === before && !isAccepted) throw error;
    }
  }
}

function repeatCall(
  dispatcher: Pick<Dispatcher, 'call'>,
  { jsonrpc, method, params, id }: JournalCall,
): Promise<unknown> {
  // The file may have been replaced by a journal, which would be replayed without this format.
  const isLoad = canonicalName(method) === 'devnet_load';
  const replayedParams =
    isLoad && isObject(params) ? { ...params, format: 'image' } : (params ?? undefined);
  return dispatcher.call(method, replayedParams, { transport: 'in-process' }, { jsonrpc, id });
}
