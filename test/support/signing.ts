// Requests of an account: made, signed and sent to a node.

import {
  Class,
  contractAddress,
  pedersenPair,
  publicKey,
  sign,
  starknetKeccak,
  storageAddress,
  Transaction,
  type TransactionValues,
} from '@starkbox/engine';
import type { Client } from '@starkbox/test-support';
import { classText, type Generation } from '../../contracts/classes.js';

export const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
export const ETH = '0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7';
export const UDC = '0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125';
export const LEGACY_UDC = '0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf';
/** Pays for what is minted. */
export const MINTER = '0x1caf2df5ed5dde1ae3faef4acd72522ac3cb16e23f6dc4c7f9faed67124c511';
export const ACCOUNT_CLASS = '0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564';
/** The version of a transaction that is only estimated or simulated. */
export const QUERY_VERSION = '0x100000000000000000000000000000003';

/** Who signs. */
export interface Account {
  readonly address: string;
  readonly privateKey: string;
}

export interface Call {
  readonly to: string;
  readonly name: string;
  readonly calldata?: readonly string[];
}

export type Bounds = Readonly<
  Record<'l1_gas' | 'l1_data_gas' | 'l2_gas', { max_amount: string; max_price_per_unit: string }>
>;

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
/** The 64 digits that error texts show. */
export const padded = (felt: string): string => `0x${felt.slice(2).padStart(64, '0')}`;
export const short = (text: string): string => `0x${Buffer.from(text).toString('hex')}`;
export const selector = (name: string): string => starknetKeccak(name);
/** The slot of the lower half of a token balance. */
export const balanceSlot = (holder: string): string => storageAddress('ERC20_balances', [holder]);

export const GWEI = 10n ** 9n;

/** Bounds of so much gas, at a price per unit or one for each. */
export function bounds(
  amount: { readonly l1_gas?: bigint; readonly l1_data_gas?: bigint; readonly l2_gas?: bigint },
  price: bigint = 10n * GWEI,
): Bounds {
  const of = (maxAmount: bigint = 0n) => ({
    max_amount: hex(maxAmount),
    max_price_per_unit: hex(price),
  });
  return {
    l1_gas: of(amount.l1_gas),
    l1_data_gas: of(amount.l1_data_gas),
    l2_gas: of(amount.l2_gas),
  };
}

export const AMPLE: Bounds = bounds({ l1_gas: 100_000n, l1_data_gas: 100_000n, l2_gas: 10n ** 9n });
export const ZERO: Bounds = bounds({}, 0n);

interface Estimate {
  readonly l1_gas_consumed: string;
  readonly l1_data_gas_consumed: string;
  readonly l2_gas_consumed: string;
}

/** Exactly what was estimated, or another amount of L2 gas. */
export function boundsOf(
  estimate: Estimate,
  l2 = (gas: bigint): bigint => gas,
  price: bigint = GWEI,
): Bounds {
  return bounds(
    {
      l1_gas: BigInt(estimate.l1_gas_consumed),
      l1_data_gas: BigInt(estimate.l1_data_gas_consumed),
      l2_gas: l2(BigInt(estimate.l2_gas_consumed)),
    },
    price,
  );
}

const COMMON = {
  version: '0x3',
  tip: '0x0',
  paymaster_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
  resource_bounds: AMPLE,
};

/** Calls as accounts take them. */
export function multicall(calls: readonly Call[]): readonly string[] {
  return [
    hex(calls.length),
    ...calls.flatMap(({ to, name, calldata = [] }) => [
      to,
      selector(name),
      hex(calldata.length),
      ...calldata,
    ]),
  ];
}

/** Signs whatever the transaction hashes to, unless a signature is given. */
function signed(
  values: TransactionValues,
  privateKey: string,
  chainId: string,
  declared?: Class,
): TransactionValues {
  if (values['signature'] !== undefined) return values;
  const { hash } = new Transaction({ ...values, signature: [] }, chainId, declared);
  return { ...values, signature: sign(privateKey, hash) };
}

export interface Signing {
  /** Fields that differ from the usual ones; a signature is made unless one is here. */
  readonly changes?: TransactionValues;
  readonly chainId?: string;
}

export function invokeRequest(
  account: Account,
  calls: readonly Call[],
  nonce: number,
  { changes = {}, chainId = 'SN_SEPOLIA' }: Signing = {},
): TransactionValues {
  const values = {
    type: 'INVOKE',
    ...COMMON,
    sender_address: account.address,
    calldata: multicall(calls),
    account_deployment_data: [],
    nonce: hex(nonce),
    ...changes,
  };
  return signed(values, account.privateKey, chainId);
}

/** A contract of ours, compiled. */
export interface Contract {
  readonly class: Class;
  readonly hash: string;
  readonly compiledHash: string;
  /** As requests carry it. */
  readonly body: unknown;
}

export async function contract(name: string, generation?: Generation): Promise<Contract> {
  const compiled = await Class.compile(await classText(name, generation));
  return {
    class: compiled,
    hash: compiled.hash,
    compiledHash: compiled.compiledClassHash ?? '0x0',
    body: JSON.parse(await compiled.json()),
  };
}

export function declareRequest(
  account: Account,
  declared: Contract,
  nonce: number,
  { changes = {}, chainId = 'SN_SEPOLIA' }: Signing = {},
): TransactionValues {
  const values = {
    type: 'DECLARE',
    ...COMMON,
    sender_address: account.address,
    compiled_class_hash: declared.compiledHash,
    contract_class: declared.body,
    account_deployment_data: [],
    nonce: hex(nonce),
    ...changes,
  };
  return signed(values, account.privateKey, chainId, declared.class);
}

/** An account that is not deployed yet. */
export interface NewAccount extends Account {
  readonly classHash: string;
  readonly salt: string;
  readonly constructorCalldata: readonly string[];
}

/** An account of a key, by default of the predeployed class and with its key as argument. */
export function newAccount(
  privateKey: string,
  {
    classHash = ACCOUNT_CLASS,
    salt = '0x7',
    constructorCalldata = [publicKey(privateKey)],
  }: Partial<Omit<NewAccount, keyof Account>> = {},
): NewAccount {
  const address = contractAddress({
    salt,
    class_hash: classHash,
    constructor_calldata: constructorCalldata,
    deployer: '0x0',
  });
  return { address, privateKey, classHash, salt, constructorCalldata };
}

export function deployAccountRequest(
  account: NewAccount,
  { changes = {}, chainId = 'SN_SEPOLIA' }: Signing = {},
): TransactionValues {
  const values = {
    type: 'DEPLOY_ACCOUNT',
    ...COMMON,
    contract_address_salt: account.salt,
    constructor_calldata: account.constructorCalldata,
    class_hash: account.classHash,
    nonce: '0x0',
    ...changes,
  };
  return signed(values, account.privateKey, chainId);
}

export interface Deployment {
  readonly call: Call;
  readonly address: string;
}

/** A deployment through a universal deployer, not tied to who asks for it. */
export function deployment(
  classHash: string,
  constructorCalldata: readonly string[] = [],
  { salt = '0x1', udc = UDC, name = 'deployContract' } = {},
): Deployment {
  const calldata = [classHash, salt, '0x0', hex(constructorCalldata.length)];
  return {
    call: { to: udc, name, calldata: [...calldata, ...constructorCalldata] },
    address: contractAddress({
      salt,
      class_hash: classHash,
      constructor_calldata: constructorCalldata,
      deployer: '0x0',
    }),
  };
}

/** Where a deployer puts what is tied to who asks for it. */
export function uniqueAddress(
  origin: string,
  { udc, classHash, salt }: { udc: string; classHash: string; salt: string },
): string {
  return contractAddress({
    salt: pedersenPair(origin, salt),
    class_hash: classHash,
    constructor_calldata: [],
    deployer: udc,
  });
}

/** Sends what an account signs, with the nonce that is due. */
export class Sender {
  readonly account: Account;
  readonly #client: Client;

  constructor(client: Client, account: Account | undefined) {
    if (!account) throw new Error('there is no such account');
    this.#client = client;
    this.account = account;
  }

  async nonce(): Promise<number> {
    const { address } = this.account;
    return Number(await this.#client.call('starknet_getNonce', ['pre_confirmed', address]));
  }

  async invokeRequest(calls: readonly Call[], changes?: TransactionValues) {
    return invokeRequest(this.account, calls, await this.nonce(), { ...(changes && { changes }) });
  }

  async declareRequest(declared: Contract, changes?: TransactionValues) {
    return declareRequest(this.account, declared, await this.nonce(), {
      ...(changes && { changes }),
    });
  }

  /** The hash of the transaction; it may have been reverted. */
  async invoke(calls: readonly Call[], changes?: TransactionValues): Promise<string> {
    const request = await this.invokeRequest(calls, changes);
    const { transaction_hash } = await this.#client.call('starknet_addInvokeTransaction', [
      request,
    ]);
    return transaction_hash;
  }

  async declare(declared: Contract, changes?: TransactionValues): Promise<string> {
    const request = await this.declareRequest(declared, changes);
    const { transaction_hash } = await this.#client.call('starknet_addDeclareTransaction', [
      request,
    ]);
    return transaction_hash;
  }

  /** Declares and deploys; the address. */
  async deploy(
    declared: Contract,
    constructorCalldata: readonly string[] = [],
    salt = '0x1',
  ): Promise<string> {
    await this.declare(declared);
    const { call, address } = deployment(declared.hash, constructorCalldata, { salt });
    await this.invoke([call]);
    return address;
  }
}

/** Calls a function, by default at the latest block. */
export function read(
  client: Client,
  to: string,
  name: string,
  calldata: readonly string[] = [],
  blockId: unknown = 'latest',
): Promise<readonly string[]> {
  const request = { contract_address: to, entry_point_selector: selector(name), calldata };
  return client.call('starknet_call', [request, blockId]);
}
