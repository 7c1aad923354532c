// When the node creates blocks: the setting as options of a form, and as the node takes it.

export type BlockMode = 'transaction' | 'demand' | 'interval' | 'mempool' | 'mempool-interval';

export interface BlockModeDraft {
  readonly mode: BlockMode;
  /** Of an interval, as typed. */
  readonly seconds: string;
}

const DEFAULT_SECONDS = '10';
const MAX_MILLISECONDS = 1e12;

/** Reads `block_generation_on`: `transaction`, `demand`, `mempool`, `mempool:2`, `5` or `500ms`. */
export function readBlockMode(setting: string): BlockModeDraft {
  if (setting === 'transaction' || setting === 'demand' || setting === 'mempool')
    return { seconds: DEFAULT_SECONDS, mode: setting };
  const interval = setting.replace(/^mempool:/, '');
  const [, milliseconds] = /^(\d+)ms$/.exec(interval) ?? [];
  const seconds = milliseconds === undefined ? interval : String(Number(milliseconds) / 1e3);
  return { seconds, mode: interval === setting ? 'interval' : 'mempool-interval' };
}

/** The setting as the node takes it; undefined if its interval is not one. */
export function blockModeText({ mode, seconds }: BlockModeDraft): string | undefined {
  if (mode !== 'interval' && mode !== 'mempool-interval') return mode;
  const interval = wholeMilliseconds(Number(seconds) * 1e3);
  if (interval === undefined) return undefined;
  const text = interval % 1e3 === 0 ? String(interval / 1e3) : `${interval}ms`;
  return mode === 'interval' ? text : `mempool:${text}`;
}

function wholeMilliseconds(value: number): number | undefined {
  const rounded = Math.round(value);
  return rounded >= 1 && rounded <= MAX_MILLISECONDS && Math.abs(rounded - value) < 1e-6
    ? rounded
    : undefined;
}
