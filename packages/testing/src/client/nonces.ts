// Nonces of one account: transactions that are sent at the same time get one each, in the order of the calls.
import { RpcError } from 'starknet';

export class Nonces {
  readonly #read: () => Promise<bigint>;
  /** The end of the queue. */
  #tail: Promise<unknown> = Promise.resolve();
  /** Undefined where only the chain can tell. */
  #next: bigint | undefined;

  constructor(read: () => Promise<bigint>) {
    this.#read = read;
  }

  /** Sends with the next nonce, after everything that was sent before. */
  send<T>(send: (nonce: bigint) => Promise<T>): Promise<T> {
    return this.#enqueue(() => this.#attempt(send));
  }

  /** Sends with a nonce that the caller chose. */
  sendWithout<T>(send: () => Promise<T>): Promise<T> {
    return this.#enqueue(() => {
      this.#next = undefined;
      return send();
    });
  }

  /** The chain was put back, or another client has sent. */
  forget(): void {
    this.#next = undefined;
  }

  #enqueue<T>(run: () => Promise<T>): Promise<T> {
    const transaction = this.#tail.then(run);
    this.#tail = transaction.catch(() => undefined);
    return transaction;
  }

  async #attempt<T>(send: (nonce: bigint) => Promise<T>): Promise<T> {
    const remembered = this.#next;
    const nonce = remembered ?? (await this.#read());
    this.#next = undefined;
    try {
      const answer = await send(nonce);
      this.#next = nonce + 1n;
      return answer;
    } catch (error) {
      // Another client has sent, or the chain was put back.
      if (remembered !== undefined && isAboutNonce(error)) return this.#attempt(send);
      // A transaction that was refused has taken no nonce.
      if (error instanceof RpcError) this.#next = nonce;
      throw error;
    }
  }
}

function isAboutNonce(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return error.code === 52 || /\bnonce\b/i.test(JSON.stringify(error.baseError));
}
