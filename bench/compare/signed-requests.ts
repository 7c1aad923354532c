// Requests with signed transactions, made before they are measured.
import { readFile } from 'node:fs/promises';
import { Class } from '@starkbox/engine';
import {
  type Account,
  AMPLE,
  bounds,
  type Call,
  declareValues,
  hex,
  invokeValues,
  STRK,
  UDC,
} from '../../packages/engine/test/fixtures/chain.js';
import type { Contender } from './contender.js';

const body = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** A transfer of one to a receiver. */
export const transferTo = (receiver: string): Call => ({
  to: STRK,
  name: 'transfer',
  calldata: [receiver, '0x1', '0x0'],
});

/** Receivers that no transfer had before. */
const receiver = (serial: number): string => hex(0x1000_0000 + serial);

/** What the accounts of one node sign: their nonces count what it was sent. */
export class Signer {
  readonly #accounts: readonly Account[];
  readonly #nonces: Map<string, number>;
  #serial = 0;

  constructor(accounts: readonly Account[], nonces: ReadonlyMap<string, number> = new Map()) {
    this.#accounts = accounts;
    this.#nonces = new Map(nonces);
  }

  /** The accounts of a node as they are now. */
  static async of(node: Contender): Promise<Signer> {
    const given: readonly object[] = Object(await node.call('devnet_getPredeployedAccounts', {}));
    const signer = new Signer(
      given.map((account) => {
        const { address, private_key: privateKey, public_key: publicKey } = Object(account);
        return { address, privateKey, publicKey };
      }),
    );
    await signer.readNonces(node);
    return signer;
  }

  /** Takes nonces from a node, because not everything that was signed may have been sent. */
  async readNonces(node: Contender): Promise<void> {
    for (const { address } of this.#accounts) {
      const params = { block_id: 'latest', contract_address: address };
      this.#nonces.set(address, Number(await node.call('starknet_getNonce', params)));
    }
  }

  /** The same accounts on a node that has just started. */
  fresh(): Signer {
    return new Signer(this.#accounts);
  }

  /** The same accounts where they are now, to send something that will be undone. */
  copy(): Signer {
    return new Signer(this.#accounts, this.#nonces);
  }

  get count(): number {
    return this.#accounts.length;
  }

  account(index: number): Account {
    const found = this.#accounts[index];
    if (!found) throw new Error(`the node has ${this.#accounts.length} accounts`);
    return found;
  }

  #nonce({ address }: Account): number {
    const nonce = this.#nonces.get(address) ?? 0;
    this.#nonces.set(address, nonce + 1);
    return nonce;
  }

  invoke(calls: readonly Call[], index = 0): string {
    const account = this.account(index);
    const invoke_transaction = invokeValues(account, calls, this.#nonce(account));
    return body('starknet_addInvokeTransaction', { invoke_transaction });
  }

  /** Each of these transfers goes to a new receiver. */
  transfers(count: number, index = 0): readonly string[] {
    return Array.from({ length: count }, () => this.invoke([this.#transfer()], index));
  }

  /** Invokes in the order of their nonces, which are not sent. */
  unsent(count: number): readonly object[] {
    const account = this.account(0);
    const nonce = this.#nonces.get(account.address) ?? 0;
    return Array.from({ length: count }, (_, at) =>
      invokeValues(account, [this.#transfer()], nonce + at),
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
    return body('starknet_addDeclareTransaction', {
      declare_transaction: { ...values, contract_class: declared.written },
    });
  }
}

/** A class that is compiled, for its hashes, and as the wire has it. */
export interface DeclaredClass {
  readonly compiled: Class;
  readonly written: unknown;
}

let serial = 0;

/** The class with a name of its own in its ABI, which no code depends on: no node has compiled it. */
export async function newClass(text: string): Promise<DeclaredClass> {
  serial += 1;
  const name = `${process.pid}_${Date.now()}_${serial}`;
  const abi = JSON.stringify([{ type: 'impl', name, interface_name: name }]);
  const written = { ...Object(JSON.parse(text)), abi };
  return { compiled: await Class.compile(JSON.stringify(written)), written };
}

/** The text of a contract of ours, from the root of the repository. */
export function ourContract(name: string): Promise<string> {
  const root = new URL('../../../../../', import.meta.url);
  return readFile(new URL(`contracts/cairo/${name}.sierra.json`, root), 'utf8');
}
