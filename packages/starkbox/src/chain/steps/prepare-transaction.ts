// Checks of a transaction before its execution, and its record after.
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import {
  Class,
  type ClassLimits,
  EngineError,
  type Executed,
  type Receipt,
  Transaction,
  type TransactionValues,
} from '@starkbox/engine';
import type {
  BROADCASTED_DECLARE_TXN,
  BROADCASTED_DEPLOY_ACCOUNT_TXN,
  BROADCASTED_INVOKE_TXN,
  RESOURCE_BOUNDS_MAPPING,
} from '@starkbox/spec';
import { BoundedMap } from '../../bounded-map.js';
import { fail, refuse } from '../../errors.js';
import { parse, stringify } from '../../json/json.js';
import { membersOf } from '../../json/reader.js';
import { Semaphore } from '../../scheduling/semaphore.js';
import type { Included } from '../world/world.js';
import { refuseClassSize } from './execution-errors.js';

export type Broadcasted =
  | BROADCASTED_INVOKE_TXN
  | BROADCASTED_DECLARE_TXN
  | BROADCASTED_DEPLOY_ACCOUNT_TXN;

/** The L1 handler transaction of a message from L1. */
export interface L1HandlerValues {
  readonly type: 'L1_HANDLER';
  readonly version: '0x0';
  readonly nonce: string;
  readonly contract_address: string;
  readonly entry_point_selector: string;
  readonly calldata: readonly string[];
  readonly paid_fee_on_l1: string;
  readonly l1_transaction_hash: string | null;
}

/** A transaction that was read and passed every check that needs no state. */
export interface PreparedTransaction {
  readonly transaction: Transaction;
  readonly values: Broadcasted | L1HandlerValues;
}

/** A transaction that a sender submits. */
export interface Submission extends PreparedTransaction {
  readonly values: Broadcasted;
}

/**
 * Reads a transaction for submission; the order of the checks is part of the interface. Only a
 * declaration is asynchronous, and enters the queue when its class is compiled.
 *
 * @param options.needsBounds whether the sender must offer a fee
 */
export function prepareTransaction(
  values: Broadcasted,
  chainId: string,
  limits: ClassLimits,
  {
    needsBounds = true,
    ...requester
  }: Requester & { readonly needsBounds?: boolean | undefined } = {},
): Submission | Promise<Submission> {
  if (needsBounds && !hasUsableBounds(values.resource_bounds)) {
    fail('INSUFFICIENT_RESOURCES_FOR_VALIDATE', UNUSABLE_BOUNDS);
  }
  if (BigInt(values.version) >= 2n ** 128n) refuse('only-query transactions are not supported');
  const reading = read(values, chainId, limits, requester);
  if (!(reading instanceof Promise)) return { transaction: reading, values };
  return reading.then(async (transaction) => {
    const { declared } = transaction;
    const compiled = declared?.compiledClassHash;
    if (values.type === 'DECLARE' && compiled !== values.compiled_class_hash) {
      const { compiled_class_hash: given } = values;
      const version = declared && (await compilerOf(declared));
      fail(
        'COMPILED_CLASS_HASH_MISMATCH',
        `The transaction gives ${given}, and the class compiles to ${compiled} with the compiler ${version}.`,
      );
    }
    return { transaction, values };
  });
}

/** The version of the compiler that made the code of a class. */
async function compilerOf(declared: Class): Promise<unknown> {
  return membersOf(parse(await declared.casm()))['compiler_version'];
}

const UNUSABLE_BOUNDS =
  'Of resource_bounds, l2_gas and l1_data_gas need a max_amount and a max_price_per_unit above 0.';

/** Reads a transaction, and compiles the class of a DECLARE. */
export function read(
  values: Broadcasted,
  chainId: string,
  limits: ClassLimits,
  requester: Requester = {},
): Transaction | Promise<Transaction> {
  if (values.type === 'DECLARE') {
    const { contract_class, ...rest } = values;
    return compileOnce(stringify(contract_class), limits, requester)
      .then((declared) => new Transaction(rest, chainId, declared))
      .catch(refuseClass);
  }
  try {
    return new Transaction(engineValues(values), chainId);
  } catch (error) {
    return refuseClass(error);
  }
}

interface Compiled {
  readonly made: Class;
  /** Of its text. */
  readonly length: number;
}

/** Classes that were compiled lately, of all chains, by a hash of their texts and limits. */
const recent = new BoundedMap<string, Compiled>(32, {
  sizeOf: ({ length }) => length,
  most: 8 << 20,
});

/** Who wants a class compiled. */
export interface Requester {
  /** Clients take turns. */
  readonly client?: string | undefined;
  /** Removes a compilation that has not begun. */
  readonly signal?: AbortSignal | undefined;
}

/** As many as the engine compiles at once: those that wait here can take turns, and leave. */
const compiling = new Semaphore({ places: 2 + availableParallelism() });

/** Compiles a class. A text that was compiled lately is neither parsed nor hashed as Sierra again. */
export async function compileOnce(
  text: string,
  limits: ClassLimits,
  { client, signal }: Requester = {},
): Promise<Class> {
  const name = createHash('sha256').update(JSON.stringify(limits)).update(text).digest('base64');
  const known = recent.get(name);
  if (known) return known.made;
  const compiledClass = await compiling.run(() => Class.compile(text, limits), signal, client);
  recent.set(name, { made: compiledClass, length: text.length });
  return compiledClass;
}

/** The values that the engine reads: without the proof, and without empty proof facts. */
function engineValues(values: Broadcasted): TransactionValues {
  if (values.type !== 'INVOKE') return { ...values };
  const { proof: _checked, proof_facts, ...rest } = values;
  return proof_facts?.length ? { ...rest, proof_facts } : rest;
}

/** Turns an error of the engine about a transaction or its class into one of the interface. */
function refuseClass(error: unknown): never {
  if (!(error instanceof EngineError)) throw error;
  if (error.kind === 'class_too_large') refuseClassSize(error);
  if (error.kind === 'class' || error.kind === 'sierra_version' || error.kind === 'compilation') {
    refuse(`Sierra compilation error: ${error.message}`);
  }
  if (error.kind === 'input') refuse(error.message);
  throw error;
}

/** Whether the bounds offer L2 gas and L1 data gas or, as in older versions, L1 gas alone. */
export function hasUsableBounds({ l1_gas, l1_data_gas, l2_gas }: RESOURCE_BOUNDS_MAPPING): boolean {
  const offered = ({ max_amount, max_price_per_unit }: typeof l1_gas): boolean =>
    BigInt(max_amount) > 0n && BigInt(max_price_per_unit) > 0n;
  const [l1, data, l2] = [offered(l1_gas), offered(l1_data_gas), offered(l2_gas)];
  return (l2 && data) || (l1 && !l2 && !data);
}

/** What a record keeps of a transaction. */
export interface Sent {
  readonly signature: readonly string[];
  /** As methods return it: JSON text. */
  readonly text: string;
  readonly proofFacts: readonly string[] | undefined;
}

export function sentIn({ transaction, values }: PreparedTransaction): Sent {
  return {
    signature: values.type === 'L1_HANDLER' ? [] : values.signature,
    text: JSON.stringify(wireTransaction(values, transaction.declared)),
    proofFacts:
      values.type === 'INVOKE' && values.proof_facts?.length ? values.proof_facts : undefined,
  };
}

/** The record of an executed transaction. */
export function included(
  hash: string,
  { signature, text, proofFacts }: Sent,
  executed: Executed,
): Included {
  const { receipt } = executed;
  return {
    signature,
    receipt,
    record: {
      hash,
      transaction: text,
      proofFacts,
      receipt: JSON.stringify(wireReceipt(receipt)),
      trace: wireTrace(executed),
    },
  };
}

/** The transaction as methods return it, its type first: classes by hash, without proofs. */
function wireTransaction(
  values: PreparedTransaction['values'],
  declared: Class | undefined,
): object {
  if (values.type === 'DECLARE') {
    const { type, contract_class: _class, ...rest } = values;
    return { type, ...rest, class_hash: declared?.hash };
  }
  if (values.type === 'INVOKE') {
    const { type, proof: _proof, proof_facts: _facts, ...rest } = values;
    return { type, ...rest };
  }
  const { type, ...rest } = values;
  return { type, ...rest };
}

/** A receipt as methods return it, without block and finality. */
export function wireReceipt(receipt: Receipt): object {
  const { data_availability: _part, ...rest } = receipt;
  return { ...rest, execution_resources: wireResources(receipt) };
}

/** L1 data gas is that of publishing, without that of allocating storage, as in existing tools. */
function wireResources({
  execution_resources,
  data_availability,
}: Receipt): Receipt['execution_resources'] {
  return { ...execution_resources, l1_data_gas: data_availability.l1_data_gas };
}

const RESOURCES = '"execution_resources":';

/** The trace with the resources of the receipt, which are its last member. */
export function wireTrace({ trace, receipt }: Executed): string {
  const start = trace.lastIndexOf(RESOURCES);
  return `${trace.slice(0, start)}${RESOURCES}${JSON.stringify(wireResources(receipt))}}`;
}
