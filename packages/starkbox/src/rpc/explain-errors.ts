// Explanations in the errors of calls, estimates, simulations and submissions.

import type { Explanation, Subject } from '@starkbox/abi';
import { listOf, type Members, membersOf, trust } from '@starkbox/abi/basics';
import type { ExplainedTransaction } from '@starkbox/abi/internal';
import { ERRORS } from '@starkbox/spec';
import type { Chain } from '../chain/chain.js';
import type { Broadcasted } from '../chain/history/stored-texts.js';
import type { Attempted, Explainer } from '../chain/queries/explain.js';
import { RpcError } from '../errors.js';
import type { Handler } from './protocol/call-context.js';

/** The transaction that a call of a method is about; `index` where it carries several. */
type TransactionOf = (params: Members, index: number) => unknown;

const SENDERS: ReadonlyMap<string, string> = new Map([
  ['starknet_addInvokeTransaction', 'invoke_transaction'],
  ['starknet_addDeclareTransaction', 'declare_transaction'],
  ['starknet_addDeployAccountTransaction', 'deploy_account_transaction'],
]);

const TRANSACTION_OF: ReadonlyMap<string, TransactionOf> = new Map<string, TransactionOf>([
  ['starknet_call', ({ request }) => ({ type: 'CALL', ...membersOf(request) })],
  [
    'devnet_call',
    ({ request, overrides }) => ({
      type: 'CALL',
      ...membersOf(request),
      ...callerOf(membersOf(overrides)),
    }),
  ],
  ['devnet_estimateFee', ({ request }, index) => listOf(request)[index]],
  ['devnet_simulateTransactions', ({ transactions }, index) => listOf(transactions)[index]],
  ['starknet_estimateFee', ({ request }, index) => listOf(request)[index]],
  ['starknet_simulateTransactions', ({ transactions }, index) => listOf(transactions)[index]],
  ['starknet_estimateMessageFee', ({ message }) => handlerOf(membersOf(message))],
  ...[...SENDERS].map(([method, name]): [string, TransactionOf] => [
    method,
    (params) => params[name],
  ]),
]);

function callerOf({ caller }: Members): object {
  return caller === undefined ? {} : { caller };
}

function handlerOf({ from_address, to_address, entry_point_selector, payload }: Members): object {
  const calldata = [from_address, ...listOf(payload)];
  return { type: 'L1_HANDLER', contract_address: to_address, entry_point_selector, calldata };
}

/** Methods whose errors name a reverted transaction that is in a block. */
const WITH_INCLUDED: ReadonlySet<string> = new Set(['devnet_deploy']);

/** Errors whose data the specification defines as a text: no explanation can be a member of it. */
const WITH_TEXT: ReadonlySet<number> = new Set([
  ERRORS.INVALID_TRANSACTION_NONCE.code,
  ERRORS.VALIDATION_FAILURE.code,
]);

/** Errors to which an explanation adds. */
const EXPLAINED: ReadonlySet<number> = new Set([
  ...WITH_TEXT,
  ERRORS.CONTRACT_NOT_FOUND.code,
  ERRORS.ENTRYPOINT_NOT_FOUND.code,
  ERRORS.CLASS_HASH_NOT_FOUND.code,
  ERRORS.CONTRACT_ERROR.code,
  ERRORS.TRANSACTION_EXECUTION_ERROR.code,
  ERRORS.CLASS_ALREADY_DECLARED.code,
  ERRORS.INSUFFICIENT_RESOURCES_FOR_VALIDATE.code,
  ERRORS.INSUFFICIENT_ACCOUNT_BALANCE.code,
  ERRORS.COMPILED_CLASS_HASH_MISMATCH.code,
]);

/** Also a refusal without a code of its own, if it names the contracts that failed. */
function isExplained(error: unknown): error is RpcError {
  if (!(error instanceof RpcError)) return false;
  return (
    EXPLAINED.has(error.code) ||
    (error.code === -1 && / \(contract address: 0x/.test(error.message))
  );
}

/** A call, an estimate, a simulation or a submission that failed. */
export interface FailedRequest {
  readonly method: string;
  /** Of a submitted transaction; unknown for a declaration. */
  readonly hash: string | undefined;
  /** Why it failed, in one line. */
  readonly summary: string;
  /** The explanation as text, if there is one. */
  readonly text?: string;
}

export type OnFailed = (failed: FailedRequest) => void;

/** The most milliseconds that an error waits for its explanation: the second run may have to wait for others. */
const EXPLANATION_MILLISECONDS = 15_000;

/**
 * A handler whose errors carry an explanation. Answers are passed on as they are, and so are errors whose
 * explanation takes long. Each failure is reported once, after its explanation.
 */
export function explainErrors(
  method: string,
  handler: Handler,
  explaining: ErrorExplainer,
): Handler {
  if (WITH_INCLUDED.has(method)) return explainIncluded(handler, explaining.explainer);
  const transactionOf = TRANSACTION_OF.get(method);
  if (!transactionOf) return handler;
  const { chain, onFailed } = explaining;
  return (params, context) => {
    const answer = handler(params, context);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch(async (error: unknown) => {
      if (!isExplained(error)) {
        if (error instanceof RpcError) onFailed?.(toFailedRequest(method, error));
        throw error;
      }
      const index = Number(membersOf(error.data)['transaction_index'] ?? 0);
      const failed = {
        method,
        error,
        transaction: trust<Failure['transaction']>(transactionOf(membersOf(params), index)),
        attempted: attemptedOf(membersOf(params), transactionOf, index),
      };
      const { queueTimeout = Number.POSITIVE_INFINITY } = chain.options;
      const milliseconds = Math.min(EXPLANATION_MILLISECONDS, (queueTimeout * 1000) / 4);
      const explained = await withinTime(
        (signal) => explainFailure(failed, signal, explaining),
        milliseconds,
        context.session.signal,
      );
      throw explained ? withExplanation(error, explained) : error;
    });
  };
}

/** A handler whose errors carry the explanation of the transaction that they name. */
function explainIncluded(handler: Handler, explainer: Explainer): Handler {
  return async (params, context) => {
    try {
      return await handler(params, context);
    } catch (error) {
      const hash = error instanceof RpcError && membersOf(error.data)['transaction_hash'];
      if (typeof hash !== 'string' || !(error instanceof RpcError)) throw error;
      const explain = (signal: AbortSignal) => explainer.transaction(hash, { signal });
      const explained = await withinTime(explain, EXPLANATION_MILLISECONDS, context.session.signal);
      throw explained ? withExplanation(error, explained) : error;
    }
  };
}

/** Explains a failure, and reports it also if the explanation fails or comes late. */
async function explainFailure(
  { method, error, transaction, attempted }: Failure,
  signal: AbortSignal,
  { chain, explainer, onFailed }: ErrorExplainer,
): Promise<Explanation> {
  const isSent = SENDERS.has(method);
  try {
    const subject = await subjectOf(error, transaction, isSent, chain);
    const explained = await explainer.attempt(subject, { ...attempted, signal });
    const hash = isSent ? await explainer.keep(trust(transaction), explained) : undefined;
    const hint = hintBeside(error, explained);
    const summary = `${explained.summary}${hint === undefined ? '' : ` · ${hint}`}`;
    onFailed?.({ method, hash, summary, text: explained.text });
    return explained;
  } catch (failure) {
    onFailed?.(toFailedRequest(method, error));
    throw failure;
  }
}

interface Failure {
  readonly method: string;
  readonly error: RpcError;
  readonly transaction: ExplainedTransaction;
  readonly attempted: Attempted;
}

function toFailedRequest(method: string, { message, data }: RpcError): FailedRequest {
  const { reason } = membersOf(data ?? {});
  const detail = typeof data === 'string' ? data : reason;
  const summary = `${message}${typeof detail === 'string' ? `: ${detail}` : ''}`;
  return { method, hash: undefined, summary: summary.replaceAll(/\s*\n\s*/g, ' ') };
}

/**
 * The result of some work; undefined if it fails or takes too long. The work goes on after that, without what its
 * signal ends.
 */
async function withinTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  milliseconds: number,
  client: AbortSignal | undefined,
): Promise<T | undefined> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = setTimeout(end, milliseconds);
  client?.addEventListener('abort', end);
  const ended = new Promise<undefined>((resolve) => {
    ending.signal.addEventListener('abort', () => resolve(undefined));
  });
  try {
    return await Promise.race([work(ending.signal).catch(() => undefined), ended]);
  } finally {
    clearTimeout(timer);
    client?.removeEventListener('abort', end);
  }
}

/** From parameters that the schema of their method has checked. */
function attemptedOf(params: Members, transactionOf: TransactionOf, index: number): Attempted {
  const { block_id, simulation_flags, overrides } = params;
  return {
    earlier: Array.from({ length: index }, (_, before) =>
      trust<Broadcasted>(transactionOf(params, before)),
    ),
    id: trust(block_id),
    overrides: trust(overrides),
    validate: !listOf(simulation_flags).includes('SKIP_VALIDATE'),
  };
}

export interface ErrorExplainer {
  readonly chain: Chain;
  readonly explainer: Explainer;
  readonly onFailed?: OnFailed | undefined;
}

/** For an error whose text only repeats the panic of the account; the text of a wrong nonce says what to do. */
function hintBeside({ code }: RpcError, { hint }: Explanation): string | undefined {
  return code === ERRORS.VALIDATION_FAILURE.code ? hint : undefined;
}

function withExplanation(error: RpcError, explained: Explanation): RpcError {
  const { code, message, data } = error;
  if (WITH_TEXT.has(code)) {
    const hint = hintBeside(error, explained);
    return hint === undefined ? error : new RpcError(code, message, `${data}\nhint: ${hint}`);
  }
  const rest = typeof data === 'string' ? { reason: data } : membersOf(data ?? {});
  return new RpcError(code, message, { ...rest, explained });
}

async function subjectOf(
  error: RpcError,
  transaction: ExplainedTransaction,
  isSent: boolean,
  { world }: Chain,
): Promise<Subject> {
  const { reasonOfError } = await import('@starkbox/abi/internal');
  const { revert_error, execution_error } = membersOf(error.data ?? {});
  const nested = revert_error ?? execution_error;
  const isRun = typeof nested === 'object' || error.code === ERRORS.ENTRYPOINT_NOT_FOUND.code;
  const address = transaction.contract_address ?? transaction.sender_address ?? '0x0';
  const reasonOf = async (): Promise<string> => {
    switch (error.code) {
      case ERRORS.CONTRACT_NOT_FOUND.code:
        return `Requested contract address ${address} is not deployed.`;
      case ERRORS.CLASS_HASH_NOT_FOUND.code:
        return `Class with hash ${transaction.class_hash} is not declared.`;
      case ERRORS.ENTRYPOINT_NOT_FOUND.code: {
        const class_hash = await world.pendingState.classHashAt(address).catch(() => '0x0');
        const selector = transaction.entry_point_selector;
        return reasonOfError({ contract_address: address, class_hash, selector, error: NOT_FOUND });
      }
      default:
        if (nested !== undefined) return reasonOfError(nested);
        return typeof error.data === 'string' ? error.data : error.message;
    }
  };
  return {
    transaction,
    status: isRun && !isSent ? 'REVERTED' : 'REJECTED',
    reason: await reasonOf(),
  };
}

/** The felt of ENTRYPOINT_NOT_FOUND as panic data. */
const NOT_FOUND = '["0x454e545259504f494e545f4e4f545f464f554e44"]';
