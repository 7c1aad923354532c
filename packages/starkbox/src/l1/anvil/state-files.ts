// State files of the managed Anvil, kept between runs.

import { randomUUID } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isObject } from '@starkbox/abi/basics';
import { codeOf, reasonOf } from '../../errors.js';
import { replaceDurably } from '../../files/atomic-file.js';
import { createFolder } from '../../files/create-folder.js';
import { readRegular } from '../../files/regular-file.js';
import { findProcess } from './process-identity.js';

const unzip = promisify(gunzip);

/** Time for an Anvil whose node was killed to write its state and end. */
const LEAVING_MILLISECONDS = 30_000;
const LEAVING_PAUSE_MILLISECONDS = 20;

/** The process that runs an Anvil, and where that Anvil listens. */
interface Run {
  readonly pid: number;
  /** A marker in its command line, because the system reuses process ids. */
  readonly mark: string;
  readonly url: string | undefined;
}

/**
 * The state of an Anvil in a directory. `anvil.json` is replaced as a whole while Anvil runs.
 * What Anvil writes when it ends goes to `anvil.exit.json`, which replaces the former only if it
 * is complete.
 */
export class AnvilState {
  /** Marker for the command line of the process that runs Anvil. */
  readonly mark: string = `anvil-${randomUUID()}`;
  /** The file that Anvil writes when it ends. */
  readonly exitFile: string;
  /** URL of the Anvil of the previous run. */
  readonly previousUrl: string | undefined;
  readonly #file: string;
  readonly #runFile: string;
  #isThere = false;

  constructor(directory: string, previousUrl: string | undefined) {
    const { file, exitFile, runFile } = filesIn(directory);
    this.#file = file;
    this.exitFile = exitFile;
    this.#runFile = runFile;
    this.previousUrl = previousUrl;
  }

  /** Waits for the end of the previous run's Anvil, and prepares its state for the next. */
  static async open(directory: string): Promise<AnvilState> {
    createFolder(directory);
    const run = await readRun(filesIn(directory).runFile);
    if (run) await hasEnded(run);
    const state = new AnvilState(directory, run?.url);
    await state.adoptExit();
    await state.#prepare();
    return state;
  }

  /** The initial state, if there is one. */
  get file(): string | undefined {
    return this.#isThere ? this.#file : undefined;
  }

  /** Records the process, so that the next run waits for its end. */
  async noteRun(pid: number, url: string | undefined = this.previousUrl): Promise<void> {
    await replaceFile(this.#runFile, JSON.stringify({ pid, mark: this.mark, url }));
  }

  /** Stores an answer of `anvil_dumpState`. */
  async save(dumped: string): Promise<void> {
    const bytes = Buffer.from(dumped.slice(2), 'hex');
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    await replaceFile(this.#file, isPacked ? await unzip(bytes) : bytes);
  }

  /** Adopts the exit file of Anvil. An incomplete or older one is dropped. */
  async adoptExit(): Promise<void> {
    const written = await modifiedTime(this.exitFile);
    if (written === undefined) return;
    const isNewer = written >= ((await modifiedTime(this.#file)) ?? 0);
    if (isNewer && (await isComplete(this.exitFile))) await rename(this.exitFile, this.#file);
    else await rm(this.exitFile, { force: true });
  }

  /**
   * Anvil makes a genesis block at every start, keeps it beside the one that it loads, and
   * writes both. At the next load either of them may become block 0. Only the oldest belongs to
   * the chain.
   */
  async #prepare(): Promise<void> {
    let text: string;
    try {
      text = await readRegular(this.#file);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      throw error;
    }
    this.#isThere = true;
    let state: unknown;
    try {
      state = JSON.parse(text);
    } catch (error) {
      throw new Error(
        `${this.#file} is damaged, so the L1 of this chain cannot continue: ${reasonOf(error)}. Restore a copy of it, or delete it to start with an empty L1.`,
      );
    }
    const cleaned = withOneGenesis(state);
    if (cleaned !== state) await replaceFile(this.#file, JSON.stringify(cleaned));
  }
}

function filesIn(directory: string): { file: string; exitFile: string; runFile: string } {
  return {
    file: join(directory, 'anvil.json'),
    exitFile: join(directory, 'anvil.exit.json'),
    runFile: join(directory, 'anvil.run.json'),
  };
}

async function readRun(file: string): Promise<Run | undefined> {
  try {
    const run: unknown = JSON.parse(await readRegular(file));
    if (!isObject(run) || typeof run['pid'] !== 'number' || typeof run['mark'] !== 'string') {
      return undefined;
    }
    const { pid, mark, url } = run;
    return { pid, mark, url: typeof url === 'string' ? url : undefined };
  } catch {
    // The first run, or one that could not write it.
    return undefined;
  }
}

async function hasEnded({ pid, mark }: Run): Promise<void> {
  const late = AbortSignal.timeout(LEAVING_MILLISECONDS);
  while (await findProcess(pid, mark)) {
    if (late.aborted) {
      throw new Error(
        `the Anvil of an earlier run is still running (process ${pid}). Stop it, then start again.`,
      );
    }
    await delay(LEAVING_PAUSE_MILLISECONDS);
  }
}

function withOneGenesis(state: unknown): unknown {
  if (!isObject(state) || !Array.isArray(state['blocks'])) return state;
  const blocks: readonly unknown[] = state['blocks'];
  const [first, ...others] = blocks
    .filter((block) => headerNumber(block, 'number') === 0)
    .sort((a, b) => headerNumber(a, 'timestamp') - headerNumber(b, 'timestamp'));
  if (first === undefined || others.length === 0) return state;
  return { ...state, blocks: blocks.filter((block) => !others.includes(block)) };
}

function headerNumber(block: unknown, name: string): number {
  const header = isObject(block) ? block['header'] : undefined;
  return isObject(header) ? Number(header[name]) : Number.NaN;
}

async function isComplete(file: string): Promise<boolean> {
  try {
    const state: unknown = JSON.parse(await readRegular(file));
    return isObject(state) && Array.isArray(state['blocks']);
  } catch {
    return false;
  }
}

async function modifiedTime(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  return replaceDurably(file, (draft) => draft.writeFile(content));
}
