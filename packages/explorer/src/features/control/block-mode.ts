// When the node creates blocks: the setting as options of a form, and as the node takes it.

export type BlockMode = 'transaction' | 'demand' | 'interval' | 'mempool' | 'mempool-interval';

export interface BlockModeDraft {
  readonly mode: BlockMode;
  /** Of an interval, as typed. */
  readonly seconds: string;
  /** Of an interval of blocks from the mempool, as typed. */
  readonly milliseconds: string;
}

const DEFAULTS = { seconds: '10', milliseconds: '2000' };
const MAX_MILLISECONDS = 1e12;

/** Reads `block_generation_on`: `transaction`, `demand`, `mempool`, `mempool:2000`, `5` or `500ms`. */
export function readBlockMode(setting: string): BlockModeDraft {
  if (setting === 'transaction' || setting === 'demand' || setting === 'mempool')
    return { ...DEFAULTS, mode: setting };
  const [, ofMempool] = /^mempool:(\d+)$/.exec(setting) ?? [];
  if (ofMempool !== undefined)
    return { ...DEFAULTS, mode: 'mempool-interval', milliseconds: ofMempool };
  const [, milliseconds] = /^(\d+)ms$/.exec(setting) ?? [];
  const seconds = milliseconds === undefined ? setting : String(Number(milliseconds) / 1e3);
  return { ...DEFAULTS, mode: 'interval', seconds };
}

/** The setting as the node takes it; undefined if its interval is not one. */
export function blockModeText({ mode, seconds, milliseconds }: BlockModeDraft): string | undefined {
  if (mode === 'interval') {
    const interval = wholeMilliseconds(Number(seconds) * 1e3);
    if (interval === undefined) return undefined;
    return interval % 1e3 === 0 ? String(interval / 1e3) : `${interval}ms`;
  }
  if (mode === 'mempool-interval') {
    const interval = wholeMilliseconds(Number(milliseconds));
    return interval === undefined ? undefined : `mempool:${interval}`;
  }
  return mode;
}

function wholeMilliseconds(value: number): number | undefined {
  const rounded = Math.round(value);
  return rounded >= 1 && rounded <= MAX_MILLISECONDS && Math.abs(rounded - value) < 1e-6
    ? rounded
    : undefined;
}
