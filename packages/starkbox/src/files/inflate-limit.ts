// Limit of what packed files inflate to.

const ALWAYS_ALLOWED = 16 << 20;
/** Real content reaches 2 to 20. */
const MAX_TIMES = 64;

/**
 * The most bytes that packed content may inflate to: a few kilobytes can inflate to gigabytes.
 *
 * @param packed size of the packed content in bytes
 */
export function inflateLimit(packed: number): number {
  return ALWAYS_ALLOWED + MAX_TIMES * packed;
}
