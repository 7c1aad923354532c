// Public API: installing the wallet, its controller and its errors.

export type {
  DecidedRequest,
  Decision,
  PendingRequest,
  Policy,
  PreparedAnswer,
} from './approvals.js';
export type { WalletController } from './controller.js';
export { WalletError, type WalletErrorName } from './errors.js';
export { type InstallOptions, installWallet } from './install.js';
