// A node under load in a process of its own, and how its memory grows.
import { fitLine } from '../figures.js';
import { type MemoryUse, NodeProcess } from '../harness/node-process.js';
import type { Client } from './commands.js';

const MEGABYTE = 2 ** 20;

/** By itself, V8 changes the size of the space for new objects by tens of megabytes with the load. */
const FLAGS = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16'];

interface Sample extends MemoryUse {
  readonly minutes: number;
}

export class SoakedNode extends NodeProcess {
  readonly name: string;
  readonly clients: Client[] = [];
  readonly samples: Sample[] = [];
  readonly #warmUp: number;
  url = '';

  /** @param warmUp minutes whose samples do not count */
  constructor(name: string, warmUp: number) {
    super({ execArgv: FLAGS });
    this.name = name;
    this.#warmUp = warmUp;
  }

  async sample(minutes: number): Promise<void> {
    this.samples.push({ minutes, ...(await this.call('memory')) });
  }

  get #warm(): readonly Sample[] {
    return this.samples.filter(({ minutes }) => minutes >= this.#warmUp);
  }

  /** Megabytes a minute after the warm-up. */
  slope(part: keyof MemoryUse): number {
    return slopeOf(this.#warm, part);
  }

  /** Megabytes at the end, their growth, and their growth a minute, also in the second half of the time. */
  figures(): Record<string, number> {
    const warm = this.#warm;
    const laterHalf = warm.slice(Math.floor(warm.length / 2));
    const [first, last] = [warm[0], warm.at(-1)];
    const megabytes = (sample: Sample | undefined, part: keyof MemoryUse): number =>
      (sample?.[part] ?? 0) / MEGABYTE;
    const figures = {
      megabytes: megabytes(last, 'anonymous'),
      resident_megabytes: megabytes(last, 'rss'),
      heap_megabytes: megabytes(last, 'heap'),
      growth_megabytes: megabytes(last, 'anonymous') - megabytes(first, 'anonymous'),
      slope_anonymous: this.slope('anonymous'),
      slope_heap: this.slope('heap'),
      slope_native: this.slope('native'),
      slope_system_used: this.slope('systemUsed'),
      slope_system_free: this.slope('systemFree'),
      slope_engine: this.slope('engineCommitted'),
      later_slope: slopeOf(laterHalf, 'anonymous'),
      later_slope_heap: slopeOf(laterHalf, 'heap'),
    };
    return Object.fromEntries(
      Object.entries(figures).map(([name, value]) => [`${this.name}_${name}`, value]),
    );
  }
}

const slopeOf = (samples: readonly Sample[], part: keyof MemoryUse): number =>
  fitLine(samples.map((sample) => ({ x: sample.minutes, y: sample[part] / MEGABYTE }))).slope;
