// Progress line in a terminal: it appears when work takes long, and is cleared at its end.
import { shortenMiddle } from '@starkbox/abi/basics';
import type { Environment } from '../config/environment.js';
import { stopwatch, type WorkDisplay } from '../probe.js';
import { type Output, visible, widthOf } from '../terminal.js';

/** Seconds before work is shown. */
const DELAY = 0.5;
const REDRAW_MILLISECONDS = 200;
const CLEAR = '\r\u001b[K';

interface ShownWork {
  readonly text: string;
  readonly seconds: () => number;
  detail: string;
}

/**
 * One line for all work under way. A timer draws it, so that work costs nothing until it has taken long; the timer
 * runs only while there is work.
 */
export class ProgressLine implements WorkDisplay {
  readonly #output: Output;
  readonly #works = new Set<ShownWork>();
  #timer: NodeJS.Timeout | undefined;
  #drawn = '';

  constructor(output: Output) {
    this.#output = output;
  }

  /** Undefined if the output is not a terminal, or if a CI service keeps it as a log. */
  static on(output: Output, env: Environment): ProgressLine | undefined {
    const isContinuousIntegration = !['', '0', 'false'].includes(env['CI'] ?? '');
    return output.isTTY === true && !isContinuousIntegration ? new ProgressLine(output) : undefined;
  }

  begin(text: string): () => void {
    const work = { text, seconds: stopwatch(), detail: '' };
    this.#works.add(work);
    if (!this.#timer) {
      this.#timer = setInterval(() => this.#draw(), REDRAW_MILLISECONDS);
      this.#timer.unref();
    }
    return () => {
      this.#works.delete(work);
      if (this.#works.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.clear();
    };
  }

  detail(text: string): void {
    const newest = [...this.#works].at(-1);
    if (newest) newest.detail = text;
  }

  clear(): void {
    if (this.#drawn !== '') this.#output.write(CLEAR);
    this.#drawn = '';
  }

  /** An output that shares the terminal: the line is cleared before other text is written. */
  beside(output: Output): Output {
    const line = this;
    return {
      write(text) {
        line.clear();
        return output.write(text);
      },
      get isTTY() {
        return output.isTTY === true;
      },
      get columns() {
        return output.columns ?? 0;
      },
      hasColors: () => output.hasColors?.() === true,
    };
  }

  #draw(): void {
    const work = [...this.#works].findLast(({ seconds }) => seconds() >= DELAY);
    if (!work) {
      this.clear();
      return;
    }
    const detail = work.detail === '' ? '' : `: ${work.detail}`;
    const text = visible(`${work.text}${detail} · ${Math.floor(work.seconds())} s`);
    // In the last column, some terminals begin the next line.
    const width = (widthOf(this.#output) ?? 0) - 1;
    const line = shortenMiddle(text, width);
    if (line === this.#drawn) return;
    this.#output.write(`\r${line}\u001b[K`);
    this.#drawn = line;
  }
}
