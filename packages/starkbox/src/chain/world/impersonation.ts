// Accounts whose transactions are not validated.
import { PersistentSet } from '../../immutable.js';

export interface Impersonation {
  readonly accounts: PersistentSet<string>;
  /** Applies to every account. */
  readonly auto: boolean;
}

export const NO_IMPERSONATION: Impersonation = { accounts: PersistentSet(), auto: false };

export function isImpersonated({ accounts, auto }: Impersonation, address: string): boolean {
  return auto || accounts.has(address);
}
