// Dumps of the chain, as a journal or as an image, by a call or at exit.
import type { DUMP_FORMAT, IMAGE_DUMP } from '@starkbox/spec';
import type { Chain, ChainOptions } from '../chain/chain.js';
import type { GenesisRecord } from '../chain/genesis/genesis-record.js';
import type { World } from '../chain/world/world.js';
import { RpcError, reasonOf } from '../errors.js';
import { fileExists } from '../files/regular-file.js';
import { JsonText } from '../json/json.js';
import type { Progress } from './image/format.js';
import type { ImageHeader } from './image/header.js';
import { trimMemoryLater } from './image/memory-trim.js';
import { ImageError } from './image/source.js';
import { imageBytes, type WriteOptions, writeImageFile } from './image/write.js';
import { failDump, type JournalCall, journalFileText, journalText } from './journal.js';
import { writeWhole } from './journal-file.js';

export interface DumpOptions {
  readonly chain: Chain;
  /** Whether a journal is kept. */
  readonly keepsJournal: boolean;
  /** Whether the node has a data directory, and so no journal. */
  readonly hasDataDirectory: boolean;
  /** The default file. */
  readonly path: string | undefined;
  /** The directory that files of callers must be in. */
  readonly directory: string | undefined;
  readonly format: DUMP_FORMAT;
  /** Limit of an image in an answer, in bytes. */
  readonly longestInline: number;
  /** Name and version of this program. */
  readonly writtenBy: string;
  /** Throws an `RpcError` for calls that no journal may hold. */
  readonly check: (calls: readonly JournalCall[]) => Promise<void>;
  /** Replays calls on an empty chain; throws the error of a failed call. */
  readonly repeat: (calls: readonly JournalCall[]) => Promise<LoadedWorld>;
  /** The accounts that the chain began with. */
  readonly genesis: () => GenesisRecord;
  /**
   * The options of a chain that begins with other accounts; those of the chain without a record.
   *
   * @throws RpcError if the chain must keep its accounts
   */
  readonly optionsWith: (genesis: GenesisRecord | undefined) => Promise<ChainOptions>;
  /** Receives the progress of a long image. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Progress of an image, for people. */
export function imageProgress({ section, bytes, of }: Progress): string {
  const share = of === undefined ? '' : ` of ${megabytes(of)}, ${Math.floor((100 * bytes) / of)} %`;
  return `${section}, ${megabytes(bytes)}${share}`;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/** A world from a dump, and the options of its chain. */
export interface LoadedWorld {
  readonly world: World;
  readonly options: ChainOptions;
}

/** Upper bound of the other parts of a request that carries an image, in bytes. */
const AROUND_IMAGE = 4 * 1024;

/** The longest image that a request can carry, in bytes. */
export function longestInline(bodyLimit: number): number {
  // Base64 encodes three bytes as four characters.
  return Math.max(0, Math.floor((bodyLimit - AROUND_IMAGE) / 4) * 3);
}

function missingJournal({ format, hasDataDirectory }: DumpOptions): string {
  if (format === 'image') return 'The node keeps no journal with --dump-format image.';
  return hasDataDirectory
    ? 'A node with --data-dir keeps no journal: use format image.'
    : 'Please provide --dump-on mode on startup, or use format image, which works without it.';
}

/** A file to write to, and its name in messages. */
export interface DumpTarget {
  readonly path: string;
  readonly shown?: string | undefined;
}

/** Writes the chain as an image: to a file, or into the answer. */
export async function dumpImage(
  options: DumpOptions,
  target: DumpTarget | undefined,
): Promise<IMAGE_DUMP> {
  const { world } = options.chain;
  const writing = writingOf(options);
  trimMemoryLater();
  if (target) {
    const { path, shown = path } = target;
    const { bytes, header } = await writeImageFile(path, world, writing, shown).catch(failFile);
    return { path: shown, bytes, ...factsOf(header) };
  }
  const dumped = await imageBytes(world, writing, options.longestInline).catch(failTooLong);
  return { image: dumped.image.toString('base64'), bytes: dumped.bytes, ...factsOf(dumped.header) };
}

/** The chain as an image in memory, in a buffer of its own. */
export async function imageOf(options: DumpOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { world } = options.chain;
  const { image } = await imageBytes(world, writingOf(options), Number.POSITIVE_INFINITY);
  return new Uint8Array(image);
}

/** Writes the journal to the file, if there is one and it is not empty. @returns its text */
export function dumpJournal(options: DumpOptions, target: DumpTarget | undefined): JsonText {
  const { world } = options.chain;
  if (!options.keepsJournal) failDump(missingJournal(options));
  if (target && !world.journal.isEmpty()) {
    writeWhole(target.path, journalFileText(world, options.genesis()), target.shown);
  }
  return new JsonText(journalText(world));
}

function factsOf({ first_block, last_block, transactions }: ImageHeader) {
  return { first_block, last_block, transactions };
}

function writingOf(options: DumpOptions): WriteOptions {
  const { chain, writtenBy, keepsJournal, onProgress } = options;
  const { chainId, fork } = chain.options;
  const genesis = options.genesis();
  return { chainId, writtenBy, keepsJournal, genesis, origin: fork?.stateSource, onProgress };
}

/**
 * Writes the default file at exit.
 *
 * @param start the initial world; if it is unchanged, only a missing image is written
 * @returns whether the file is written
 */
export async function dumpAtExit(options: DumpOptions, start: World): Promise<boolean> {
  const { chain, path, format } = options;
  const { world } = chain;
  if (path === undefined) return false;
  if (format === 'image') {
    if (world === start && fileExists(path)) return false;
    await dumpImage(options, { path });
    return true;
  }
  if (world === start || world.journal.isEmpty()) return false;
  writeWhole(path, journalFileText(world, options.genesis()));
  return true;
}

function failTooLong(error: unknown): never {
  if (error instanceof ImageError) failDump(`${error.message}: give a path to write it to`);
  throw error;
}

/** Converts an error of the file system to an RPC error; others are rethrown. */
export function failFile(error: unknown): never {
  if (error instanceof RpcError) throw error;
  if (error instanceof Error && 'code' in error) failDump(`I/O error: ${reasonOf(error)}`);
  throw error;
}
