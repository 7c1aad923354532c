// Facts of a node's L1, for its users.

export interface L1Facts {
  readonly url: string;
  readonly messagingContract: string;
  /** Whether it is a managed Anvil, which is reverted together with the chain. */
  readonly isManaged: boolean;
}
