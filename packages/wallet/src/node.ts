// JSON-RPC client of one node.

import { type Abi, readAbi } from '@starkbox/abi';
import { isObject } from '@starkbox/abi/basics';
import { WalletError } from './errors.js';
import { fieldsOf, textOf } from './read.js';

/** An error that the node answered. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class WalletNode {
  readonly url: string;
  readonly #token: string | undefined;
  /** By class hash; a class never changes. */
  readonly #abis = new Map<string, Promise<Abi>>();

  constructor(url: string, token?: string) {
    this.url = url;
    this.#token = token;
  }

  async call(method: string, params: unknown = {}): Promise<unknown> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }).catch((cause: unknown) => {
      throw new WalletError('UNKNOWN_ERROR', `The node at ${this.url} did not respond: ${cause}`);
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (!isObject(answer)) {
      const reason = `The node at ${this.url} responded to ${method} with status ${response.status} and no JSON.`;
      throw new WalletError('UNKNOWN_ERROR', reason);
    }
    const { error, result } = answer;
    if (!isObject(error)) return result;
    throw new NodeError(Number(error['code']), String(error['message']), error['data']);
  }

  async chainId(): Promise<string> {
    return textOf(await this.call('starknet_chainId'), 'the chain id');
  }

  /** The ABI of a contract's class; one without functions if there is no contract. */
  async abiAt(contract_address: string): Promise<Abi> {
    const block_id = 'pre_confirmed';
    const hash = await this.call('starknet_getClassHashAt', { block_id, contract_address }).catch(
      () => undefined,
    );
    if (typeof hash !== 'string') return readAbi([]);
    const cached = this.#abis.get(hash);
    if (cached) return cached;
    const reading = this.call('starknet_getClass', { block_id, class_hash: hash }).then(
      (contractClass) => readAbi(fieldsOf(contractClass, 'the class')['abi']),
    );
    reading.catch(() => this.#abis.delete(hash));
    this.#abis.set(hash, reading);
    return reading;
  }
}
