// Contracts of the origin at the addresses of genesis: tokens, supplies, accounts of the same seed.
import { fromU256, nextSlot } from '@starkbox/abi/basics';
import { storageAddress } from '@starkbox/engine';
import type { Fork } from './fork.js';

export interface ExistingContracts {
  /** Whether the origin has a contract at an address. */
  readonly has: (address: string) => boolean;
  /** Class hash of a token of the origin; `undefined` without one. */
  readonly tokenClass: (address: string) => string | undefined;
  readonly supply: (token: string) => bigint;
}

/** Without an origin. */
export const NO_CONTRACTS: ExistingContracts = {
  has: () => false,
  tokenClass: () => undefined,
  supply: () => 0n,
};

/**
 * Reads everything at once, so that it takes one request. Nonces and balances are read as well, so
 * that transactions among the local accounts do not need the origin.
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
    Promise.all([slot(address, low), slot(address, nextSlot(low))]);
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
  const deployed = new Map(classes.filter(([, hash]) => hash !== '0x0'));
  const supplied = new Map(supplies);
  return {
    has: (address) => deployed.has(address),
    tokenClass: (address) => deployed.get(address),
    supply: (token) => supplied.get(token) ?? 0n,
  };
}
