// Relay of messages from L2 to L1.
import { markInFlight, markLanded } from '../chain/l1-messages.js';
import {
  type InFlight,
  isOutgoing,
  type L1Link,
  type MessageToL1,
  type Outgoing,
} from '../chain/world/messages.js';
import type { Ethereum } from './ethereum/client.js';
import { L1Error } from './ethereum/l1-error.js';
import type { Route } from './route.js';

/** After this many refusals in a row the fault is assumed to be in L1, not in the messages. */
const REFUSALS = 16;

/** A message was mined, has to be tried again, or was refused. */
type SendOutcome = 'arrived' | 'again' | L1Error;

export class Sending {
  readonly #route: Route;
  /** Reasons of refusals by message id. Refused messages are tried again after all others. */
  readonly #refused = new Map<number, string>();
  /** Hash of the transaction that was signed last, with the nonce that L1 returned then. */
  #signed: string | undefined;

  constructor(route: Route) {
    this.#route = route;
  }

  /** Sends waiting messages in order. Throws if all are refused. @returns those that were mined */
  async send(): Promise<readonly MessageToL1[]> {
    this.#signed = undefined;
    const messages: MessageToL1[] = [];
    const tried = new Set<number>();
    /** Refusals since the last success. */
    const refusals: L1Error[] = [];
    // Messages from later blocks belong to the next run.
    const { nextId } = this.#route.chain.world.messages;
    while (refusals.length < REFUSALS) {
      this.#route.assertOpen();
      const link = this.#route.link();
      const node = await this.#route.nodeAt(link.url);
      const next = this.#next(link, nextId, tried);
      if (!next) break;
      const outcome = await this.#carry(node, link, next);
      if (outcome === 'again') continue;
      tried.add(next.id);
      if (outcome === 'arrived') {
        refusals.length = 0;
        this.#refused.delete(next.id);
        messages.push(next.message);
      } else {
        refusals.push(outcome);
        this.#note(next, outcome);
      }
    }
    const [reason] = refusals;
    if (reason && messages.length === 0) throw reason;
    return messages;
  }

  /** The message in flight, or the oldest that was not tried; those that were refused come last. */
  #next({ inFlight }: L1Link, nextId: number, tried: ReadonlySet<number>): Outgoing | undefined {
    const { outgoing } = this.#route.chain.world.messages;
    if (inFlight) {
      return outgoing.find(({ id }) => id === inFlight.id) ?? undoneMessage(inFlight);
    }
    const mayGo = ({ id }: Outgoing): boolean => id < nextId && !tried.has(id);
    return (
      outgoing.find((entry) => mayGo(entry) && !this.#refused.has(entry.id)) ?? outgoing.find(mayGo)
    );
  }

  async #carry(node: Ethereum, link: L1Link, { id, message }: Outgoing): Promise<SendOutcome> {
    if (link.inFlight) return this.#bring(node, link, link.inFlight);
    let signed: Omit<InFlight, 'id'>;
    try {
      signed = await node.signMessage(link.key, link.contract, message);
    } catch (error) {
      if (error instanceof L1Error && error.isAnswer) return error;
      throw error;
    }
    this.#route.assertOpen();
    this.#signed = signed.hash;
    await markInFlight(this.#route.chain, link, { id, ...signed });
    return 'again';
  }

  /** Submits the transaction in flight and waits for its result. */
  async #bring(node: Ethereum, link: L1Link, inFlight: InFlight): Promise<SendOutcome> {
    const recordOutcome = (arrived: boolean): Promise<void> => {
      this.#route.assertOpen();
      return markLanded(this.#route.chain, inFlight, arrived);
    };
    // The block that sent it was reverted. If it is already mined, it stays mined once.
    if (!isOutgoing(this.#route.chain.world.messages, inFlight.id)) {
      await recordOutcome(false);
      return 'again';
    }
    if (await this.#isOutOfReach(node, link, inFlight)) {
      await recordOutcome(false);
      return 'again';
    }
    try {
      await node.submit(inFlight.signed);
    } catch (error) {
      if (!(error instanceof L1Error) || !error.isAnswer) throw error;
      // Either L1 has it, or another transaction of the same key used its nonce.
      const isTaken = (await node.nonceOf(link.key, 'latest')) > inFlight.nonce;
      if (!(await node.hasTransaction(inFlight.hash))) {
        // The next attempt signs again; of two transactions with one nonce, one is mined.
        await recordOutcome(false);
        return isTaken ? 'again' : error;
      }
    }
    const { isSuccess } = await node.waitFor(inFlight.hash);
    await this.#route.options.settle(link.url);
    await recordOutcome(isSuccess);
    if (isSuccess) return 'arrived';
    return new L1Error(
      `the messaging contract rejected a message, see L1 transaction ${inFlight.hash}`,
    );
  }

  /** Whether L1 lost earlier transactions, so that this nonce can never be reached. */
  async #isOutOfReach(node: Ethereum, { key }: L1Link, inFlight: InFlight): Promise<boolean> {
    if (inFlight.hash === this.#signed) return false;
    const next = await node.nonceOf(key, 'pending');
    return inFlight.nonce > next && !(await node.hasTransaction(inFlight.hash));
  }

  /** Logs each reason once per message. */
  #note({ id, message }: Outgoing, { message: reason }: L1Error): void {
    if (this.#refused.get(id) === reason) return;
    this.#refused.set(id, reason);
    this.#route.options.log.error(
      { from: message.from_address, to: message.to_address },
      `L1 rejected a message, retrying later: ${reason}`,
    );
  }
}

/** Placeholder for a message whose block was reverted while it was in flight. */
function undoneMessage({ id }: InFlight): Outgoing {
  return { id, block: 0, message: { from_address: '0x0', to_address: '0x0', payload: [] } };
}
