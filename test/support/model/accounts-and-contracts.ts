// Accounts, contracts and classes of the random histories, and their storage slots.
import { readFile } from 'node:fs/promises';
import {
  builtinClass,
  Class,
  contractAddress,
  publicKey,
  starknetKeccak,
  storageAddress,
} from '@starkbox/engine';
import { createChain } from 'starkbox';
import { MINTER } from '../signing.js';

export const CHAIN_ID = 'SN_SEPOLIA';
export const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
export const ETH = '0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7';
export const SEQUENCER = '0x1000';
export const SEED = 0;
export const INITIAL_BALANCE = 10n ** 21n;
export const MINTER_BALANCE = 2n ** 255n;
/** The interfaces of accounts, and of those that others may call for them. */
const SRC9 = '0x1d1144bb2138366ff28d8e9ab57456b1d332ac42196230c3a602003c89872';
const SRC6 = '0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd';

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
export const selector = (name: string): string => starknetKeccak(name);

export interface Account {
  readonly address: string;
  readonly privateKey: string;
  readonly publicKey: string;
}

const MINTER_KEY = '0x5fb2959e3011a873a7160f5bb32b0ece';
export const minter: Account = {
  address: MINTER,
  privateKey: MINTER_KEY,
  publicKey: publicKey(MINTER_KEY),
};
const firstNode = await createChain({ seed: SEED, accounts: 3 });
await firstNode.close();
/** There from the start. */
export const { accounts }: { readonly accounts: readonly Account[] } = firstNode;

export const accountClass: Class = await builtinClass('account');
const LATE_KEY = '0x1a7e';
export const LATE_SALT = '0x7';
/** Not there until it deploys itself. */
export const late: Account = {
  privateKey: LATE_KEY,
  publicKey: publicKey(LATE_KEY),
  address: contractAddress({
    salt: LATE_SALT,
    class_hash: accountClass.hash,
    constructor_calldata: [publicKey(LATE_KEY)],
    deployer: '0x0',
  }),
};
export const senders: readonly Account[] = [...accounts, late];

/** All holders of tokens, by their names in printed commands. */
export const holders = [
  ...senders.map(({ address }, index) => ({ name: `a${index}`, address })),
  { name: 'undeployed', address: '0xbeef' },
  { name: 'sequencer', address: SEQUENCER },
  { name: 'minter', address: minter.address },
] as const;

export const holder = (index: number) => holders[index % holders.length] ?? holders[0];
export const sender = (index: number): Account => senders[index % senders.length] ?? late;

// Contracts of ours.

async function contract(
  name: string,
): Promise<{ readonly compiledClass: Class; readonly wire: unknown }> {
  const file = new URL(`../../../contracts/cairo/${name}.sierra.json`, import.meta.url);
  const compiledClass = await Class.compile(await readFile(file, 'utf8'));
  return { compiledClass, wire: JSON.parse(await compiledClass.json()) };
}

export const counterClass = await contract('counter');
export const messengerClass = await contract('messenger');
/** Declared only by transactions. */
export const spareClass = await contract('upgraded');

export const COUNTER = '0xc0ffee';
export const MESSENGER = '0x3e55';
/** Where counters are put by state differences. */
export const SPARES: readonly string[] = ['0x5a', '0x5b'];
/** Where messages go. */
export const L1_RECEIVER = `0x${'1'.repeat(40)}`;
export const L1_SENDER = `0x${'2'.repeat(40)}`;

// Where things are stored.

export const COUNT: string = storageAddress('count');
export const L1_SENDER_SLOT: string = storageAddress('sender');
export const heldSlot = (user: string): string => storageAddress('held', [user]);

const balanceSlots = new Map<string, string>();
export function balanceSlot(owner: string): string {
  const slot = balanceSlots.get(owner) ?? storageAddress('ERC20_balances', [owner]);
  balanceSlots.set(owner, slot);
  return slot;
}
export const SUPPLY: string = storageAddress('ERC20_total_supply');

/** What is written for an account that is there from the start. */
export const accountSlots = (account: Account): readonly (readonly [string, string])[] => [
  [storageAddress('Account_public_key'), account.publicKey],
  [storageAddress('SRC5_supported_interfaces', [SRC6]), '0x1'],
];

/** What its constructor writes for an account that deploys itself. */
export const deployedSlots = (account: Account): readonly (readonly [string, string])[] => [
  ...accountSlots(account),
  [storageAddress('SRC5_supported_interfaces', [SRC9]), '0x1'],
];
