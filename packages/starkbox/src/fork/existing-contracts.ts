// Contracts of the origin at the addresses of genesis: tokens, supplies, accounts of the same seed.
import { storageAddress } from '@starkbox/engine';
import { fromU256, hex } from '../felt.js';
import type { Fork } from './fork.js';

export interface ExistingContracts {
  /** Whether a contract is there already. */
  readonly has: (address: string) => boolean;
  /** The class of a token that is there; `undefined` where there is none. */
  readonly tokenClass: (address: string) => string | undefined;
  readonly supply: (token: string) => bigint;
}

/** Where nothing is. */
export const NO_CONTRACTS: ExistingContracts = {
  has: () => false,
  tokenClass: () => undefined,
  supply: () => 0n,
};

/**
 * Asked all at once, so that it takes one request. Every transaction reads a nonce and pays somebody: these
 * are asked for as well, so that transactions among the accounts here do not need the origin.
 */
export async function readExistingContracts(
  fork: Fork,
  tokens: readonly string[],
  accounts: readonly string[],
  payees: readonly string[],
): Promise<ExistingContracts> {
  const slot = async (address: string, key: string): Promise<string> =>
    (await fork.read({ kind: 'storage', address, key })) ?? '0x0';
  const wide = (address: string, low: string): Promise<readonly [string, string]> =>
    Promise.all([slot(address, low), slot(address, hex(BigInt(low) + 1n))]);
  const [classes, supplies] = await Promise.all([
    Promise.all(
      [...tokens, ...accounts].map(async (address) => {
        const hash = (await fork.read({ kind: 'class_hash', address })) ?? '0x0';
        return [address, hash] as const;
      }),
    ),
    Promise.all(
      tokens.map(async (token) => {
        const [low, high] = await wide(token, storageAddress('ERC20_total_supply'));
        return [token, fromU256(low, high)] as const;
      }),
    ),
    Promise.all(accounts.map((address) => fork.read({ kind: 'nonce', address }))),
    Promise.all(
      tokens.flatMap((token) =>
        payees.map((payee) => wide(token, storageAddress('ERC20_balances', [payee]))),
      ),
    ),
  ]);
  const found = new Map(classes.filter(([, hash]) => hash !== '0x0'));
  const supplied = new Map(supplies);
  return {
    has: (address) => found.has(address),
    tokenClass: (address) => found.get(address),
    supply: (token) => supplied.get(token) ?? 0n,
  };
}
