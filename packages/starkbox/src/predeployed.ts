// Contracts and accounts that exist from the first block.

/** An account that exists from the first block, with its keys. */
export interface PredeployedAccount {
  /** The address of the account. */
  readonly address: string;
  /** The key that signs its transactions. */
  readonly privateKey: string;
  /** The key that its contract checks signatures with. */
  readonly publicKey: string;
  /** The hash of its class, if the option `moreAccounts` sets it. */
  readonly classHash?: string;
}

/** Classes of the option `moreAccounts`. */
export const ACCOUNT_CLASSES = ['cairo0', 'cairo1', 'argent'] as const;
type AccountClassName = (typeof ACCOUNT_CLASSES)[number];

/** Accounts of one class. */
export interface AccountGroup {
  readonly name: AccountClassName;
  readonly count: number;
}

/** Limit of the accounts of one class. */
export const MAX_ACCOUNTS = 255;

/** Reads texts such as `argent=2,cairo0=1`; `undefined` for others. */
export function readAccountGroups(text: string): readonly AccountGroup[] | undefined {
  const groups: AccountGroup[] = [];
  for (const part of text.split(',')) {
    const [, word, digits] = /^\s*(\w+)=(\d{1,3})\s*$/.exec(part) ?? [];
    const name = ACCOUNT_CLASSES.find((known) => known === word?.toLowerCase());
    const count = Number(digits);
    const isRepeated = groups.some((group) => group.name === name);
    if (!name || isRepeated || count < 1 || count > MAX_ACCOUNTS) return undefined;
    groups.push({ name, count });
  }
  return groups;
}

/** A contract that exists from the first block. */
export interface PredeployedContract {
  /** The address of the contract. */
  readonly address: string;
  /** The hash of its class. */
  readonly classHash: string;
}

export const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
export const ETH = '0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7';
/** The universal deployer. */
export const UDC = '0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125';
