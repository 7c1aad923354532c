// Protocol constant for the age of the block hashes that contracts can read.

/** A contract can read the hash of a block that is at least this much older than its own block. */
export const HASH_BUFFER = 10;
