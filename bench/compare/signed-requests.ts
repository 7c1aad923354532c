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
  seededAccounts,
  UDC,
} from '../../packages/engine/test/fixtures/chain.js';

const ACCOUNTS = 10;

const body = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** Receivers that no transfer had before. */
const receiver = (serial: number): string => hex(0x1000_0000 + serial);

/** What the accounts of one node sign: their nonces count what it was sent. */
export class Signer {
  readonly #accounts = seededAccounts(0, ACCOUNTS);
  readonly #nonces = new Map<string, number>();
  #serial = 0;

  account(index: number): Account {
    const found = this.#accounts[index % ACCOUNTS];
    if (!found) throw new Error(`no account ${index}`);
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

  /** An invoke with the next nonce, which is not sent. */
  unsent(): object {
    const account = this.account(0);
    const nonce = this.#nonces.get(account.address) ?? 0;
    return invokeValues(account, [this.#transfer()], nonce);
  }

  /** Several invokes in order, which are not sent. */
  unsentInOrder(count: number): readonly object[] {
    const account = this.account(0);
    const nonce = this.#nonces.get(account.address) ?? 0;
    return Array.from({ length: count }, (_, at) =>
      invokeValues(account, [this.#transfer()], nonce + at),
    );
  }

  #transfer(): Call {
    this.#serial += 1;
    return { to: STRK, name: 'transfer', calldata: [receiver(this.#serial), '0x1', '0x0'] };
  }

  /** A deployment through the universal deployer. */
  deploy(classHash: string, salt: number, calldata: readonly string[] = []): string {
    const args = [classHash, hex(salt), '0x0', hex(calldata.length), ...calldata];
    return this.invoke([{ to: UDC, name: 'deployContract', calldata: args }]);
  }

  async declare(text: string): Promise<{ readonly request: string; readonly hash: string }> {
    const declared = await Class.compile(text);
    const account = this.account(0);
    const values = declareValues(account, declared, this.#nonce(account), {
      resource_bounds: { ...AMPLE, l2_gas: bounds(5_000_000_000n) },
    });
    const contract_class: unknown = JSON.parse(await declared.json());
    return {
      request: body('starknet_addDeclareTransaction', {
        declare_transaction: { ...values, contract_class },
      }),
      hash: declared.hash,
    };
  }
}

/** The text of a contract of ours, from the root of the repository. */
export function ourContract(name: string): Promise<string> {
  const root = new URL('../../../../../', import.meta.url);
  return readFile(new URL(`contracts/cairo/${name}.sierra.json`, root), 'utf8');
}
