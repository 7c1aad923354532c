// Knows a small chain to test the engine on: tokens, deployers, accounts, and signed transactions.

import { readFile } from 'node:fs/promises';
import {
  Block,
  type BlockValues,
  type BuiltinClass,
  builtinClass,
  Class,
  contractAddress,
  hades,
  publicKey,
  State,
  type StateDiff,
  seededPrivateKeys,
  sign,
  starknetKeccak,
  storageAddress,
  Transaction,
  type TransactionValues,
} from '@starkbox/engine';

export const CHAIN_ID = 'SN_SEPOLIA';
export const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
export const ETH = '0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7';
export const UDC = '0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125';
export const LEGACY_UDC = '0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf';
export const MINTER = '0x1caf2df5ed5dde1ae3faef4acd72522ac3cb16e23f6dc4c7f9faed67124c511';
export const MINTER_KEY = '0x5fb2959e3011a873a7160f5bb32b0ece';
/** The class hash that account addresses are derived from, whatever class they run. */
const ADDRESS_CLASS = '0x3fcbf77b28c96f4f2fb5bd2d176ab083a12a5e123adeb0de955d7ee228c9854';
const SRC6 = '0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd';

const GWEI = { wei: '1000000000', fri: '1000000000' };

export interface Account {
  readonly address: string;
  readonly privateKey: string;
  readonly publicKey: string;
}

export interface Call {
  readonly to: string;
  readonly name: string;
  readonly calldata: readonly string[];
}

/** The felts are the numbers below it. */
export const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`;

export function blockValues(number: number, changes: Partial<BlockValues> = {}): BlockValues {
  return {
    number,
    timestamp: 1_700_000_000 + number,
    sequencer_address: '0x1000',
    chain_id: CHAIN_ID,
    fee_tokens: { strk: STRK, eth: ETH },
    gas_prices: { l1_gas: GWEI, l1_data_gas: GWEI, l2_gas: GWEI },
    ...changes,
  };
}

export function block(number = 1, changes: Partial<BlockValues> = {}): Block {
  return new Block(blockValues(number, changes));
}

export function seededAccounts(seed: number, count: number): readonly Account[] {
  return seededPrivateKeys(seed, count).map((privateKey) => {
    const key = publicKey(privateKey);
    const address = contractAddress({
      salt: '0x14',
      class_hash: ADDRESS_CLASS,
      constructor_calldata: [key],
      deployer: '0x0',
    });
    return { address, privateKey, publicKey: key };
  });
}

function shortString(text: string): string {
  return `0x${Buffer.from(text).toString('hex')}`;
}

const successor = (slot: string): string => hex(BigInt(slot) + 1n);

/** A short ByteArray in storage: its length, and its bytes at an address derived from the slot. */
function byteArray(variable: string, text: string): readonly { key: string; value: string }[] {
  const slot = storageAddress(variable);
  const [word = '0x0'] = hades([slot, '0x0', shortString('ByteArray')]);
  const modulus = 2n ** 251n - 256n;
  return [
    { key: slot, value: hex(text.length) },
    { key: hex(BigInt(word) % modulus), value: shortString(text) },
  ];
}

const ACCOUNT_BALANCE = 10n ** 21n;
const MINTER_BALANCE = 2n ** 255n;
const LOW = 2n ** 128n - 1n;

/** A u256 in storage: its low half, and its high half in the next slot if there is one. */
function u256(slot: string, value: bigint): readonly { key: string; value: string }[] {
  const low = { key: slot, value: hex(value & LOW) };
  return value > LOW ? [low, { key: successor(slot), value: hex(value >> 128n) }] : [low];
}

/** Balances written straight into a token, as every local chain starts. */
function token(address: string, name: string, symbol: string, accounts: readonly Account[]) {
  const balance = (holder: string, amount: bigint) =>
    u256(storageAddress('ERC20_balances', [holder]), amount);
  const supply = BigInt(accounts.length) * ACCOUNT_BALANCE + MINTER_BALANCE;
  const entries = [
    ...byteArray('ERC20_name', name),
    ...byteArray('ERC20_symbol', symbol),
    { key: storageAddress('ERC20_decimals'), value: '0x12' },
    { key: storageAddress('permitted_minter'), value: MINTER },
    ...accounts.flatMap((account) => balance(account.address, ACCOUNT_BALANCE)),
    ...balance(MINTER, MINTER_BALANCE),
    ...u256(storageAddress('ERC20_total_supply'), supply),
  ];
  return { address, storage_entries: entries };
}

export interface Genesis {
  /** Block 0 is closed; block 1 is being written. */
  readonly state: State;
  readonly accounts: readonly Account[];
  readonly minter: Account;
  readonly classes: Readonly<Record<BuiltinClass, Class>>;
}

const NAMES = [
  'account',
  'account-cairo0',
  'strk',
  'eth',
  'udc',
  'udc-cairo0',
  'argent',
  'argent-multisig',
] as const;

/** The state difference and classes of block 0. */
export async function genesisDiff(): Promise<{
  diff: Partial<StateDiff>;
  genesis: Omit<Genesis, 'state'>;
}> {
  const accounts = seededAccounts(0, 10);
  const minter = { address: MINTER, privateKey: MINTER_KEY, publicKey: publicKey(MINTER_KEY) };
  const loaded = await Promise.all(NAMES.map(builtinClass));
  const at = (name: BuiltinClass): Class => {
    const found = loaded[NAMES.indexOf(name)];
    if (!found) throw new Error(`${name} was not loaded`);
    return found;
  };
  const classes: Genesis['classes'] = {
    account: at('account'),
    'account-cairo0': at('account-cairo0'),
    strk: at('strk'),
    eth: at('eth'),
    udc: at('udc'),
    'udc-cairo0': at('udc-cairo0'),
    argent: at('argent'),
    'argent-multisig': at('argent-multisig'),
  };
  const everyone = [...accounts, minter];
  const interfaces = storageAddress('SRC5_supported_interfaces', [SRC6]);
  const diff: Partial<StateDiff> = {
    deployed_contracts: [
      { address: STRK, class_hash: classes.strk.hash },
      { address: ETH, class_hash: classes.eth.hash },
      { address: UDC, class_hash: classes.udc.hash },
      { address: LEGACY_UDC, class_hash: classes['udc-cairo0'].hash },
      ...everyone.map(({ address }) => ({ address, class_hash: classes.account.hash })),
    ],
    storage_diffs: [
      token(STRK, 'StarkNet Token', 'STRK', accounts),
      token(ETH, 'Ether', 'ETH', accounts),
      ...everyone.map((account) => ({
        address: account.address,
        storage_entries: [
          { key: storageAddress('Account_public_key'), value: account.publicKey },
          { key: interfaces, value: '0x1' },
        ],
      })),
    ],
  };
  return { diff, genesis: { accounts, minter, classes } };
}

export function firstAccount({ accounts }: Pick<Genesis, 'accounts'>): Account {
  const [first] = accounts;
  if (!first) throw new Error('no account');
  return first;
}

export async function genesis(): Promise<Genesis> {
  const { diff, genesis } = await genesisDiff();
  const state = (await State.create().apply(diff, Object.values(genesis.classes))).advance();
  return { ...genesis, state };
}

export function bounds(amount: bigint, price = 10n ** 10n) {
  return { max_amount: hex(amount), max_price_per_unit: hex(price) };
}

export const AMPLE = {
  l1_gas: bounds(100_000n),
  l1_data_gas: bounds(100_000n),
  l2_gas: bounds(500_000_000n),
};

const COMMON = {
  version: '0x3',
  tip: '0x0',
  paymaster_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
  resource_bounds: AMPLE,
};

export function multicall(calls: readonly Call[]): readonly string[] {
  return [
    hex(calls.length),
    ...calls.flatMap(({ to, name, calldata }) => [
      to,
      starknetKeccak(name),
      hex(calldata.length),
      ...calldata,
    ]),
  ];
}

/** Signs whatever the transaction hashes to. */
export function signed(
  values: TransactionValues,
  privateKey: string,
  declared?: Class,
): TransactionValues {
  const { hash } = new Transaction({ ...values, signature: [] }, CHAIN_ID, declared);
  return { ...values, signature: sign(privateKey, hash) };
}

export function invokeValues(
  account: Account,
  calls: readonly Call[],
  nonce: number,
  changes: TransactionValues = {},
): TransactionValues {
  return signed(
    {
      type: 'INVOKE',
      ...COMMON,
      sender_address: account.address,
      calldata: multicall(calls),
      account_deployment_data: [],
      nonce: hex(nonce),
      ...changes,
    },
    account.privateKey,
  );
}

export function invoke(
  account: Account,
  calls: readonly Call[],
  nonce: number,
  changes: TransactionValues = {},
): Transaction {
  return new Transaction(invokeValues(account, calls, nonce, changes), CHAIN_ID);
}

export function transfer(from: Account, to: string, amount: number, nonce: number): Transaction {
  return invoke(from, [{ to: STRK, name: 'transfer', calldata: [to, hex(amount), '0x0'] }], nonce);
}

export function declareValues(
  account: Account,
  declared: Class,
  nonce: number,
  changes: TransactionValues = {},
): TransactionValues {
  return signed(
    {
      type: 'DECLARE',
      ...COMMON,
      sender_address: account.address,
      compiled_class_hash: declared.compiledClassHash ?? '0x0',
      account_deployment_data: [],
      nonce: hex(nonce),
      ...changes,
    },
    account.privateKey,
    declared,
  );
}

export function deployAccountValues(
  privateKey: string,
  classHash: string,
  changes: TransactionValues = {},
): TransactionValues {
  return signed(
    {
      type: 'DEPLOY_ACCOUNT',
      ...COMMON,
      contract_address_salt: '0x7',
      constructor_calldata: [publicKey(privateKey)],
      class_hash: classHash,
      nonce: '0x0',
      ...changes,
    },
    privateKey,
  );
}

/** Our own contracts, as their compiler wrote them. */
export async function contractText(name: string): Promise<string> {
  const file = new URL(`../../../contracts/cairo/${name}.sierra.json`, import.meta.url);
  return readFile(file, 'utf8');
}

export async function contractClass(name: string): Promise<Class> {
  return Class.compile(await contractText(name));
}

/** Puts a contract of ours at an address, without a constructor. */
export async function place(state: State, name: string, address: string): Promise<State> {
  const declared = await contractClass(name);
  return state.apply({ deployed_contracts: [{ address, class_hash: declared.hash }] }, [declared]);
}
