// Test chain that grows by one transfer per block.
import { setImmediate as turn } from 'node:timers/promises';
import { poseidon, type TransactionValues } from '@starkbox/engine';
import { type Config, createNode, type Starkbox } from 'starkbox';
import {
  type Account,
  type Call,
  hex,
  invokeValues,
  multicall,
  STRK,
} from '../packages/engine/test/fixtures/chain.js';

const ACCOUNTS = 100;

export const request = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

export const callsFor = (to: string): readonly Call[] => [
  { to: STRK, name: 'transfer', calldata: [to, '0x1', '0x0'] },
];

/** Every receiver is new, which is the largest state change of a transfer. */
export const receiver = (block: number): string => poseidon([hex(block)]);

/** A transfer that serves as the template of others. */
let pattern: TransactionValues | undefined;

/** Values with an invalid signature of the right length. */
function unsignedValues(from: Account, calls: readonly Call[], nonce: number): TransactionValues {
  pattern ??= invokeValues(from, calls, nonce);
  return {
    ...pattern,
    sender_address: from.address,
    calldata: multicall(calls),
    nonce: hex(nonce),
  };
}

/** A node whose chain grows by one transfer per block. */
export class GrowingChain {
  readonly node: Starkbox;
  readonly #isSigned: boolean;
  length = 0;

  constructor(node: Starkbox, isSigned: boolean) {
    this.node = node;
    this.#isSigned = isSigned;
  }

  /** Transfers as users send them. */
  static async signed(
    stateArchive: 'full' | 'none',
    config: Partial<Config> = {},
  ): Promise<GrowingChain> {
    const node = await createNode({ seed: 0, accounts: ACCOUNTS, stateArchive, ...config });
    return new GrowingChain(node, true);
  }

  /** Unsigned transfers: a quarter faster, otherwise the same. */
  static async impersonated(config: Partial<Config> = {}): Promise<GrowingChain> {
    const node = await createNode({ seed: 0, accounts: ACCOUNTS, ...config });
    await node.request('devnet_autoImpersonate');
    return new GrowingChain(node, false);
  }

  /** The request that produces block `number`. */
  transfer(number: number): string {
    const { accounts } = this.node;
    const sent = number - 1;
    const sender = accounts[sent % accounts.length];
    if (!sender) throw new Error('no account');
    const nonce = Math.floor(sent / accounts.length);
    const make = this.#isSigned ? invokeValues : unsignedValues;
    return request('starknet_addInvokeTransaction', {
      invoke_transaction: make(sender, callsFor(receiver(number)), nonce),
    });
  }

  /** Grows to a length, or until the deadline. */
  async growTo(length: number, deadline = Number.POSITIVE_INFINITY): Promise<void> {
    let next = this.transfer(this.length + 1);
    while (this.length < length && performance.now() < deadline) {
      const answer = this.node.handle(next);
      // Signing overlaps with execution.
      await turn();
      next = this.transfer(this.length + 2);
      accepted(await answer);
      this.length += 1;
    }
    await this.#mustHaveSucceeded();
  }

  /** A reverted transfer would be accepted too, but costs less. */
  async #mustHaveSucceeded(): Promise<void> {
    const transaction_hash = await this.hashIn(this.length);
    const status = await this.node.request('starknet_getTransactionStatus', { transaction_hash });
    const { execution_status }: { execution_status?: unknown } = Object(status);
    if (execution_status !== 'SUCCEEDED') throw new Error(`a transfer ${execution_status}`);
  }

  async hashIn(number: number): Promise<string> {
    const block_id = { block_number: number };
    const block = await this.node.request('starknet_getBlockWithTxHashes', { block_id });
    const { transactions }: { transactions?: readonly unknown[] } = Object(block);
    const [hash] = transactions ?? [];
    if (typeof hash !== 'string') throw new Error(`block ${number} is empty`);
    return hash;
  }
}

export function accepted(answer: string | undefined): void {
  if (answer === undefined || answer.includes('"error":')) throw new Error(`answered ${answer}`);
}
