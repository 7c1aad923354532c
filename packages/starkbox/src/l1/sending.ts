// Relay of messages from L2 to L1.
import {
  type InFlight,
  isOutgoing,
  type L1Link,
  type MessageToL1,
  type Outgoing,
} from '../chain/world/messages.js';
import type { Ethereum } from './ethereum/client.js';
import { L1Error } from './ethereum/endpoint.js';
import type { Route } from './route.js';

/** So many messages in a row that L1 refuses mean that something else is wrong. */
const REFUSALS = 16;

/** Whether L1 has got a message, whether it has to be signed anew, or why L1 does not take it. */
type SendOutcome = 'arrived' | 'again' | L1Error;

export class Sending {
  readonly #route: Route;
  /** Why L1 has refused messages, by their ids. They are tried again after all others. */
  readonly #refused = new Map<number, string>();
  /** The transaction that was signed last, by what L1 said then. */
  #signed: string | undefined;

  constructor(route: Route) {
    this.#route = route;
  }

  /** Sends what waits now, in order; those that L1 got. Fails if L1 takes none of them. */
  async send(): Promise<readonly MessageToL1[]> {
    this.#signed = undefined;
    const sent: MessageToL1[] = [];
    const tried = new Set<number>();
    /** What L1 refused since it last took one. */
    const refusals: L1Error[] = [];
    // What is sent from now on is for the next time.
    const { nextId } = this.#route.chain.world.messages;
    while (refusals.length < REFUSALS) {
      this.#route.mustBeOpen();
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
        sent.push(next.message);
      } else {
        refusals.push(outcome);
        this.#note(next, outcome);
      }
    }
    const [reason] = refusals;
    if (reason && sent.length === 0) throw reason;
    return sent;
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
    this.#route.mustBeOpen();
    this.#signed = signed.hash;
    await this.#route.chain.l1Steps.markInFlight(link, { id, ...signed });
    return 'again';
  }

  /** Brings a message in flight to an end. */
  async #bring(node: Ethereum, link: L1Link, inFlight: InFlight): Promise<SendOutcome> {
    const land = (arrived: boolean): Promise<void> => {
      this.#route.mustBeOpen();
      return this.#route.chain.l1Steps.markLanded(inFlight, arrived);
    };
    // The block that sent it was undone. If it is too late, then at least L1 gets it once.
    if (!isOutgoing(this.#route.chain.world.messages, inFlight.id)) {
      await land(false);
      return 'again';
    }
    if (await this.#isOutOfReach(node, link, inFlight)) {
      await land(false);
      return 'again';
    }
    try {
      await node.submit(inFlight.signed);
    } catch (error) {
      if (!(error instanceof L1Error) || !error.isAnswer) throw error;
      // Either L1 has it, or its nonce went to another transaction that was signed with the same key.
      const isTaken = (await node.nonceOf(link.key, 'latest')) > inFlight.nonce;
      if (!(await node.knows(inFlight.hash))) {
        // The next one is signed anew, perhaps at another price; of two with one nonce, one is mined.
        await land(false);
        return isTaken ? 'again' : error;
      }
    }
    const { isSuccess } = await node.waitFor(inFlight.hash);
    await this.#route.options.settle(link.url);
    await land(isSuccess);
    if (isSuccess) return 'arrived';
    return new L1Error(
      `the messaging contract refused a message, see L1 transaction ${inFlight.hash}`,
    );
  }

  /** Whether L1 has lost transactions before this one, which would wait for them forever. */
  async #isOutOfReach(node: Ethereum, { key }: L1Link, inFlight: InFlight): Promise<boolean> {
    if (inFlight.hash === this.#signed) return false;
    const next = await node.nonceOf(key, 'pending');
    return inFlight.nonce > next && !(await node.knows(inFlight.hash));
  }

  /** One reason is logged once. */
  #note({ id, message }: Outgoing, { message: reason }: L1Error): void {
    if (this.#refused.get(id) === reason) return;
    this.#refused.set(id, reason);
    this.#route.options.log.error(
      { from: message.from_address, to: message.to_address },
      `L1 does not take a message, which is kept and tried again: ${reason}`,
    );
  }
}

/** In place of a message that is gone: what is in flight for it has to be taken back. */
function undoneMessage({ id }: InFlight): Outgoing {
  return { id, block: 0, message: { from_address: '0x0', to_address: '0x0', payload: [] } };
}
