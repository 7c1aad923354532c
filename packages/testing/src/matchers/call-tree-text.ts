// The call tree of a transaction as text, decoded by the ABIs of its classes.
import {
  type Abi,
  buildTree,
  classesIn,
  decodeEvent,
  decodeInputs,
  decodeOutputs,
  type ExecutionResult,
  type Frame,
  readAbi,
  shortAddress,
  type TracedTransaction,
  type TransactionTrace,
} from '@starkbox/abi';
import type { RpcProvider } from 'starknet';
import type { Outcome } from './transaction.js';
import { membersText, textOf } from './values.js';

/** A class never changes, so its ABI is read once. */
const abis = new Map<string, Abi>();

/** Empty for a transaction whose parts are not known. */
export async function callTreeText(outcome: Outcome): Promise<string> {
  const { provider } = outcome;
  if (!provider) return '';
  const { transaction, trace, result } =
    'receipt' in outcome
      ? await partsOf(provider, outcome.receipt.transaction_hash, outcome.receipt)
      : {
          transaction: outcome.transaction,
          trace: undefined,
          result: { execution_status: 'REVERTED', revert_reason: outcome.reason } as const,
        };
  if (!transaction) return '';
  const { roots } = buildTree(transaction, trace, result);
  const shown = roots.filter(
    ({ phase, failed }) => failed || (phase !== 'validate' && phase !== 'fee'),
  );
  await Promise.all(classesIn(shown).map((hash) => loadAbi(provider, hash)));
  return shown.flatMap((frame) => linesOf(frame, '')).join('\n');
}

async function partsOf(provider: RpcProvider, hash: string, result: ExecutionResult) {
  const [transaction, trace] = await Promise.all([
    provider.getTransactionByHash(hash),
    provider.getTransactionTrace(hash),
  ]);
  // Both have the members that a tree is built from, under types of starknet.js.
  const known: TracedTransaction = Object(transaction);
  const traced: TransactionTrace = Object(trace);
  return { transaction: known, trace: traced, result };
}

async function loadAbi(provider: RpcProvider, hash: string): Promise<void> {
  if (abis.has(hash)) return;
  const found = await provider.getClassByHash(hash).catch(() => undefined);
  if (found) abis.set(hash, readAbi(found.abi));
}

function linesOf(frame: Frame, indent: string): string[] {
  const mark = frame.failed ? '✗' : frame.fate === 'not reached' ? '·' : '✓';
  const abi = frame.classHash === undefined ? undefined : abis.get(frame.classHash);
  const events = frame.events.map(({ keys, data }) => {
    const event = abi && decodeEvent(keys, data, abi);
    const text = event ? `${event.name}(${membersText(event.members)})` : `event ${keys[0]}`;
    return `${indent}    emits ${text}`;
  });
  return [
    `${indent}${mark} ${callText(frame, abi)}`,
    ...events,
    ...frame.children.flatMap((child) => linesOf(child, `${indent}  `)),
  ];
}

function callText(frame: Frame, abi: Abi | undefined): string {
  const entry = abi?.functions.get(frame.selector);
  const name =
    entry?.name ?? (frame.kind === 'CONSTRUCTOR' ? 'constructor' : shortAddress(frame.selector));
  const inputs = entry && abi && frame.calldata && decodeInputs(entry, frame.calldata, abi);
  const outputs = entry && abi && frame.result && decodeOutputs(entry, frame.result, abi);
  // The calls of an account are listed below it.
  const shown = inputs && name !== '__execute__' ? membersText(inputs) : '…';
  const returned =
    outputs && outputs.length > 0 && name !== '__execute__' && !frame.failed
      ? ` → ${outputs.map(textOf).join(', ')}`
      : '';
  const fate = frame.fate === undefined ? '' : ` (${frame.fate})`;
  const cause = frame.cause === undefined ? '' : `: ${frame.cause}`;
  return `${shortAddress(frame.contract)}.${name}(${shown})${returned}${fate}${cause}`;
}
