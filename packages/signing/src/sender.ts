// Transactions of an account on a node: estimated, signed and sent.
import {
  type Abi,
  type Bounds,
  type Invoke,
  readFailure,
  type Sierra,
  type UserCall,
} from '@starkbox/abi';
import { isObject, type Members, toFelt } from '@starkbox/abi/basics';
import { boundsFrom, callFormatOf, type Fee, invokeOf, NO_BOUNDS } from '@starkbox/abi/internal';
import { type Declare, signedDeclare, signInvoke } from './transaction-hash.js';

/** What a sender needs of a node. */
export interface NodeCalls {
  readonly url: string;
  call(method: string, params?: unknown): Promise<unknown>;
  chainId(): Promise<string>;
  /** The ABI of a contract's class. */
  abiAt(address: string): Promise<Abi>;
}

export interface Signer {
  readonly address: string;
  readonly privateKey: string;
}

/** What a transaction would do. */
export interface Estimate {
  readonly transaction: Invoke;
  readonly bounds: Bounds;
  /** Why the transaction would be reverted. */
  readonly failure: string | undefined;
}

const BLOCK = 'pre_confirmed';
/** Statuses of a transaction that is in the mempool. */
const WAITING = ['RECEIVED', 'CANDIDATE'];
const FLAGS = ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE'];

function fieldsOf(value: unknown, name: string): Members {
  if (isObject(value)) return value;
  throw new TypeError(`The node returned no object for ${name}.`);
}

function firstOf(value: unknown, name: string): Members {
  if (Array.isArray(value)) return fieldsOf(value[0], name);
  throw new TypeError(`The node returned no list for ${name}.`);
}

function feltOf(value: unknown, name: string): string {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return toFelt(BigInt(value));
  throw new TypeError(`The node returned no felt for ${name}.`);
}

async function nonceOf(node: NodeCalls, contract_address: string): Promise<string> {
  const answer = await node.call('starknet_getNonce', { block_id: BLOCK, contract_address });
  return feltOf(answer, 'the nonce');
}

function feeOf(fee: Members): Fee {
  const felt = (name: keyof Fee): string => feltOf(fee[name], name);
  return {
    l1_gas_consumed: felt('l1_gas_consumed'),
    l1_gas_price: felt('l1_gas_price'),
    l1_data_gas_consumed: felt('l1_data_gas_consumed'),
    l1_data_gas_price: felt('l1_data_gas_price'),
    l2_gas_consumed: felt('l2_gas_consumed'),
    l2_gas_price: felt('l2_gas_price'),
  };
}

function failureOf(trace: unknown): string | undefined {
  const execution = isObject(trace) ? trace['execute_invocation'] : undefined;
  const reason = isObject(execution) ? execution['revert_reason'] : undefined;
  return typeof reason === 'string' ? readFailure(reason).message : undefined;
}

/** Simulates the calls as one transaction of the account. */
export async function estimateCalls(
  node: NodeCalls,
  sender: string,
  calls: readonly UserCall[],
): Promise<Estimate> {
  const [nonce, abi] = await Promise.all([nonceOf(node, sender), node.abiAt(sender)]);
  const transaction = invokeOf(sender, calls, nonce, NO_BOUNDS, callFormatOf(abi));
  const answer = await node.call('starknet_simulateTransactions', {
    block_id: BLOCK,
    transactions: [transaction],
    simulation_flags: FLAGS,
  });
  const simulated = firstOf(answer, 'the simulation');
  const bounds = boundsFrom(feeOf(fieldsOf(simulated['fee_estimation'], 'the fee')));
  return { transaction, bounds, failure: failureOf(simulated['transaction_trace']) };
}

interface SentTransaction {
  readonly nonce: bigint;
  readonly hash: string;
}

/** Sends transactions one after the other, because each needs the next nonce. */
export class Sender {
  #queue: Promise<unknown> = Promise.resolve();
  /** The last transaction of an account, by node and address. */
  readonly #last = new Map<string, SentTransaction>();

  /** Sends the calls, also if they would be reverted; the hash of the transaction. */
  invoke(node: NodeCalls, signer: Signer, calls: readonly UserCall[]): Promise<string> {
    return this.#inTurn(async () => {
      const { address, privateKey } = signer;
      const [chainId, { transaction, bounds }] = await Promise.all([
        node.chainId(),
        estimateCalls(node, address, calls),
      ]);
      const nonce = await this.#nonce(node, address, transaction.nonce);
      const bounded = { ...transaction, nonce, resource_bounds: bounds };
      const invoke_transaction = signInvoke(bounded, chainId, privateKey);
      return this.#send(node, address, nonce, 'starknet_addInvokeTransaction', {
        invoke_transaction,
      });
    });
  }

  /** Declares a class; the hash of the transaction. */
  declare(
    node: NodeCalls,
    signer: Signer,
    contract_class: Sierra,
    hashes: { readonly classHash: string; readonly compiledClassHash: string },
  ): Promise<string> {
    return this.#inTurn(async () => {
      const { address, privateKey } = signer;
      const [chainId, here] = await Promise.all([node.chainId(), nonceOf(node, address)]);
      const { calldata: _, ...common } = invokeOf(address, [], here);
      const transaction: Declare = {
        ...common,
        type: 'DECLARE',
        compiled_class_hash: hashes.compiledClassHash,
        contract_class,
      };
      const estimate = await node.call('starknet_estimateFee', {
        request: [transaction],
        simulation_flags: ['SKIP_VALIDATE'],
        block_id: BLOCK,
      });
      const resource_bounds = boundsFrom(feeOf(firstOf(estimate, 'the estimate')));
      const nonce = await this.#nonce(node, address, here);
      const bounded = { ...transaction, nonce, resource_bounds };
      const declare_transaction = signedDeclare(bounded, hashes.classHash, chainId, privateKey);
      return this.#send(node, address, nonce, 'starknet_addDeclareTransaction', {
        declare_transaction,
      });
    });
  }

  /** The node's nonce does not count transactions that wait in its mempool. */
  async #nonce(node: NodeCalls, address: string, here: string): Promise<string> {
    const last = this.#last.get(`${node.url} ${address}`);
    if (!last || BigInt(here) > last.nonce) return here;
    const status = await node
      .call('starknet_getTransactionStatus', { transaction_hash: last.hash })
      .catch(() => undefined);
    const isWaiting =
      isObject(status) && WAITING.some((finality) => finality === status['finality_status']);
    return isWaiting ? toFelt(last.nonce + 1n) : here;
  }

  async #send(
    node: NodeCalls,
    address: string,
    nonce: string,
    method: string,
    params: object,
  ): Promise<string> {
    const answer = fieldsOf(await node.call(method, params), 'the response');
    const hash = feltOf(answer['transaction_hash'], 'the transaction hash');
    this.#last.set(`${node.url} ${address}`, { nonce: BigInt(nonce), hash });
    return hash;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
