// Errors of the interface for rejected and failed executions.
import { padFelt } from '@starkbox/abi/basics';
import {
  type CallOutcome,
  EngineError,
  type Fault,
  type Frame,
  type Rejection,
} from '@starkbox/engine';
import {
  type CONTRACT_EXECUTION_ERROR,
  ERRORS,
  type RESOURCE_BOUNDS_MAPPING,
} from '@starkbox/spec';
import { fail, RpcError, refuse } from '../../errors.js';

/** The fee that a sender offers. */
interface Offer {
  readonly resource_bounds: RESOURCE_BOUNDS_MAPPING;
  readonly tip: string;
}

/**
 * The error of a submission that was refused.
 *
 * @param offer absent where no sender pays
 */
export function refuseSubmission(rejection: Rejection, offer?: Offer): never {
  const { reason, message, nonce } = rejection;
  switch (reason) {
    case 'nonce':
      return fail(
        'INVALID_TRANSACTION_NONCE',
        nonce
          ? `Invalid transaction nonce of contract at address ${padFelt(nonce.address)}. ` +
              `Account nonce: ${BigInt(nonce.account)}; got: ${BigInt(nonce.given)}.`
          : message,
      );
    case 'balance':
      return fail('INSUFFICIENT_ACCOUNT_BALANCE', offer ? `${feeOf(offer)} ${message}` : message);
    case 'resource_bounds':
    case 'fee':
      return fail('INSUFFICIENT_RESOURCES_FOR_VALIDATE', message);
    case 'validation':
      return fail('VALIDATION_FAILURE', message);
    case 'proof_facts':
      return fail('VALIDATION_FAILURE', message.replace(/^Invalid proof facts: /, ''));
    case 'class_already_declared':
      return fail('CLASS_ALREADY_DECLARED', message);
    case 'class_not_declared':
      return fail('CLASS_HASH_NOT_FOUND');
    default:
      return refuse(message);
  }
}

function feeOf({ resource_bounds, tip }: Offer): string {
  const { l1_gas, l1_data_gas, l2_gas } = resource_bounds;
  const cost = ({ max_amount, max_price_per_unit }: typeof l1_gas, extra = 0n): bigint =>
    BigInt(max_amount) * (BigInt(max_price_per_unit) + extra);
  const fee = cost(l1_gas) + cost(l1_data_gas) + cost(l2_gas, BigInt(tip));
  return `The transaction may cost up to ${fee} FRI, and the account holds less.`;
}

/**
 * Awaits an execution. Fees that overflow in the engine, and a batch that is over its limit of time or bytes or
 * was stopped, become errors of the interface, because the caller can change the prices or the batch.
 */
export async function withExecutionErrors<T>(execution: Promise<T>): Promise<T> {
  try {
    return await execution;
  } catch (error) {
    if (error instanceof EngineError && /cost overflowed/.test(error.message)) {
      refuse(`The gas prices are too high or too far apart to compute a fee: ${error.message}`);
    }
    if (error instanceof EngineError && error.kind === 'deadline') {
      refuse(`${error.message}: send fewer at once`);
    }
    if (error instanceof EngineError && error.kind === 'cancelled') {
      refuse(`The client disconnected: ${error.message}`);
    }
    if (error instanceof EngineError && error.kind === 'report_too_large') {
      throw new RpcError(
        ERRORS.SERVICE_BUSY.code,
        `The response would be too long: ${error.message}. Request less at once; --maximum-response-size sets the limit`,
      );
    }
    throw error;
  }
}

/** Nested frames, outermost first, with `leaf` as the error of the innermost. */
export function nestFrames(frames: readonly Frame[], leaf: string): CONTRACT_EXECUTION_ERROR {
  return frames.reduceRight<CONTRACT_EXECUTION_ERROR>(
    (error, { contract_address, class_hash, selector }) => ({
      contract_address,
      class_hash,
      selector,
      error,
    }),
    leaf,
  );
}

/** Where and why an execution failed, for an estimate or a simulation. */
export function executionError({ message, frames, panic }: Fault): CONTRACT_EXECUTION_ERROR {
  if (frames.length === 0) return message;
  return nestFrames(
    frames,
    panic ? `${message} ${JSON.stringify(panic)}` : innermostError(message),
  );
}

/** The error of the innermost frame: the text after the last line that names a contract. */
function innermostError(message: string): string {
  const contractLine = /^.*\(contract address: .*\):\n/gm;
  let end = 0;
  for (let line = contractLine.exec(message); line; line = contractLine.exec(message))
    end = contractLine.lastIndex;
  return message.slice(end);
}

type Failure = NonNullable<CallOutcome['failure']>;

/** Where and why a call failed: the felts of all failed frames, outermost first. */
export function callError({ frames, returned, message }: Failure): CONTRACT_EXECUTION_ERROR {
  const felts = returned.flat();
  return nestFrames(frames, felts.length > 0 ? JSON.stringify(felts) : innermostError(message));
}

/** Options that limit a class, by the names that the engine gives its parts. */
const SIZE_OPTIONS: Readonly<Record<string, string>> = {
  'Sierra program': '--maximum-sierra-length',
  'compiled class': '--maximum-contract-class-size',
  bytecode: '--maximum-contract-bytecode-size',
  program: '--maximum-contract-bytecode-size',
};

/** Refuses with the limit that was exceeded, by how much, and the option that raises it. */
export function refuseClassSize({ message }: Error): never {
  const [, part = '', size = '', unit = '', limit = ''] =
    /^the (.+) has (\d+(?: or more)?) (\w+); the limit is (\d+)$/.exec(message) ?? [];
  const option = SIZE_OPTIONS[part];
  if (option === undefined) fail('CONTRACT_CLASS_SIZE_IS_TOO_LARGE', message);
  const excess = Number.parseInt(size, 10) - Number(limit);
  fail(
    'CONTRACT_CLASS_SIZE_IS_TOO_LARGE',
    `The ${part} has ${size} ${unit}, ${excess} more than the limit of ${limit}: raise ${option}, or make the class smaller`,
  );
}
