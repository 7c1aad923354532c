// A data directory with a chain in it, copied for each test, and the ways to damage it.
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { RunningCommand } from '../running-command.js';

/** The newest block of the chain. */
export const BLOCKS = 12;
export const SEED = 7;

/** Keys of the database, or what they begin with. */
export const KEYS = {
  head: Buffer.of(1),
  block: Buffer.of(6),
  afterBlocks: Buffer.of(7),
  identity: Buffer.of(14),
} as const;

export const mint = (node: RunningCommand): Promise<unknown> =>
  node.call('devnet_mint', { address: '0x77', amount: 1, unit: 'FRI' });

/** Directories in one place, and the nodes on them. */
export class Workshop {
  readonly place: string = mkdtempSync(join(tmpdir(), 'starkbox-damage-'));
  readonly #running = new Set<RunningCommand>();
  #count = 0;

  async start(...args: readonly string[]): Promise<RunningCommand> {
    const node = await RunningCommand.start(args);
    this.#running.add(node);
    return node;
  }

  /** A directory whose node was stopped. */
  async begin(name: string, seed: number): Promise<string> {
    const path = join(this.place, name);
    const node = await this.start('--data-dir', path, '--seed', String(seed));
    for (let block = 0; block < BLOCKS; block += 1) await mint(node);
    await node.stop();
    return path;
  }

  copy(of: string): string {
    this.#count += 1;
    const path = join(this.place, String(this.#count));
    cpSync(of, path, { recursive: true });
    return path;
  }

  /** What a start says that ends by itself with exit code 1. */
  async refusal(directory: string): Promise<string> {
    const message = await this.start('--data-dir', directory).then(
      () => 'it was started',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    const [, words = message] = /^the command ended with 1: error: (.*)$/s.exec(message) ?? [];
    return words;
  }

  async remove(): Promise<void> {
    for (const node of this.#running) await node.kill();
    rmSync(this.place, { recursive: true });
  }
}

/** As the header of a database says; systems differ. */
export const pageSizeOf = (path: string): number => readFileSync(path).readUInt32LE(48);

export function overwrite(path: string, bytes: Uint8Array, at: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}

/** Overwrites bytes of a value wherever a file has them; says in how many places. */
export function spoil(path: string, part: Buffer): number {
  const bytes = readFileSync(path);
  let places = 0;
  for (let at = bytes.indexOf(part); at >= 0; at = bytes.indexOf(part, at + 1)) {
    overwrite(path, Buffer.alloc(part.length, 0xee), at);
    places += 1;
  }
  return places;
}

const openDatabase = (path: string) =>
  open<Buffer, Buffer>({
    path,
    noSubdir: true,
    keyEncoding: 'binary',
    encoding: 'binary',
    overlappingSync: false,
  });

/** Opens a database for as long as something takes. */
export async function inDatabase<T>(
  path: string,
  use: (database: ReturnType<typeof openDatabase>) => T | Promise<T>,
): Promise<T> {
  const database = openDatabase(path);
  const result = await use(database);
  await database.close();
  return result;
}
