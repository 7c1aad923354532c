// Errors of the wallet API.

const CODES = {
  NOT_ERC20: 111,
  UNLISTED_NETWORK: 112,
  USER_REFUSED_OP: 113,
  INVALID_REQUEST_PAYLOAD: 114,
  ACCOUNT_ALREADY_DEPLOYED: 115,
  CHAIN_ID_NOT_SUPPORTED: 117,
  NOT_REGISTERED: 118,
  API_VERSION_NOT_SUPPORTED: 162,
  UNKNOWN_ERROR: 163,
} as const;

/** The names of the errors that the wallet API defines. */
export type WalletErrorName = keyof typeof CODES;

/** The error of a request: code and message of the wallet API, and the reason as `data`. */
export class WalletError extends Error {
  /** The code of the wallet API. */
  readonly code: number;
  /** The reason. */
  readonly data: unknown;

  constructor(name: WalletErrorName, data: unknown) {
    super(`An error occurred (${name})`);
    this.name = 'WalletError';
    this.code = CODES[name];
    this.data = data;
  }
}

/** A request whose parameters are not those of its method. */
export function invalid(reason: string): WalletError {
  return new WalletError('INVALID_REQUEST_PAYLOAD', reason);
}
