// Dumps of the chain, as a journal or as an image, by a call or at exit.
import type { Chain } from '../chain/chain.js';
import type { World } from '../chain/world/world.js';
import { RpcError, reasonOf } from '../errors.js';
import { JsonText } from '../json/json.js';
import type { DUMP_FORMAT, IMAGE_DUMP } from '../spec.js';
import type { Progress } from './image/format.js';
import type { ImageHeader } from './image/header.js';
import { ImageError } from './image/source.js';
import { imageBytes, type WriteOptions, writeImageFile } from './image/write.js';
import { failDump, type JournalCall, journalText } from './journal.js';
import { writeWhole } from './journal-file.js';

export interface DumpOptions {
  readonly chain: Chain;
  /** Whether calls are kept at all. */
  readonly keepsJournal: boolean;
  /** The file that is meant where none is named, and what it is to be. */
  readonly path: string | undefined;
  /** Where the files are that callers may name. */
  readonly directory: string | undefined;
  readonly format: DUMP_FORMAT;
  /** How long an image may be that is not written to a file, in bytes. */
  readonly longestInline: number;
  /** Name and version of this program. */
  readonly writtenBy: string;
  /** Throws an `RpcError` unless these can be the calls of a journal. */
  readonly check: (calls: readonly JournalCall[]) => Promise<void>;
  /** A chain of the same kind after these calls; throws the error of the one that fails. */
  readonly repeat: (calls: readonly JournalCall[]) => Promise<World>;
  /** Hears how far a long image is. */
  readonly tell?: ((progress: Progress) => void) | undefined;
}

/** What a request with an image has besides it, with room to spare. */
const AROUND_IMAGE = 4 * 1024;

/** The bytes of the longest image that a request can carry; a longer one belongs into a file. */
export function longestInline(bodyLimit: number): number {
  // Four characters of base64 stand for three bytes.
  return Math.max(0, Math.floor((bodyLimit - AROUND_IMAGE) / 4) * 3);
}

const NO_JOURNAL: Readonly<Record<DUMP_FORMAT, string>> = {
  journal: 'Please provide --dump-on mode on startup, or ask for format image, which needs none.',
  image: 'No journal is kept with --dump-format image.',
};

/** A file to write to, and how messages call it. */
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
  if (target) {
    const { path, shown = path } = target;
    const { bytes, header } = await writeImageFile(path, world, writing, shown).catch(failFile);
    return { path: shown, bytes, ...factsOf(header) };
  }
  const made = await imageBytes(world, writing, options.longestInline).catch(failTooLong);
  return { image: made.image.toString('base64'), bytes: made.bytes, ...factsOf(made.header) };
}

/** Writes the journal to a file, if one is given and there is anything to write; its text. */
export function dumpJournal(options: DumpOptions, target: DumpTarget | undefined): JsonText {
  const { world } = options.chain;
  if (!options.keepsJournal) failDump(NO_JOURNAL[options.format]);
  const text = journalText(world);
  if (target && !world.journal.isEmpty()) writeWhole(target.path, text, target.shown);
  return new JsonText(text);
}

function factsOf({ first_block, last_block, transactions }: ImageHeader) {
  return { first_block, last_block, transactions };
}

function writingOf({ chain, writtenBy, keepsJournal, tell }: DumpOptions): WriteOptions {
  const { chainId, fork } = chain.options;
  return { chainId, writtenBy, keepsJournal, origin: fork?.stateSource, tell };
}

/**
 * Writes the usual file when the node ends.
 *
 * @param start the world that the node began with: if that is still it, there is nothing to write
 */
export async function dumpAtExit(options: DumpOptions, start: World): Promise<void> {
  const { chain, path, format } = options;
  const { world } = chain;
  if (path === undefined || world === start) return;
  if (format === 'image') await dumpImage(options, { path });
  else if (!world.journal.isEmpty()) writeWhole(path, journalText(world));
}

function failTooLong(error: unknown): never {
  if (error instanceof ImageError) failDump(`${error.message}: give a path to write it to`);
  throw error;
}

/** Turns an error of the file system into one that the caller gets; others stay unexpected. */
export function failFile(error: unknown): never {
  if (error instanceof RpcError) throw error;
  if (error instanceof Error && 'code' in error) failDump(`I/O error: ${reasonOf(error)}`);
  throw error;
}
