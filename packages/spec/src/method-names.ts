// Names of methods: each has a canonical prefix and an alias of it.

/** The aliases of the canonical prefixes. */
const ALIASES = { starknet: 'chain', devnet: 'sandbox' } as const;

/** `rpc` stands for methods that have one name only. */
export type Prefix = 'starknet' | 'chain' | 'devnet' | 'sandbox' | 'rpc';

export interface NamedBy {
  readonly name: string;
  readonly prefix: Prefix;
}

const PAIRS = Object.entries(ALIASES).map(
  ([prefix, alias]) => [`${prefix}_`, `${alias}_`] as const,
);

/** A method by its canonical name: `sandbox_mint` → `devnet_mint`. */
export function canonicalName(name: string): string {
  for (const [prefix, alias] of PAIRS) {
    if (name.startsWith(alias)) return prefix + name.slice(alias.length);
  }
  return name;
}

/** The other name of a method, given the canonical one: `devnet_mint` → `sandbox_mint`. */
export function aliasOf(name: string): string | undefined {
  for (const [prefix, alias] of PAIRS) {
    if (name.startsWith(prefix)) return alias + name.slice(prefix.length);
  }
  return undefined;
}

/** All names of a method, each with its prefix, given any of them. */
export function namesOf(name: string): readonly NamedBy[] {
  for (const prefix of ['starknet', 'devnet'] as const) {
    const alias = ALIASES[prefix];
    const ownPrefix = [prefix, alias].find((candidate) => name.startsWith(`${candidate}_`));
    if (ownPrefix === undefined) continue;
    const rest = name.slice(ownPrefix.length);
    return [
      { name: prefix + rest, prefix },
      { name: alias + rest, prefix: alias },
    ];
  }
  return [{ name, prefix: 'rpc' }];
}

/** The name of a notification under the prefix with which its subscription was made. */
export function notificationName(prefix: Prefix, name: string): string {
  return `${prefix}_${name}`;
}
