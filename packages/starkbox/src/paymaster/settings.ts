// Settings of a paymaster, what it has spent and what it has sent.
import { toFelt } from '@starkbox/abi/basics';
import type { Methods, PAYMASTER, PAYMASTER_ROW, PAYMASTER_TOKEN } from '@starkbox/spec';
import { fail, refuse } from '../errors.js';
import { ETH, STRK } from '../predeployed.js';

export type SettingsChange = Methods['devnet_setPaymaster']['params'];

const WHOLE = 10n ** 18n;
/** A whole ETH in fri by default: a fixed price, so that fees are repeatable. */
const ETH_PRICE = 20_000n * WHOLE;
/** Transactions that are listed. */
const LISTED = 100;

export class Settings {
  #available = true;
  #sponsoring = true;
  #budget: bigint | undefined;
  #spent = 0n;
  #tokens: readonly PAYMASTER_TOKEN[] = [
    { token_address: STRK, decimals: 18, price_in_strk: toFelt(WHOLE) },
    { token_address: ETH, decimals: 18, price_in_strk: toFelt(ETH_PRICE) },
  ];
  #rejected: ReadonlySet<string> = new Set();
  #keys: ReadonlySet<string> = new Set();
  #rows: readonly PAYMASTER_ROW[] = [];

  /** Changes what is given; a budget counts from now on. */
  change({ available, sponsoring, budget, tokens, reject, api_keys }: SettingsChange): void {
    const free = tokens?.find(({ price_in_strk }) => BigInt(price_in_strk) === 0n);
    if (free) refuse(`The price of ${free.token_address} must be above 0`);
    this.#available = available ?? this.#available;
    this.#sponsoring = sponsoring ?? this.#sponsoring;
    this.#tokens = tokens ?? this.#tokens;
    if (reject) this.#rejected = new Set(reject);
    if (api_keys) this.#keys = new Set(api_keys);
    if (budget === undefined) return;
    this.#budget = budget === 'none' ? undefined : BigInt(budget);
    this.#spent = 0n;
  }

  /** @param relayer the address of the account that sends */
  toWire(relayer: string): PAYMASTER {
    return {
      available: this.#available,
      sponsoring: this.#sponsoring,
      budget: this.#budget?.toString() ?? null,
      spent: this.#spent.toString(),
      tokens: this.#tokens,
      reject: [...this.#rejected],
      requires_api_key: this.#keys.size > 0,
      relayer,
      transactions: this.#rows,
    };
  }

  get isAvailable(): boolean {
    return this.#available;
  }

  get tokens(): readonly PAYMASTER_TOKEN[] {
    return this.#tokens;
  }

  /** Fails while the paymaster is switched off. */
  checkAvailable(): void {
    if (!this.#available) {
      unknownError('service not available: devnet_setPaymaster has switched the paymaster off');
    }
  }

  /** Fails unless the paymaster sponsors the transactions of a client. */
  checkSponsoring(apiKey: string | undefined): void {
    if (!this.#sponsoring) {
      unknownError('transactions are not sponsored: pay in a token, with the fee mode default');
    }
    if (this.#keys.size > 0 && (apiKey === undefined || !this.#keys.has(apiKey))) {
      unknownError('x-paymaster-api-key is invalid: send a key of devnet_setPaymaster');
    }
  }

  /** Fails if the user or a contract is rejected. */
  checkRejected(user: string, contracts: readonly string[]): void {
    const rejected = [user, ...contracts].find((address) => this.#rejected.has(address));
    if (rejected === undefined) return;
    const subject = rejected === user ? 'the user' : 'calls of the contract';
    unknownError(`blacklisted: the paymaster rejects ${subject} ${rejected}`);
  }

  /** Fails if sponsoring a fee would exceed the budget. */
  checkBudget(fee: bigint): void {
    if (this.#budget === undefined || this.#spent + fee <= this.#budget) return;
    unknownError(
      `the budget is exhausted: ${this.#spent} of ${this.#budget} fri are spent, and this transaction costs ${fee} fri`,
    );
  }

  /** The token that pays, or STRK where a sponsor does. */
  token(address: string | undefined): PAYMASTER_TOKEN {
    if (address === undefined) {
      return { token_address: STRK, decimals: 18, price_in_strk: toFelt(WHOLE) };
    }
    const token = this.#tokens.find(({ token_address }) => token_address === address);
    if (token) return token;
    const supported = this.#tokens.map(({ token_address }) => token_address).join(', ');
    return fail('TOKEN_NOT_SUPPORTED', {
      reason: `The paymaster takes ${supported || 'no tokens'}, and not ${address}. devnet_setPaymaster sets tokens`,
    });
  }

  /** Notes a transaction that was sent. */
  note(row: PAYMASTER_ROW): void {
    this.#rows = [row, ...this.#rows].slice(0, LISTED);
    if (row.fee_mode.mode === 'sponsored') this.#spent += BigInt(row.fee_in_strk);
  }
}

/** Fails with the error of SNIP-29 for everything that has no error of its own. */
function unknownError(reason: string): never {
  return fail('PAYMASTER_UNKNOWN_ERROR', reason);
}

/** An amount of fri in the smallest units of a token, rounded up. */
export function inToken(fri: bigint, { decimals, price_in_strk }: PAYMASTER_TOKEN): bigint {
  const price = BigInt(price_in_strk);
  return (fri * 10n ** BigInt(decimals) + price - 1n) / price;
}
