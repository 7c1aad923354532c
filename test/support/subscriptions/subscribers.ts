// A node for tests of subscriptions, and sockets that subscribe to it.
import {
  type Client,
  checkedClient,
  connectSocket,
  type Notification,
  type Socket,
} from '@starkbox/test-support';
import { type Config, createChain, type LocalChain } from 'starkbox';
import { closeAfterFile, closeAfterTest } from '../closing.js';
import { Sender, STRK } from '../signing.js';

export interface Audience {
  readonly node: LocalChain;
  readonly url: string;
  /** Asks in this process, past every socket. */
  readonly client: Client;
  /** The first account. */
  readonly sender: Sender;
  /** Another socket, closed after the test. */
  readonly connect: () => Promise<Socket>;
  /** Closes a block past every socket; its hash. */
  readonly block: () => Promise<string>;
  /** Mints a token past every socket; the hash of the transaction. */
  readonly mint: () => Promise<string>;
  /** Sends a token past every socket, from the first account; the hash of the transaction. */
  readonly transfer: () => Promise<string>;
}

/** A node that listens, closed after the tests of the file. */
export async function gather(changes: Partial<Config> = {}): Promise<Audience> {
  const node = await createChain({ seed: 0, accounts: 3, port: 0, ...changes });
  closeAfterFile(() => node.close());
  const { url } = await node.listen();
  const client = checkedClient(node.handle);
  const sender = new Sender(client, node.accounts[0]);
  return {
    node,
    url,
    client,
    sender,
    async connect() {
      const socket = await connectSocket(url);
      // Closing throws if something wrong came that the test did not look at.
      closeAfterTest(() => socket.close());
      return socket;
    },
    block: async () => (await client.call('devnet_createBlock')).block_hash,
    mint: async () => (await client.call('devnet_mint', { address: '0x1', amount: 1 })).tx_hash,
    transfer: () =>
      sender.invoke([{ to: STRK, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] }]),
  };
}

/** What the notifications are about. */
export function results(notifications: readonly Notification[]): readonly unknown[] {
  return notifications.map(({ result }) => result);
}
