// Protocol constants of the block hashes that contracts can read.

/** A contract can read the hash of a block that is at least this much older than its own block. */
export const HASH_BUFFER = 10;

/** The address that keeps the hashes, by number; it has no class. */
export const HASH_CONTRACT = '0x1';
