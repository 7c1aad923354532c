// Declaration and deployment of contracts by the minting account: no account of the user is changed.

import { fileURLToPath } from 'node:url';
import { type Class, contractAddress, pedersenPair, starknetKeccak } from '@starkbox/engine';
import { type BROADCASTED_CONTRACT_CLASS, ERRORS } from '@starkbox/spec';
import type { Chain } from '../chain/chain.js';
import { MINTER } from '../chain/genesis/accounts.js';
import { minterDeclaration, minterInvoke } from '../chain/minter.js';
import { compileClass } from '../chain/steps/apply-state-diff.js';
import { type BigNumberish, feltOf, type Request } from '../client/controls.js';
import { RpcError } from '../errors.js';
import { hex } from '../felt.js';
import { readRegular } from '../files/regular-file.js';
import { parse } from '../json/json.js';
import { isObject, object } from '../json/reader.js';
import { SerialQueue } from '../scheduling/serial-queue.js';

export interface DeclaredClass {
  readonly classHash: string;
  readonly compiledClassHash: string;
  /** Undefined if the class was declared before. */
  readonly transactionHash: string | undefined;
  /** The ABI as the compiler wrote it. */
  readonly abi: readonly unknown[];
}

export interface DeployRequest {
  readonly classHash: string;
  /** Arguments of the constructor, as felts. */
  readonly calldata?: readonly BigNumberish[];
  /** Another one each time by default, so that each deployment has an address of its own. */
  readonly salt?: BigNumberish;
}

export interface DeployedContract {
  readonly address: string;
  readonly transactionHash: string;
}

/** A nonce that another transaction of the account took in between is tried again. */
const ATTEMPTS = 5;

/** @internal */
export class Contracts {
  readonly #chain: Chain;
  readonly #request: Request;
  readonly #udc: string;
  /** The nonces of the account follow each other. */
  readonly #transactions = new SerialQueue();

  constructor(chain: Chain, request: Request, udc: string) {
    this.#chain = chain;
    this.#request = request;
    this.#udc = udc;
  }

  /** @param artifact the path of a Sierra class as a compiler writes it, or its content */
  async declare(artifact: string | URL | object): Promise<DeclaredClass> {
    const content = await contentOf(artifact);
    const compiled = await compileClass(content, this.#chain.options.classLimits);
    const { hash: classHash, compiledClassHash } = compiled;
    if (compiledClassHash === undefined) {
      throw new TypeError('A Cairo 0 class cannot be declared: give the Sierra class');
    }
    const contractClass = wireClass(content);
    const transactionHash = await this.#queued(() => this.#declare(contractClass, compiled));
    return { classHash, compiledClassHash, transactionHash, abi: abiOf(content) };
  }

  async #declare(
    contractClass: BROADCASTED_CONTRACT_CLASS,
    compiled: Class,
  ): Promise<string | undefined> {
    const { world } = this.#chain;
    if (await world.pendingState.class(compiled.hash)) return undefined;
    const declare_transaction = await minterDeclaration(
      this.#chain,
      world,
      contractClass,
      compiled,
    );
    const { transaction_hash } = await this.#request('starknet_addDeclareTransaction', {
      declare_transaction,
    });
    return transaction_hash;
  }

  /** Deploys by the universal deployer. Throws an `RpcError` with the reason if the constructor fails. */
  async deploy(deployment: DeployRequest): Promise<DeployedContract> {
    const { address, transactionHash } = await this.#queued(() => this.#deploy(deployment));
    const receipt = await this.#request('starknet_getTransactionReceipt', {
      transaction_hash: transactionHash,
    });
    if (receipt.execution_status === 'REVERTED') {
      throw new RpcError(ERRORS.CONTRACT_ERROR.code, 'The deployment was reverted', {
        revert_error: receipt.revert_reason ?? '',
        transaction_hash: transactionHash,
      });
    }
    return { address, transactionHash };
  }

  async #deploy({ classHash, calldata = [], salt }: DeployRequest): Promise<DeployedContract> {
    const { world } = this.#chain;
    // Unlike a counter of ours, the nonce is also new on a branch and on a chain that was loaded.
    const chosen = feltOf(salt ?? (await world.pendingState.nonceAt(MINTER.address)));
    const args = calldata.map(feltOf);
    // As the universal deployer derives it for an address that depends on the deployer.
    const address = contractAddress({
      salt: pedersenPair(MINTER.address, chosen),
      class_hash: classHash,
      constructor_calldata: args,
      deployer: this.#udc,
    });
    const call = {
      to: this.#udc,
      selector: starknetKeccak('deployContract'),
      calldata: [classHash, chosen, '0x1', hex(args.length), ...args],
    };
    const invoke_transaction = await minterInvoke(this.#chain, world, [call]);
    const response = await this.#request('starknet_addInvokeTransaction', { invoke_transaction });
    return { address, transactionHash: response.transaction_hash };
  }

  #queued<T>(send: () => Promise<T>): Promise<T> {
    return this.#transactions.run(() => sendAgain(send, ATTEMPTS));
  }
}

async function sendAgain<T>(send: () => Promise<T>, attempts: number): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const isOvertaken =
      error instanceof RpcError && error.code === ERRORS.INVALID_TRANSACTION_NONCE.code;
    if (!isOvertaken || attempts <= 1) throw error;
    return sendAgain(send, attempts - 1);
  }
}

async function contentOf(
  artifact: string | URL | object,
): Promise<Readonly<Record<string, unknown>>> {
  if (typeof artifact !== 'string' && !(artifact instanceof URL)) {
    return object(artifact, 'the class');
  }
  const path = typeof artifact === 'string' ? artifact : fileURLToPath(artifact);
  return object(parse(await readRegular(path, String(artifact))), String(artifact));
}

/** A class as `starknet_addDeclareTransaction` takes it, without what is for debuggers. */
function wireClass(content: Readonly<Record<string, unknown>>): BROADCASTED_CONTRACT_CLASS {
  const { sierra_program, contract_class_version, entry_points_by_type, abi } = content;
  const contractClass = { sierra_program, contract_class_version, entry_points_by_type, abi };
  if (isWireClass(contractClass)) return contractClass;
  throw new TypeError('The class is not a Sierra class as a compiler writes it');
}

/** The engine has read the class, so that the kinds of its members are enough. */
function isWireClass(
  value: Readonly<Record<string, unknown>>,
): value is BROADCASTED_CONTRACT_CLASS {
  return (
    Array.isArray(value['sierra_program']) &&
    typeof value['contract_class_version'] === 'string' &&
    isObject(value['entry_points_by_type'])
  );
}

function abiOf({ abi }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const list: unknown = typeof abi === 'string' ? parse(abi) : abi;
  return Array.isArray(list) ? list : [];
}
