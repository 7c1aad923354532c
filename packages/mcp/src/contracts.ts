// Contracts on the session's chain: declared, deployed, called and sent to.

import { randomBytes } from 'node:crypto';
import {
  type Abi,
  type AbiFunction,
  type Arguments,
  decodeEvent,
  decodeOutputs,
  encodeArguments,
  readAbi,
  type Sierra,
  selectorOf,
  type UserCall,
} from '@starkbox/abi';
import { toFelt } from '@starkbox/abi/basics';
import { constructorOf, deployCall, NoClass, readClass, signatureOf } from '@starkbox/abi/internal';
import { contractAddress } from '@starkbox/signing';
import { z } from 'zod';
import { readClassFile } from './class-file.js';
import { Refused } from './node-client.js';
import { linesOf, ServerError } from './results.js';
import type { Session } from './session.js';
import { jsonOf, membersJson } from './values.js';

const CLASS_HASH_NOT_FOUND = 28;
const TRANSACTION_HASH_NOT_FOUND = 29;
/** In the mempool: such a transaction has no receipt. */
const WAITING = ['RECEIVED', 'CANDIDATE'];

const FELTS = z.array(z.string());
const STATUS = z.object({ finality_status: z.string() });
const RECEIPT = z.object({
  finality_status: z.string(),
  execution_status: z.string(),
  block_number: z.number().optional(),
  actual_fee: z.object({ amount: z.string(), unit: z.string() }),
  events: z.array(z.object({ from_address: z.string(), keys: FELTS, data: FELTS })),
});
const EXPLAINED = z.object({ text: z.string() });

/** A call as a user writes it. */
export interface NamedCall {
  readonly contract_address: string;
  readonly function: string;
  readonly arguments: Arguments;
}

interface Compiled {
  readonly sierra: Sierra;
  readonly classHash: string;
  readonly compiledClassHash: string;
}

/** Reads and compiles a class. */
async function compile(path: string): Promise<Compiled> {
  const { file, text } = await readClassFile(path);
  const sierra = sierraIn(file, text);
  const { Class } = await import('@starkbox/engine');
  const { hash, compiledClassHash } = await Class.compile(text);
  if (compiledClassHash === undefined) throw new Error(`${file} is a Cairo 0 class.`);
  return { sierra, classHash: hash, compiledClassHash };
}

function sierraIn(file: string, text: string): Sierra {
  const advice = 'Give the Sierra class that the compiler wrote (*.contract_class.json).';
  try {
    const read = readClass(JSON.parse(text));
    if (read.kind === 'sierra') return read.sierra;
  } catch (error) {
    if (error instanceof NoClass) throw new Error(`${file}: ${error.message} ${advice}`);
    if (error instanceof SyntaxError) throw new Error(`${file} is not JSON. ${advice}`);
    throw error;
  }
  throw new Error(`${file} holds CASM. ${advice}`);
}

type Client = Session['client'];

/** The ABI of a class, undefined where it is not declared. */
async function declaredAbi(client: Client, classHash: string): Promise<Abi | undefined> {
  try {
    return await client.abiOf(classHash);
  } catch (error) {
    if (error instanceof Refused && error.code === CLASS_HASH_NOT_FOUND) return undefined;
    throw error;
  }
}

/** Declares the class of a file, unless the chain has it. */
export async function declare(session: Session, path: string, account: number | string) {
  const { client, sender } = session;
  const { sierra, classHash, compiledClassHash } = await compile(path);
  const abi = readAbi(sierra.abi);
  const isDeclared = (await declaredAbi(client, classHash)) !== undefined;
  const transaction_hash = isDeclared
    ? undefined
    : await sender.declare(client, await session.signer(account), sierra, {
        classHash,
        compiledClassHash,
      });
  return {
    class_hash: classHash,
    compiled_class_hash: compiledClassHash,
    ...(transaction_hash === undefined
      ? { was_declared_before: true }
      : { transaction_hash, ...(await outcomeOf(session, transaction_hash)) }),
    constructor: signatureOf(constructorOf(abi)),
    functions: [...abi.functions.values()].map(signatureOf),
  };
}

export interface Deployment {
  readonly class_hash: string;
  readonly arguments: Arguments;
  readonly salt: string | undefined;
  readonly account: number | string;
}

export async function deploy(session: Session, deployment: Deployment) {
  const { client, sender } = session;
  const classHash = toFelt(BigInt(deployment.class_hash));
  const abi = await declaredAbi(client, classHash);
  if (!abi) {
    throw new ServerError(`The class ${classHash} is not declared: call declare_contract first.`);
  }
  const calldata = encodeArguments(constructorOf(abi), deployment.arguments, abi);
  const salt = deployment.salt ?? toFelt(BigInt(`0x${randomBytes(31).toString('hex')}`));
  const signer = await session.signer(deployment.account);
  const call = deployCall({ classHash, salt, isUnique: false, calldata });
  const transaction_hash = await sender.invoke(client, signer, [call]);
  return {
    contract_address: contractAddress({ deployer: '0x0', salt, classHash, calldata }),
    transaction_hash,
    ...(await outcomeOf(session, transaction_hash)),
  };
}

function functionOf(abi: Abi, name: string, contract: string): AbiFunction {
  const abiFunction =
    abi.functions.get(selectorOf(name)) ??
    [...abi.functions.values()].find((candidate) => selectorOf(candidate.name) === name);
  if (abiFunction) return abiFunction;
  const all = [...abi.functions.values()].map(signatureOf).join('\n  ');
  throw new Error(`The contract ${contract} has no function ${name}. It has:\n  ${all}`);
}

/** A call with the function of the ABI that it calls. */
export interface EncodedCall {
  readonly abi: Abi;
  readonly called: AbiFunction;
  readonly selector: string;
  readonly calldata: readonly string[];
}

export async function encode(session: Session, call: NamedCall): Promise<EncodedCall> {
  const abi = await session.client.abiAt(call.contract_address);
  const called = functionOf(abi, call.function, call.contract_address);
  const calldata = encodeArguments(called, call.arguments, abi);
  return { abi, called, selector: selectorOf(called.name), calldata };
}

/** Calls a function without a transaction. */
export async function callContract(session: Session, call: NamedCall) {
  const { abi, called, selector, calldata } = await encode(session, call);
  const { contract_address } = call;
  const felts = await session.client.read(FELTS, 'starknet_call', {
    request: { contract_address, entry_point_selector: selector, calldata },
    block_id: 'pre_confirmed',
  });
  const values = decodeOutputs(called, felts, abi)?.map(jsonOf);
  return { result: values?.length === 1 ? values[0] : values, felts };
}

/** Sends calls as one transaction of an account. */
export async function send(
  session: Session,
  calls: readonly NamedCall[],
  account: number | string,
) {
  const { client, sender } = session;
  const encoded = await Promise.all(
    calls.map(async (call): Promise<UserCall> => {
      const { selector, calldata } = await encode(session, call);
      return { contract: toFelt(BigInt(call.contract_address)), selector, calldata };
    }),
  );
  const transaction_hash = await sender.invoke(client, await session.signer(account), encoded);
  return { transaction_hash, ...(await outcomeOf(session, transaction_hash)) };
}

/** What a transaction that was sent has done. */
async function outcomeOf({ client }: Session, transaction_hash: string) {
  const params = { transaction_hash };
  const { finality_status } = await client.read(STATUS, 'starknet_getTransactionStatus', params);
  if (WAITING.includes(finality_status)) {
    return {
      finality_status,
      note: 'It waits in the mempool: call rpc with devnet_mempoolSeal to make a block of it.',
    };
  }
  const receipt = await client.read(RECEIPT, 'starknet_getTransactionReceipt', params);
  const { execution_status, block_number, actual_fee } = receipt;
  const isReverted = execution_status === 'REVERTED';
  const events = await Promise.all(
    receipt.events.map((event) => decodeReceiptEvent(client, event)),
  );
  return {
    finality_status: receipt.finality_status,
    execution_status,
    ...(block_number === undefined ? {} : { block_number }),
    fee: `${BigInt(actual_fee.amount)} ${actual_fee.unit}`,
    events,
    ...(isReverted ? { explanation: await explain(client, transaction_hash) } : {}),
  };
}

async function decodeReceiptEvent(
  client: Client,
  event: z.infer<typeof RECEIPT>['events'][number],
) {
  const { from_address, keys, data } = event;
  const abi = await client.abiAt(from_address);
  const decoded = decodeEvent(keys, data, abi);
  return decoded
    ? { from_address, name: decoded.name, members: membersJson(decoded.members) }
    : { from_address, keys, data };
}

/** Why a transaction failed, or its calls if it did not. */
export async function explain(client: Client, transaction_hash: string) {
  const params = { transaction_hash };
  const explanation = client.read(EXPLAINED, 'devnet_explainTransaction', params);
  const { text } = await explanation.catch((error: unknown) => {
    if (!(error instanceof Refused) || error.code !== TRANSACTION_HASH_NOT_FOUND) throw error;
    throw new ServerError(
      `This chain has no transaction ${transaction_hash}. Give the transaction_hash of a result, or list hashes with rpc devnet_listTransactions. A new chain and restore remove transactions.`,
    );
  });
  return linesOf(text);
}
