// The corpus folder: histories that violated an invariant, tried first by later checks.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { membersOf } from '@starkbox/abi/basics';
import type { History } from '../model/history.js';
import { historyOfJson, stepToJson } from './history-text.js';

const PREFIX = 'violation-';
const FORMAT = 1;

/** A history that violated an invariant. */
export interface CorpusEntry {
  /** The path of its file. */
  readonly file: string;
  readonly invariant: string;
  readonly history: History;
}

export class Corpus {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** All entries in the order of their names, and a sentence on each damaged file. */
  async read(): Promise<{
    readonly entries: readonly CorpusEntry[];
    readonly damages: readonly string[];
  }> {
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw new Error(`The corpus ${this.folder} cannot be read: ${error.message}`);
    });
    const entries: CorpusEntry[] = [];
    const damages: string[] = [];
    for (const name of names.sort()) {
      if (!name.startsWith(PREFIX) || !name.endsWith('.json')) continue;
      const file = join(this.folder, name);
      try {
        entries.push(entryOf(file, JSON.parse(await readFile(file, 'utf8'))));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        damages.push(`${file} is damaged and is not tried: ${reason}. Delete it, or restore it.`);
      }
    }
    return { entries, damages };
  }

  /** @returns the path of the file */
  async add(invariant: string, history: History): Promise<string> {
    const steps = history.map(stepToJson);
    const content = `${JSON.stringify({ format: FORMAT, invariant, history: steps }, null, 2)}\n`;
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
    const file = join(this.folder, `${PREFIX}${hash}.json`);
    await mkdir(this.folder, { recursive: true });
    // Another check may read the folder at the same time.
    const draft = `${file}.${process.pid}.tmp`;
    await writeFile(draft, content);
    await rename(draft, file);
    return file;
  }

  async remove({ file }: CorpusEntry): Promise<void> {
    await rm(file, { force: true });
  }
}

function entryOf(file: string, json: unknown): CorpusEntry {
  const { format, invariant, history } = membersOf(json);
  if (format !== FORMAT) throw new TypeError(`its format is ${String(format)}, not ${FORMAT}`);
  if (typeof invariant !== 'string') throw new TypeError('it names no invariant');
  return { file, invariant, history: historyOfJson(history) };
}
