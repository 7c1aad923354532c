// Knows how a chain is written down and loaded again: as its journal or as an image, by a call, at start or at exit.
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Chain } from '../chain/chain.js';
import { isImage, type Progress } from '../chain/image-file.js';
import type { ImageHeader } from '../chain/image-header.js';
import { type Loaded, readImage } from '../chain/image-reading.js';
import { ImageError, type Source, sourceOfBytes, sourceOfFile } from '../chain/image-source.js';
import { imageBytes, type Writing, writeImageFile } from '../chain/image-writing.js';
import { List } from '../chain/persistent.js';
import type { World } from '../chain/world.js';
import { Confined, confine } from '../confinement.js';
import { invalidParams } from '../errors.js';
import { JsonText, stringify } from '../json.js';
import type { DUMP_FORMAT, IMAGE_DUMP, RPC_CALL } from '../spec.js';
import type { Group } from './handlers.js';
import { failDump, journalText, readJournal, writeWhole } from './journal.js';

export interface DumpOptions {
  readonly chain: Chain;
  /** Whether calls are kept at all. */
  readonly keepsJournal: boolean;
  /** The file that is meant where none is named, and what it is to be. */
  readonly path: string | undefined;
  /** Where the files are that callers may name. */
  readonly directory: string | undefined;
  readonly format: DUMP_FORMAT;
  /** Name and version of this program. */
  readonly writtenBy: string;
  /** A chain of the same kind after these calls; throws the error of the one that fails. */
  readonly repeat: (calls: readonly RPC_CALL[]) => Promise<World>;
  /** Hears how far a long image is. */
  readonly tell?: ((progress: Progress) => void) | undefined;
}

/** A longer image belongs into a file: it would be held in memory several times over. */
const LONGEST_INLINE = 32 * 1024 * 1024;

const NO_JOURNAL: Readonly<Record<DUMP_FORMAT, string>> = {
  journal: 'Please provide --dump-on mode on startup.',
  image: 'No journal is kept with --dump-format image.',
};

export function dumpMethods(options: DumpOptions): Group<'devnet_dump' | 'devnet_load'> {
  const { chain, keepsJournal, path: usual, repeat } = options;
  return {
    async devnet_dump({ path, inline = false, format = options.format }) {
      const target = path === undefined ? (inline ? undefined : usual) : fileOf(options, path);
      const { world } = chain;
      if (format === 'image') {
        const made = await dumpImage(options, world, target);
        return path === undefined ? made : { ...made, path };
      }
      if (!keepsJournal) failDump(NO_JOURNAL[options.format]);
      if (target !== undefined && !world.journal.isEmpty()) writeWhole(target, journalText(world));
      return new JsonText(journalText(world));
    },

    async devnet_load({ path, events, image, format }) {
      const given = [path, events, image].filter((one) => one !== undefined);
      if (given.length !== 1) invalidParams('params: give one of path, events and image');
      let world: World;
      if (path !== undefined)
        world = await worldInFile(options, fileOf(options, path), { format, given: path });
      else if (image !== undefined) world = await worldInText(options, image);
      else world = await repeat(events ?? []);
      await chain.replace(async () => world);
      return {};
    },
  };
}

/** The file that a caller means. */
function fileOf({ directory }: DumpOptions, path: string): string {
  try {
    return directory === undefined ? path : confine(directory, path);
  } catch (error) {
    if (error instanceof Confined) failDump(error.message);
    throw error;
  }
}

// Writing.

async function dumpImage(
  options: DumpOptions,
  world: World,
  path: string | undefined,
): Promise<IMAGE_DUMP> {
  const writing = writingOf(options);
  if (path !== undefined) {
    const { bytes, header } = await writeImageFile(path, world, writing).catch(failWriting);
    return { path, bytes, ...factsOf(header) };
  }
  const made = await imageBytes(world, writing, LONGEST_INLINE).catch(failTooLong);
  return { image: made.image.toString('base64'), bytes: made.bytes, ...factsOf(made.header) };
}

function factsOf({ first_block, last_block, transactions }: ImageHeader) {
  return { first_block, last_block, transactions };
}

function writingOf({ chain, writtenBy, keepsJournal, tell }: DumpOptions): Writing {
  const { chainId, fork } = chain.options;
  return { chainId, writtenBy, keepsJournal, origin: fork?.origin, tell };
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
  if (format === 'image') await dumpImage(options, world, path);
  else if (!world.journal.isEmpty()) writeWhole(path, journalText(world));
}

// Loading.

/** The chain that a file holds, whatever its format. */
export async function worldInFile(
  options: DumpOptions,
  path: string,
  {
    format,
    given = path,
  }: { readonly format?: DUMP_FORMAT | undefined; readonly given?: string } = {},
): Promise<World> {
  if (!existsSync(path)) failDump('The file does not exist');
  const found = await withSource(
    () => sourceOfFile(path),
    async (source) => (isImage(source) ? loadImage(options, source) : undefined),
  );
  const isOfFormat = format === undefined || (format === 'image') === (found !== undefined);
  if (!isOfFormat) failDump(`Deserialization error: ${given} is no ${format}`);
  if (!found) return options.repeat(readJournal(path));
  const isUsual = options.path !== undefined && isSame(path, options.path);
  if (isUsual && lacksJournal(options, found) && options.format === 'journal') {
    failDump(
      `${path} is an image that holds no journal, so that no journal can follow it: use --dump-format image`,
    );
  }
  // Whoever repeats the call may stand elsewhere, but not outside of the directory.
  return withJournal(options, found, {
    path: options.directory === undefined ? resolve(path) : given,
  });
}

async function worldInText(options: DumpOptions, image: string): Promise<World> {
  const bytes = Buffer.from(image, 'base64');
  const found = await withSource(
    () => sourceOfBytes(bytes),
    (source) => loadImage(options, source),
  );
  return withJournal(options, found, { image });
}

function loadImage({ chain, tell }: DumpOptions, source: Source): Promise<Loaded> {
  const { chainId, keepsHistory, fork } = chain.options;
  const { history } = chain.world;
  const { first } = history;
  const parentHash = history.header(first)?.parentHash;
  return readImage(source, {
    chainId,
    keepsHistory,
    first,
    parentHash,
    origin: fork?.origin,
    tell,
  });
}

async function withSource<T>(open: () => Source, read: (source: Source) => Promise<T>): Promise<T> {
  let source: Source | undefined;
  try {
    source = open();
    return await read(source);
  } catch (error) {
    return failReading(error);
  } finally {
    source?.close();
  }
}

function lacksJournal({ keepsJournal }: DumpOptions, { header }: Loaded): boolean {
  return keepsJournal && header.journal_calls === null;
}

/** Where the calls that made an image were not kept, a journal begins with loading it. */
function withJournal(options: DumpOptions, loaded: Loaded, params: object): World {
  const { world } = loaded;
  if (!options.keepsJournal) return { ...world, journal: List() };
  if (!lacksJournal(options, loaded)) return world;
  const call = stringify({ jsonrpc: '2.0', method: 'devnet_load', params, id: 0 });
  return { ...world, journal: List([call]) };
}

function isSame(one: string, other: string): boolean {
  const real = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path));
  return real(one) === real(other);
}

function failReading(error: unknown): never {
  if (error instanceof ImageError) failDump(`Deserialization error: ${error.message}`);
  return failWriting(error);
}

function failTooLong(error: unknown): never {
  if (error instanceof ImageError) failDump(`${error.message}: give a path to write it to`);
  throw error;
}

/** Errors of the file system are the caller's to know; all others are ours. */
function failWriting(error: unknown): never {
  if (error instanceof Error && 'code' in error) failDump(`I/O error: ${error.message}`);
  throw error;
}
