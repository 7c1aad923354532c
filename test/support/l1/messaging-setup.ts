// A node, an Anvil and the messenger contract on L2, for tests of messages.

import { messageToL1Hash } from '@starkbox/engine';
import type { Client } from '@starkbox/test-support';
import type { Config, LocalChain } from 'starkbox';
import { startFixture } from '../fixture.js';
import { contract, hex, read, type Sender, selector } from '../signing.js';
import { type Anvil, asHex, type L1Client, messagingAt, mined } from './anvil.js';

export interface MessagingSetup {
  readonly node: LocalChain;
  readonly client: Client;
  readonly sender: Sender;
  readonly messenger: string;
}

/** A node with the messenger deployed; its nonces and its addresses are always the same. */
export async function startMessaging(config: Partial<Config> = {}): Promise<MessagingSetup> {
  const { node, client, sender } = await startFixture(config);
  const messenger = await deployMessenger(sender);
  return { node, client, sender, messenger };
}

export async function deployMessenger(sender: Sender): Promise<string> {
  return sender.deploy(await contract('messenger'));
}

/** Connects with an L1; the messaging contract. */
export async function load(
  { client }: Pick<MessagingSetup, 'client'>,
  anvil: Pick<Anvil, 'url'>,
): Promise<string> {
  const params = { network_url: anvil.url };
  return (await client.call('devnet_postmanLoad', params)).messaging_contract_address;
}

/** Deposits by a message from L1; the hash of the L1 transaction. */
export async function deposit(
  l1: L1Client,
  contractAddress: string,
  messenger: string,
  user: string,
  amount: number,
): Promise<string> {
  const { write } = messagingAt(l1, contractAddress);
  const payload = [BigInt(user), BigInt(amount)];
  const hash = await write.sendMessageToL2(
    [BigInt(messenger), BigInt(selector('deposit')), payload],
    { value: 10n ** 9n },
  );
  await mined(l1, hash);
  return hash;
}

/** Sends any payload to L1. */
export async function send(
  { sender, messenger }: MessagingSetup,
  to: string,
  payload: readonly string[],
): Promise<string> {
  const calldata = [to, hex(payload.length), ...payload];
  return sender.invoke([{ to: messenger, name: 'send', calldata }]);
}

export async function balanceOf(
  { client, messenger }: MessagingSetup,
  user: string,
): Promise<number> {
  const [balance] = await read(client, messenger, 'balance_of', [user]);
  return Number(balance);
}

/** The number of unconsumed copies of a message on L1. */
export async function received(
  l1: L1Client,
  contractAddress: string,
  message: Parameters<typeof messageToL1Hash>[0],
): Promise<number> {
  const { read } = messagingAt(l1, contractAddress);
  return Number(await read.l2ToL1Messages([asHex(messageToL1Hash(message))]));
}
