// Requests with signed transactions, made before they are measured.
import { readFile } from 'node:fs/promises';
import { membersOf } from '@starkbox/abi/basics';
import { Class, starknetKeccak, type TransactionValues } from '@starkbox/engine';
import {
  type Account,
  AMPLE,
  bounds,
  type Call,
  declareValues,
  hex,
  invokeValues,
  multicall,
  STRK,
  UDC,
} from '../../packages/engine/test/fixtures/chain.js';
import { CONTRACTS } from '../repository.js';
import { type RpcClient, rpcBody } from './rpc-client.js';

/** A transfer of one to a receiver. */
export const transferTo = (receiver: string): Call => ({
  to: STRK,
  name: 'transfer',
  calldata: [receiver, '0x1', '0x0'],
});

export type BlockId = string | { readonly block_hash: string };

/** Parameters of `starknet_call`. */
export const callParams = (
  { to, name, calldata }: Call,
  block_id: BlockId = 'latest',
): { readonly request: object; readonly block_id: BlockId } => ({
  request: { contract_address: to, entry_point_selector: starknetKeccak(name), calldata },
  block_id,
});

/** A receiver for each transfer: a new one is the largest state change of a transfer. */
export const receiver = (serial: number): string => hex(0x1000_0000 + serial);

const invokeBody = (invoke_transaction: TransactionValues): string =>
  rpcBody('starknet_addInvokeTransaction', { invoke_transaction });

/** A transfer that serves as the template of unsigned ones. */
let template: TransactionValues | undefined;

/**
 * The request of a transfer of a chain; the first is 1, and the accounts take turns.
 *
 * @param isSigned otherwise it has an invalid signature of the right length
 */
export function numberedTransfer(
  accounts: readonly Account[],
  number: number,
  isSigned = true,
): string {
  const sender = accounts[(number - 1) % accounts.length];
  if (!sender) throw new Error('no account');
  const nonce = Math.floor((number - 1) / accounts.length);
  const calls = [transferTo(receiver(number))];
  if (isSigned) return invokeBody(invokeValues(sender, calls, nonce));
  template ??= invokeValues(sender, calls, nonce);
  const sender_address = sender.address;
  const calldata = multicall(calls);
  return invokeBody({ ...template, sender_address, calldata, nonce: hex(nonce) });
}

/** The predeployed accounts of a node. */
export async function accountsOf(node: RpcClient): Promise<readonly Account[]> {
  const listed = await node.call('devnet_getPredeployedAccounts');
  return listed.map(({ address, private_key: privateKey, public_key: publicKey }) => ({
    address,
    privateKey,
    publicKey,
  }));
}

/** Signs for the accounts of one node: their nonces count what was sent to it. */
export class Signer {
  readonly #accounts: readonly Account[];
  readonly #nonces: Map<string, number>;
  #serial = 0;

  constructor(accounts: readonly Account[], nonces: ReadonlyMap<string, number> = new Map()) {
    this.#accounts = accounts;
    this.#nonces = new Map(nonces);
  }

  /** The accounts of a node with their present nonces. */
  static async of(node: RpcClient): Promise<Signer> {
    const signer = new Signer(await accountsOf(node));
    await signer.readNonces(node);
    return signer;
  }

  /** Takes nonces from a node, because not everything that was signed may have been sent. */
  async readNonces(node: RpcClient): Promise<void> {
    for (const { address } of this.#accounts) {
      const params = { block_id: 'latest', contract_address: address };
      this.#nonces.set(address, Number(await node.call('starknet_getNonce', params)));
    }
  }

  /** The same accounts on a node that has just started. */
  fresh(): Signer {
    return new Signer(this.#accounts);
  }

  /** The same accounts and nonces, to send something that will be undone. */
  copy(): Signer {
    return new Signer(this.#accounts, this.#nonces);
  }

  get count(): number {
    return this.#accounts.length;
  }

  account(index: number): Account {
    const account = this.#accounts[index];
    if (!account) throw new Error(`the node has ${this.#accounts.length} accounts`);
    return account;
  }

  #nonce({ address }: Account): number {
    const nonce = this.#nonces.get(address) ?? 0;
    this.#nonces.set(address, nonce + 1);
    return nonce;
  }

  invoke(calls: readonly Call[], index = 0): string {
    const account = this.account(index);
    return invokeBody(invokeValues(account, calls, this.#nonce(account)));
  }

  /** Each of these transfers goes to a new receiver. */
  transfers(count: number, index = 0): readonly string[] {
    return Array.from({ length: count }, () => this.invoke([this.#transfer()], index));
  }

  /** Invokes in the order of their nonces, which are not sent. */
  unsent(count: number): readonly object[] {
    const account = this.account(0);
    const nonce = this.#nonces.get(account.address) ?? 0;
    return Array.from({ length: count }, (_, index) =>
      invokeValues(account, [this.#transfer()], nonce + index),
    );
  }

  #transfer(): Call {
    this.#serial += 1;
    return transferTo(receiver(this.#serial));
  }

  /** A deployment through the universal deployer. */
  deploy(classHash: string, salt: number, calldata: readonly string[] = []): string {
    const args = [classHash, hex(salt), '0x0', hex(calldata.length), ...calldata];
    return this.invoke([{ to: UDC, name: 'deployContract', calldata: args }]);
  }

  declare(declared: DeclaredClass): string {
    const account = this.account(0);
    const values = declareValues(account, declared.compiled, this.#nonce(account), {
      resource_bounds: { ...AMPLE, l2_gas: bounds(5_000_000_000n) },
    });
    return rpcBody('starknet_addDeclareTransaction', {
      declare_transaction: { ...values, contract_class: declared.written },
    });
  }
}

/** A class that is compiled, for its hashes, and as the wire has it. */
export interface DeclaredClass {
  readonly compiled: Class;
  readonly written: unknown;
}

let classSerial = 0;

/** The class with a unique name in its ABI, which no code depends on: no node has compiled it. */
export async function newClass(text: string): Promise<DeclaredClass> {
  classSerial += 1;
  const name = `${process.pid}_${Date.now()}_${classSerial}`;
  const abi = JSON.stringify([{ type: 'impl', name, interface_name: name }]);
  const written = { ...membersOf(JSON.parse(text)), abi };
  return { compiled: await Class.compile(JSON.stringify(written)), written };
}

/** The Sierra text of a contract of the repository. */
export const contractText = (name: string): Promise<string> =>
  readFile(new URL(`cairo/${name}.sierra.json`, CONTRACTS), 'utf8');
