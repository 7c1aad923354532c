// Directives of the variable RUST_LOG, as texts of our own options.

/** From the fewest lines to the most, with our names. */
const LEVELS: readonly (readonly [rust: string, ours: string])[] = [
  ['off', 'silent'],
  ['error', 'error'],
  ['warn', 'warn'],
  ['info', 'info'],
  ['debug', 'debug'],
  ['trace', 'trace'],
];

/** Modules whose level is ours; the log has one level for all of them. */
const OWN_MODULE = /^(starknet_devnet|starkbox)/i;

/**
 * The level for `--log-level`. A level of our modules counts before one for everything; those of other
 * modules are meant for other programs.
 */
export function logLevelIn(text: string): string | undefined {
  let general: number | undefined;
  let ofNode: number | undefined;
  for (const directive of directivesIn(text)) {
    const [name = '', level] = directive.split('=', 2);
    if (OWN_MODULE.test(name)) {
      const at = level === undefined ? LEVELS.length - 1 : placeOf(level);
      if (at !== undefined) ofNode = Math.max(ofNode ?? 0, at);
    } else if (level === undefined) {
      general = placeOf(name) ?? general;
    }
  }
  const level = ofNode ?? general;
  return level === undefined ? undefined : LEVELS[level]?.[1];
}

/** The word for `--log-bodies`: `request` and `response` stand alone, between commas. */
export function logBodiesIn(text: string): string | undefined {
  const words = new Set(directivesIn(text).map((word) => word.toLowerCase()));
  const bodies = ['request', 'response'].filter((word) => words.has(word));
  return bodies.length === 2 ? 'both' : bodies[0];
}

function directivesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

function placeOf(level: string): number | undefined {
  const at = LEVELS.findIndex(([rust]) => rust === level.trim().toLowerCase());
  return at < 0 ? undefined : at;
}
