// Knows the journal: the calls that made a chain what it is, how they are kept, written and repeated.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { Chain } from '../chain/chain.js';
import type { L1Message } from '../chain/l1-handler.js';
import type { World } from '../chain/world.js';
import type { Change } from '../chain/writer.js';
import { RpcError } from '../errors.js';
import { parse, stringify } from '../json.js';
import { ERRORS, type MethodName, type RPC_CALL } from '../spec.js';
import type { Call, Dispatcher } from './dispatch.js';

/** Calls that change the chain and would change it again in the same way. */
const KEPT: ReadonlySet<MethodName> = new Set([
  'starknet_addInvokeTransaction',
  'starknet_addDeclareTransaction',
  'starknet_addDeployAccountTransaction',
  'devnet_applyStateDiff',
  'devnet_impersonateAccount',
  'devnet_stopImpersonateAccount',
  'devnet_autoImpersonate',
  'devnet_stopAutoImpersonate',
  'devnet_postmanLoad',
  'devnet_postmanSendMessageToL2',
  'devnet_postmanConsumeMessageFromL2',
  'devnet_createBlock',
  'devnet_abortBlocks',
  'devnet_acceptOnL1',
  'devnet_setGasPrice',
  'devnet_setTime',
  'devnet_increaseTime',
  'devnet_mint',
  'devnet_setLabel',
]);

const kept: ReadonlySet<string> = KEPT;
const underWay = new AsyncLocalStorage<string>();

/** The call that is being handled, as the journal keeps it; the chain asks when it changes. */
export function callUnderWay(): string | undefined {
  return underWay.getStore();
}

/** Handles a call so that the change it makes can be traced back to it. */
export function withCall<T>({ jsonrpc, method, params, id }: Call, handle: () => T): T {
  if (!kept.has(method)) return handle();
  return underWay.run(
    stringify({ jsonrpc, method, params: params ?? null, id: id ?? null }),
    handle,
  );
}

/** Keeps a message that was read on L1 like the call that sends one. */
export function asCallToL2<T>(message: L1Message, write: () => T): T {
  const method = 'devnet_postmanSendMessageToL2';
  return withCall({ jsonrpc: '2.0', method, params: message, id: 0 }, write);
}

/** A journal as text: a list of calls. */
export function journalText({ journal }: World): string {
  return `[${journal.join(',')}]`;
}

/**
 * Repeats calls on a chain. One that failed but changed the chain did so the first time too: a mint
 * that reverts is such a call.
 */
export async function repeatCalls(
  dispatcher: Pick<Dispatcher, 'call'>,
  chain: Chain,
  calls: readonly RPC_CALL[],
): Promise<void> {
  for (const { jsonrpc, method, params, id } of calls) {
    const before = chain.world;
    try {
      await dispatcher.call(
        method,
        params ?? undefined,
        { transport: 'in-process' },
        { jsonrpc, id },
      );
    } catch (error) {
      if (chain.world === before) throw error;
    }
  }
}

/** The calls that a file holds. */
export function readJournal(path: string): readonly RPC_CALL[] {
  if (!existsSync(path)) failDump('The file does not exist');
  let calls: unknown;
  try {
    calls = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    failDump(`Deserialization error: ${error instanceof Error ? error.message : error}`);
  }
  if (!Array.isArray(calls) || !calls.every(isCall)) {
    failDump('Deserialization error: a dump is a list of JSON-RPC calls');
  }
  return calls;
}

function isCall(value: unknown): value is RPC_CALL {
  return typeof value === 'object' && value !== null && 'method' in value;
}

/** Writes beside and renames, so that a file is there as a whole or not at all. */
export function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    failDump(`I/O error: ${error instanceof Error ? error.message : error}`);
  }
}

/** Keeps a file equal to the journal, change by change. */
export function followJournal(chain: Chain, path: string): void {
  if (!chain.world.journal.isEmpty()) writeWhole(path, journalText(chain.world));
  chain.watch(({ before, after }: Change) => {
    const [old, now] = [before.journal, after.journal];
    if (old === now) return;
    const extends_ = now.size > old.size && (old.isEmpty() || now.get(old.size - 1) === old.last());
    if (now.isEmpty()) rmSync(path, { force: true });
    else if (extends_ && !old.isEmpty() && existsSync(path))
      append(path, now.slice(old.size).toArray());
    else writeWhole(path, journalText(after));
  });
}

/** Puts calls before the closing bracket. */
function append(path: string, calls: readonly string[]): void {
  try {
    const file = openSync(path, 'r+');
    try {
      // One write over the closing bracket: there is no moment without one.
      writeSync(file, `,${calls.join(',')}]`, fstatSync(file).size - 1);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    failDump(`I/O error: ${error instanceof Error ? error.message : error}`);
  }
}

export function failDump(reason: string): never {
  throw new RpcError(ERRORS.DUMP_ERROR.code, reason);
}
