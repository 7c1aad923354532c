// Failures of a test that a debugger can open: which request or transaction an error is about.
import { memberOf, membersOf, propertyOf, trust } from '@starkbox/abi/basics';
import { RpcError } from 'starknet';
import { type BundleRequest, bundleLine } from './bundle-file.js';
import { getExplanation, textForTest } from './explanation.js';
import { providerBehind } from './sent.js';

const SENDERS: ReadonlyMap<string, string> = new Map([
  ['starknet_addInvokeTransaction', 'invoke_transaction'],
  ['starknet_addDeclareTransaction', 'declare_transaction'],
  ['starknet_addDeployAccountTransaction', 'deploy_account_transaction'],
]);

/** Errors may wrap others; more levels than any client has. */
const DEEPEST = 8;

/** The execution that an error of a provider is about; undefined for other errors. */
export function failedRequest(error: unknown): BundleRequest | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const { method, params } = error.request;
  const { request, transactions, block_id, simulation_flags } = membersOf(params);
  const block: Pick<BundleRequest, 'block_id'> =
    block_id === undefined ? {} : { block_id: trust(block_id) };
  const flags: readonly unknown[] = Array.isArray(simulation_flags) ? simulation_flags : [];
  const requestOfSimulation = (list: unknown): BundleRequest | undefined => {
    const data = memberOf(error.baseError, 'data');
    const index = memberOf(data, 'transaction_index') ?? 0;
    if (!Array.isArray(list)) return undefined;
    const skip_validate = flags.includes('SKIP_VALIDATE');
    return { transactions: list.slice(0, Number(index) + 1), ...block, skip_validate };
  };
  if (method === 'starknet_call') return { call: trust(request), ...block };
  if (method === 'starknet_estimateFee') return requestOfSimulation(request);
  if (method === 'starknet_simulateTransactions') return requestOfSimulation(transactions);
  const sent = SENDERS.get(method);
  return sent === undefined ? undefined : { transactions: [trust(memberOf(params, sent))] };
}

/** The line for the error of a test; undefined if no bundle can be made of it. */
async function lineOf(error: unknown): Promise<string | undefined> {
  let current: unknown = error;
  for (let depth = 0; depth < DEEPEST && current instanceof Error; depth += 1) {
    const provider = providerBehind(current);
    const request = awaited.get(current) ?? failedRequest(current);
    if (provider && request) return bundleLine(provider, request);
    current = current.cause;
  }
  return undefined;
}

/** Transactions of errors that say that they have failed. */
const awaited = new WeakMap<Error, BundleRequest>();

/** Remembers the transaction that an error is about. */
export function rememberTransaction(error: Error, transaction_hash: string): void {
  awaited.set(error, { transaction_hash });
}

/** Adds the command that opens a failure to the error of a test, which the caller throws. */
export async function addCommand(error: unknown): Promise<void> {
  if (!(error instanceof Error)) return;
  const line = await lineOf(error);
  if (line !== undefined) append(error, line);
}

/** Runners print the message, or the stack, which begins with it. */
export function rewrite(
  error: { message: string; stack?: string | undefined },
  message: string,
): void {
  const { message: before, stack } = error;
  error.message = message;
  if (stack?.includes(before)) error.stack = stack.replace(before, () => message);
}

/**
 * Has an error of starknet.js begin and end with what the node says: the explanation, or the reason. The text of
 * starknet.js, with the whole request, becomes its cause.
 */
export function shorten(error: RpcError): void {
  if (error.cause !== undefined) return;
  const { message, request, baseError } = error;
  const cause = new Error(message);
  // Node prints the stack of a cause, but not its message.
  cause.stack = `${request.method} of starknet.js, whose text is in error.cause.message`;
  Object.defineProperty(error, 'cause', { value: cause, writable: true, configurable: true });
  const data = memberOf(baseError, 'data') ?? '';
  const reason = typeof data === 'string' ? data : JSON.stringify(data);
  const parts = [request.method, baseError.message, ...(reason === '' ? [] : [reason])];
  const explained = getExplanation(error);
  rewrite(error, explained ? textForTest(explained) : parts.join(': '));
}

export function append(error: { message: string; stack?: string | undefined }, line: string): void {
  rewrite(error, `${error.message}\n\n${line}`);
}

/** Errors of providers in the test that runs, while a runner asks for them. */
let recent: Error[] | undefined;
const MAX_RECENT = 20;

/** Keeps errors of providers until the end of each test. For runners that hand over copies of errors. */
export function keepErrors(): void {
  recent ??= [];
}

export function keepError(error: Error): void {
  if (!recent) return;
  recent.push(error);
  if (recent.length > MAX_RECENT) recent.shift();
}

/** A copy of an error, as a runner reports it. */
interface ReportedError {
  message: string;
  stack?: string | undefined;
  cause?: unknown;
}

/** As `addCommand`, for copies of errors. Forgets the errors of the test. */
export async function addCommands(errors: readonly ReportedError[]): Promise<void> {
  const kept = recent ?? [];
  if (recent) recent = [];
  for (const error of errors) {
    const cause: unknown = propertyOf(error.cause, 'message');
    const original = kept.findLast(
      ({ message }) => error.message.includes(message) || cause === message,
    );
    if (!original) continue;
    // The whole request of starknet.js, which vitest would print.
    if (original instanceof RpcError && cause !== original.message) error.cause = undefined;
    const line = await lineOf(original);
    if (line !== undefined) append(error, line);
  }
}
