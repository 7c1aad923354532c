// Batch of calls whose answer is read as it comes, with pauses, even if the connection breaks.
import { type IncomingMessage, request } from 'node:http';
import { seededAccounts } from '../../../engine/test/fixtures/chain.js';

export interface BatchCall {
  readonly method: string;
  readonly params: object;
}

/** The account of these nodes that signs. */
export const [SIGNER] = seededAccounts(0, 1);

/** A call whose answer is longer than the pieces in which batches are sent. */
export const LONG_CALL: BatchCall = {
  method: 'starknet_getClassAt',
  params: { block_id: 'latest', contract_address: SIGNER?.address },
};

export class OpenBatch {
  /** Resolved when the first bytes of the answer have come, or the connection has ended. */
  readonly begun: Promise<void>;
  /** Resolved when the answer is complete, or the connection has ended. */
  readonly ended: Promise<void>;
  #text = '';
  #response: IncomingMessage | undefined;

  /** The calls have their places as ids. */
  constructor(url: string, calls: readonly BatchCall[], { isPaused = false } = {}) {
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
    let onBegun = (): void => undefined;
    this.begun = new Promise((resolve) => {
      onBegun = resolve;
    });
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        onBegun();
        resolve();
      };
      const headers = { 'content-type': 'application/json', connection: 'close' };
      const outgoing = request(url, { method: 'POST', headers, agent: false }, (response) => {
        this.#response = response;
        response.setEncoding('utf8').on('data', (piece: string) => {
          this.#text += piece;
        });
        response.on('error', end).on('close', end);
        if (isPaused) response.pause();
        onBegun();
      });
      outgoing.on('error', end).end(body);
    });
  }

  /** Reads the rest of a paused answer. */
  resume(): void {
    this.#response?.resume();
  }

  /** The number that a call was answered with, if that has come. */
  numberOf(call: number): number | undefined {
    const [, digits] = new RegExp(`"id":${call},"result":(\\d+)}`).exec(this.#text) ?? [];
    return digits === undefined ? undefined : Number(digits);
  }

  /** The hash of the transaction that a call was answered with, if that has come. */
  transactionOf(call: number): string | undefined {
    const answer = new RegExp(`"id":${call},"result":{[^{}]*"tx_hash":"(0x[0-9a-f]+)"`);
    return answer.exec(this.#text)?.[1];
  }
}
