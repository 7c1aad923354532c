// Options of the instances in an object store.
import type { Tenants } from './tenants/tenants.js';

export interface HostingOptions {
  /** Whether a change is in the store before it is answered. */
  readonly isDurable: boolean;
  /** Seconds without a request after which an instance hibernates. */
  readonly idleSeconds: number;
  /** Most instances in memory. */
  readonly mostLoaded: number;
  /** Where clients reach the instances; the address of the node by default. */
  readonly publicUrl: string | undefined;
  /** What nodes of a fleet send to each other, if they require a token. */
  readonly token: string | undefined;
  readonly tenants: Tenants | undefined;
}
