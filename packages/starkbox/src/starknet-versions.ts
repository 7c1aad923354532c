// Versions of Starknet whose constants meter the execution of blocks.

/** Versions that blocks of a chain can have, oldest first. Earlier ones have no L2 gas. */
export const STARKNET_VERSIONS = [
  '0.13.4',
  '0.13.5',
  '0.13.6',
  '0.14.0',
  '0.14.1',
  '0.14.2',
  '0.14.3',
  '0.14.4',
] as const;

/** A version that blocks of a chain can have. */
export type StarknetVersion = (typeof STARKNET_VERSIONS)[number];

/** The version of blocks unless a chain has another setting. */
export const NEWEST_VERSION: StarknetVersion = '0.14.4';

export function isStarknetVersion(text: unknown): text is StarknetVersion {
  return STARKNET_VERSIONS.some((version) => version === text);
}

/** The oldest version whose constants are part of the engine. */
export const OLDEST_REPLAYED = '0.13.0';

/** Whether a transaction of a block of this version can run again. */
export function isReplayable(text: string): boolean {
  const parts = partsOf(text);
  return parts !== undefined && !isBefore(parts, partsOf(OLDEST_REPLAYED) ?? []);
}

/** As a block stores it: undefined for the newest version. */
export function storedVersion(version: StarknetVersion | undefined): StarknetVersion | undefined {
  return version === NEWEST_VERSION ? undefined : version;
}

/** A version of a network in terms of the supported ones. */
export interface NearestVersion {
  readonly version: StarknetVersion;
  /** How the network's version relates to it. */
  readonly relation: 'same' | 'older' | 'newer' | 'absent';
}

/** The supported version whose constants are nearest to a network's version. */
export function nearestVersion(text: string): NearestVersion {
  if (isStarknetVersion(text)) return { version: text, relation: 'same' };
  const parts = partsOf(text);
  if (parts === undefined) return { version: NEWEST_VERSION, relation: 'absent' };
  const earlier = STARKNET_VERSIONS.filter((version) => isBefore(partsOf(version) ?? [], parts));
  const version = earlier.at(-1);
  if (version === undefined) return { version: STARKNET_VERSIONS[0], relation: 'older' };
  return { version, relation: 'newer' };
}

function partsOf(text: string): readonly number[] | undefined {
  return /^\d+(\.\d+){2,3}$/.test(text) ? text.split('.').map(Number) : undefined;
}

function isBefore(first: readonly number[], second: readonly number[]): boolean {
  const index = [0, 1, 2, 3].find((at) => (first[at] ?? 0) !== (second[at] ?? 0));
  return index !== undefined && (first[index] ?? 0) < (second[index] ?? 0);
}
