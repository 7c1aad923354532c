// Process of a soaked node, and how its memory grew.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fitLine } from '../fit.js';
import type { Client } from './commands.js';
import type { Usage } from './soaked-node.js';

export const MEGABYTE = 2 ** 20;

/** By itself, V8 changes the size of the space for new objects by tens of megabytes with the load. */
const FLAGS = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16'];

interface Sample extends Usage {
  readonly minutes: number;
}

export class NodeProcess {
  readonly name: string;
  /** Without a slash at the end. */
  readonly url: string;
  readonly clients: Client[] = [];
  readonly #child: ChildProcess;
  readonly #warmUp: number;
  readonly #samples: Sample[] = [];

  constructor(name: string, url: string, child: ChildProcess, warmUp: number) {
    this.name = name;
    this.url = url;
    this.#child = child;
    this.#warmUp = warmUp;
  }

  /** @param warmUp minutes whose samples do not count */
  static async start(name: string, options: object, warmUp: number): Promise<NodeProcess> {
    const file = fileURLToPath(new URL('./soaked-node.js', import.meta.url));
    const common = { seed: 0, accounts: 6, initialBalance: '1000000000000000000000000000' };
    const child = fork(file, [JSON.stringify({ ...common, ...options })], {
      execArgv: FLAGS,
    });
    const { url } = Object(await messageOf(child, name));
    return new NodeProcess(name, url.replace(/\/(rpc\/?)?$/, ''), child, warmUp);
  }

  async sample(minutes: number): Promise<void> {
    const answer = messageOf(this.#child, this.name);
    this.#child.send('usage');
    const usage: Usage = Object(await answer);
    this.#samples.push({ minutes, ...usage });
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.send('end');
    await gone;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  /** After the warm-up. */
  get warm(): readonly Sample[] {
    return this.#samples.filter((sample) => sample.minutes >= this.#warmUp);
  }

  /** Megabytes a minute after the warm-up. */
  slope(of: keyof Usage): number {
    return slopeOf(this.warm, of);
  }

  /** Megabytes a minute in the second half of the time after the warm-up. */
  laterSlope(of: keyof Usage): number {
    return slopeOf(this.warm.slice(Math.floor(this.warm.length / 2)), of);
  }
}

function slopeOf(samples: readonly Sample[], of: keyof Usage): number {
  return fitLine(samples.map((sample) => ({ x: sample.minutes, y: sample[of] / MEGABYTE }))).slope;
}

function messageOf(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gone = (code: unknown): void => reject(new Error(`${name} ended with ${code}`));
    child.once('exit', gone);
    child.once('message', (message) => {
      child.off('exit', gone);
      resolve(message);
    });
  });
}
