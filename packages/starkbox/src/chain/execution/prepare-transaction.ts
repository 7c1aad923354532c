// Preparation of a submitted transaction: reads and checks it, and compiles its class.

import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { membersOf } from '@starkbox/abi/basics';
import {
  Class,
  type ClassLimits,
  EngineError,
  Transaction,
  type TransactionValues,
} from '@starkbox/engine';
import type { RESOURCE_BOUNDS_MAPPING } from '@starkbox/spec';
import { BoundedMap } from '../../bounded-map.js';
import { fail, refuse } from '../../errors.js';
import { parse, stringify } from '../../json/json.js';
import { Semaphore } from '../../scheduling/semaphore.js';
import type { Broadcasted, StoredTransaction } from '../history/stored-texts.js';
import { refuseClassSize } from './execution-errors.js';
import { checkProof, type ProofMode } from './mock-proof.js';

/** A transaction that was read and passed every check that needs no state. */
export interface PreparedTransaction {
  readonly transaction: Transaction;
  readonly values: Broadcasted | StoredTransaction;
}

/** A transaction that a sender submits. */
export interface Submission extends PreparedTransaction {
  readonly values: Broadcasted;
}

/** The options of a chain by which submissions are read. */
export interface SubmissionRules {
  readonly chainId: string;
  readonly classLimits: ClassLimits;
  readonly proofMode: ProofMode;
  /** Whether the sender must offer a fee; it must by default. */
  readonly chargesFee?: boolean;
  readonly rules?: { limitsBeside(limits: ClassLimits): ClassLimits } | undefined;
}

/**
 * Reads a transaction for submission; the order of the checks is part of the interface. Only a
 * declaration is asynchronous, and enters the queue when its class is compiled.
 */
export function prepareTransaction(
  values: Broadcasted,
  { chainId, classLimits, proofMode, chargesFee = true, rules }: SubmissionRules,
): Submission | Promise<Submission> {
  if (values.type === 'INVOKE') checkProof(values, proofMode);
  if (chargesFee && !hasUsableBounds(values.resource_bounds)) {
    fail('INSUFFICIENT_RESOURCES_FOR_VALIDATE', UNUSABLE_BOUNDS);
  }
  if (BigInt(values.version) >= 2n ** 128n) refuse('only-query transactions are not supported');
  const limits = rules?.limitsBeside(classLimits) ?? classLimits;
  const transaction = readBroadcasted(values, chainId, limits);
  if (!(transaction instanceof Promise)) return { transaction, values };
  return transaction.then((declaration) => checkCompiledHash({ transaction: declaration, values }));
}

/** Fails unless the class compiles to the hash that the declaration gives. */
async function checkCompiledHash(submission: Submission): Promise<Submission> {
  const { values, transaction } = submission;
  const { declared } = transaction;
  const compiled = declared?.compiledClassHash;
  if (values.type === 'DECLARE' && compiled !== values.compiled_class_hash) {
    const version = declared && (await compilerOf(declared));
    fail(
      'COMPILED_CLASS_HASH_MISMATCH',
      `The transaction gives ${values.compiled_class_hash}, and the class compiles to ${compiled} with the compiler ${version}.`,
    );
  }
  return submission;
}

/** The version of the compiler that made the code of a class. */
async function compilerOf(declared: Class): Promise<unknown> {
  return membersOf(parse(await declared.casm()))['compiler_version'];
}

const UNUSABLE_BOUNDS =
  'Of resource_bounds, l2_gas and l1_data_gas need a max_amount and a max_price_per_unit above 0.';

/** Reads a transaction, and compiles the class of a DECLARE. */
export function readBroadcasted(
  values: Broadcasted,
  chainId: string,
  limits: ClassLimits,
  signal?: AbortSignal,
): Transaction | Promise<Transaction> {
  if (values.type === 'DECLARE') {
    const { contract_class, ...rest } = values;
    return compileOnce(stringify(contract_class), limits, signal)
      .then((declared) => new Transaction(rest, chainId, declared))
      .catch(refuseClass);
  }
  try {
    return new Transaction(engineValues(values), chainId);
  } catch (error) {
    return refuseClass(error);
  }
}

interface CompiledClass {
  readonly contractClass: Class;
  /** The length of its text. */
  readonly length: number;
}

/** Classes that were compiled lately, of all chains, by a hash of their texts and limits. */
const recent = new BoundedMap<string, CompiledClass>(32, {
  sizeOf: ({ length }) => length,
  most: 8 << 20,
});

/** As many as the engine compiles at once: those that wait here can leave. */
const compiling = new Semaphore({ places: 2 + availableParallelism() });

/**
 * Compiles a class. A text that was compiled lately is neither parsed nor hashed as Sierra again.
 *
 * @param signal removes a compilation that has not begun
 */
export async function compileOnce(
  text: string,
  limits: ClassLimits,
  signal?: AbortSignal,
): Promise<Class> {
  const name = createHash('sha256').update(JSON.stringify(limits)).update(text).digest('base64');
  const cached = recent.get(name);
  if (cached) return cached.contractClass;
  const contractClass = await compiling.run(() => Class.compile(text, limits), signal);
  recent.set(name, { contractClass, length: text.length });
  return contractClass;
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
