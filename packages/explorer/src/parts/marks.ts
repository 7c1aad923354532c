// Hue and shape of the marks of addresses.

/** Custom properties `--mark-0` to `--mark-7`. */
const HUES = 8;
const SHAPES = ['full', 'ring', 'half', 'diagonal'] as const;

interface MarkLook {
  readonly hue: number;
  readonly shape: (typeof SHAPES)[number];
}

/** FNV-1a over all digits: addresses that are close together look different. */
function hashOf(address: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < address.length; at++) {
    hash = Math.imul(hash ^ address.charCodeAt(at), 0x01000193);
  }
  // The highest bits depend on all digits the most.
  return hash >>> 24;
}

export function markOf(address: string): MarkLook {
  const hash = hashOf(address);
  return { hue: hash % HUES, shape: SHAPES[(hash >>> 3) % SHAPES.length] ?? 'full' };
}

/**
 * Hues of contracts beside each other, in the order in which they appear: that of the mark, or the next free one, so
 * that the first eight differ.
 */
export function huesOf(contracts: Iterable<string>): ReadonlyMap<string, number> {
  const hues = new Map<string, number>();
  const usedHues = new Set<number>();
  for (const contract of contracts) {
    if (hues.has(contract)) continue;
    if (usedHues.size === HUES) usedHues.clear();
    let { hue } = markOf(contract);
    while (usedHues.has(hue)) hue = (hue + 1) % HUES;
    usedHues.add(hue);
    hues.set(contract, hue);
  }
  return hues;
}
