// What a node's users learn of its L1.

export interface L1Facts {
  readonly url: string;
  readonly messagingContract: string;
  /** Whether it is a managed Anvil, which is reverted together with the chain. */
  readonly isManaged: boolean;
}
