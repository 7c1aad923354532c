// Progress of a search: one line that is drawn again on a terminal, and plain lines elsewhere.
import { groupDigits, withNoun } from '@starkbox/abi/basics';
import type { SearchState } from './search.js';
import { MAX_SHRINKING } from './shrinking.js';

/** A stream that is a terminal or not, such as `process.stderr`. */
export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Milliseconds between lines. */
const REDRAW = 200;
const PLAIN_INTERVAL = 5_000;
const CLEAR = '\r\u001b[K';
const LEAST_COLUMNS = 40;

export class Progress {
  readonly #output: ProgressOutput;
  readonly #isTerminal: boolean;
  #drawnAt = 0;
  #isDrawn = false;

  constructor(output: ProgressOutput, isTerminal: boolean) {
    this.#output = output;
    this.#isTerminal = isTerminal;
  }

  show(state: SearchState): void {
    const { milliseconds } = state;
    const interval = this.#isTerminal ? REDRAW : PLAIN_INTERVAL;
    if (milliseconds - this.#drawnAt < interval) return;
    this.#drawnAt = milliseconds;
    this.#draw(progressLine(state));
  }

  /** Shows how long the search for a shorter history takes, until it ends. */
  async whileShrinking<T>(work: Promise<T>): Promise<T> {
    const started = performance.now();
    const timer = setInterval(
      () => {
        const seconds = Math.floor((performance.now() - started) / 1000);
        this.#draw(`shrinking the history: ${seconds} s of at most ${MAX_SHRINKING / 1000} s`);
      },
      this.#isTerminal ? REDRAW : PLAIN_INTERVAL,
    );
    try {
      return await work;
    } finally {
      clearInterval(timer);
    }
  }

  #draw(line: string): void {
    if (!this.#isTerminal) {
      this.#output.write(`${line}\n`);
      return;
    }
    // In the last column, some terminals begin the next line.
    const width = Math.max(LEAST_COLUMNS, this.#output.columns ?? 80) - 1;
    this.#output.write(`\r${line.slice(0, width)}\u001b[K`);
    this.#isDrawn = true;
  }

  clear(): void {
    if (this.#isDrawn) this.#output.write(CLEAR);
    this.#isDrawn = false;
  }
}

/** Reasons of failed calls on one line. */
const MAX_REASONS = 3;

/** For example `1,024 runs · 20,480 calls, 9,500/s · 840 offsets · reverts: 12 % (…) · 8 s left`. */
export function progressLine(state: SearchState): string {
  const { runs, calls, views, offsets, kept, milliseconds } = state;
  const perSecond = milliseconds > 0 ? ((calls + views) / milliseconds) * 1000 : 0;
  const reverts = Object.entries(state.reverts.sorted);
  const failed = reverts.reduce((sum, [, count]) => sum + count, 0);
  const reasons = reverts
    .slice(0, MAX_REASONS)
    .map(([reason, count]) => `${reason} ${percent(count, calls)}`);
  const parts = [
    withNoun(runs, 'run'),
    `${withNoun(calls, 'call')}, ${groupDigits(Math.round(perSecond))} calls/s with invariants`,
    `${groupDigits(offsets)} code offsets in ${groupDigits(kept)} histories`,
    `${percent(failed, calls)} reverts${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}`,
    remaining(state),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function remaining({ plan, runs, calls, milliseconds }: SearchState): string {
  const shares = [runs / plan.runs, calls / plan.calls, milliseconds / (plan.seconds * 1000)];
  const share = Math.max(...shares);
  if (!(share > 0)) return '';
  const seconds = (milliseconds * (1 - share)) / share / 1000;
  return `${groupDigits(Math.max(0, Math.ceil(seconds)))} s left`;
}

const percent = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((part / whole) * 100)} %`;
