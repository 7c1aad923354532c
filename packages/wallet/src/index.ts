// Public API: installing the wallet, its controller and its errors.

export type {
  Decision,
  HistoryEntry,
  PendingRequest,
  Policy,
  PreparedDecision,
} from './approvals.js';
export type { WalletController } from './controller.js';
export { WalletError, type WalletErrorName } from './errors.js';
export { type InstallOptions, installWallet } from './install.js';
