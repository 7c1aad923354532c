// Knows how a chain is written down and loaded again: as its journal or as an image, by a call, at start or at exit.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Chain } from '../chain/chain.js';
import type { World } from '../chain/world/world.js';
import { invalidParams, RpcError, reasonOf } from '../errors.js';
import { checkPath, FileError, fileExists, readRegular } from '../files/regular-file.js';
import { Confined, confine } from '../files/safe-path.js';
import { List } from '../immutable.js';
import { JsonText, stringify } from '../json/json.js';
import type { Group } from '../rpc/protocol/handlers.js';
import type { DUMP_FORMAT, IMAGE_DUMP } from '../spec.js';
import { isImage, type Progress } from './image/format.js';
import type { ImageHeader } from './image/header.js';
import { type Loaded, readImage } from './image/read.js';
import { ImageError, type Source, sourceOfBytes, sourceOfFile } from './image/source.js';
import { imageBytes, type Writing, writeImageFile } from './image/write.js';
import { callsIn, failDump, type JournalCall, journalText, parseJournal } from './journal.js';
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

export function dumpMethods(options: DumpOptions): Group<'devnet_dump' | 'devnet_load'> {
  const { chain, keepsJournal, path: usual, repeat } = options;
  return {
    async devnet_dump({ path, inline = false, format = options.format }) {
      const target = path === undefined ? (inline ? undefined : usual) : fileOf(options, path);
      const { world } = chain;
      if (format === 'image') {
        const made = await dumpImage(options, world, target, path);
        return path === undefined ? made : { ...made, path };
      }
      if (!keepsJournal) failDump(NO_JOURNAL[options.format]);
      if (target !== undefined && !world.journal.isEmpty())
        writeWhole(target, journalText(world), path);
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
    if (directory !== undefined) return confine(directory, path);
    checkPath(path);
    return path;
  } catch (error) {
    if (error instanceof Confined || error instanceof FileError) failDump(error.message);
    throw error;
  }
}

// Writing.

async function dumpImage(
  options: DumpOptions,
  world: World,
  path: string | undefined,
  shown: string | undefined = path,
): Promise<IMAGE_DUMP> {
  const writing = writingOf(options);
  if (path !== undefined) {
    const { bytes, header } = await writeImageFile(path, world, writing, shown).catch(failFile);
    return { path, bytes, ...factsOf(header) };
  }
  const made = await imageBytes(world, writing, options.longestInline).catch(failTooLong);
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

export interface FileWish {
  /** What the file must be; either by default. */
  readonly format?: DUMP_FORMAT | undefined;
  /** How the caller named it. */
  readonly given?: string | undefined;
}

/** The chain that a file holds, whatever its format. */
export async function worldInFile(
  options: DumpOptions,
  path: string,
  { format, given }: FileWish = {},
): Promise<World> {
  const shown = given ?? path;
  if (!exists(path, shown)) failDump('The file does not exist');
  // A start names the file itself.
  const named = given === undefined ? '' : `${given}: `;
  const found = await withSource(
    () => sourceOfFile(path, shown),
    async (source) => {
      const isFound = isImage(source);
      if (format !== undefined && (format === 'image') !== isFound) {
        failDump(`Deserialization error: ${shown} is no ${format}`);
      }
      return isFound ? loadImage(options, source) : undefined;
    },
    named,
  );
  if (!found) return repeatFile(options, path, { shown, named });
  const isUsual = options.path !== undefined && isSame(path, options.path);
  if (isUsual && lacksJournal(options, found) && options.format === 'journal') {
    failDump(
      `${shown} is an image that holds no journal, so that no journal can follow it: use --dump-format image`,
    );
  }
  // Whoever repeats the call may stand elsewhere, but not outside of the directory.
  return withJournal(options, found, {
    path: options.directory === undefined ? resolve(path) : shown,
  });
}

function exists(path: string, shown: string): boolean {
  try {
    return fileExists(path, shown);
  } catch (error) {
    return failFile(error);
  }
}

async function repeatFile(
  { repeat }: DumpOptions,
  path: string,
  { shown, named }: { readonly shown: string; readonly named: string },
): Promise<World> {
  const text = await readRegular(path, shown).catch(failFile);
  try {
    return await repeat(parseJournal(text));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const [, prefix = '', reason = ''] =
      /^(Deserialization error: )?(.*)$/s.exec(error.message) ?? [];
    throw new RpcError(error.code, `${prefix}${named}${reason}`, error.data);
  }
}

async function worldInText(options: DumpOptions, image: string): Promise<World> {
  const bytes = Buffer.from(image, 'base64');
  const found = await withSource(
    () => sourceOfBytes(bytes),
    (source) => loadImage(options, source),
  );
  return withJournal(options, found, { image });
}

async function loadImage({ chain, check, tell }: DumpOptions, source: Source): Promise<Loaded> {
  const { chainId, keepsHistory, fork } = chain.options;
  const { history } = chain.world;
  const { first } = history;
  const parentHash = history.header(first)?.parentHash;
  const loaded = await readImage(source, {
    chainId,
    keepsHistory,
    first,
    parentHash,
    origin: fork?.origin,
    tell,
  });
  const { journal } = loaded.world;
  if (journal.isEmpty()) return loaded;
  try {
    await check(await callsIn(loaded.world));
    return loaded;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new ImageError(`the image is damaged in the section "journal": ${error.message}`);
  }
}

/** @param named the name of the file and a colon, where the caller needs it */
async function withSource<T>(
  open: () => Source,
  read: (source: Source) => Promise<T>,
  named = '',
): Promise<T> {
  let source: Source | undefined;
  try {
    source = open();
    return await read(source);
  } catch (error) {
    if (error instanceof ImageError) failDump(`Deserialization error: ${named}${error.message}`);
    return failFile(error);
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
  const real = (path: string): string => (exists(path, path) ? realpathSync(path) : resolve(path));
  return real(one) === real(other);
}

function failTooLong(error: unknown): never {
  if (error instanceof ImageError) failDump(`${error.message}: give a path to write it to`);
  throw error;
}

/** Errors of the file system are the caller's to know; all others are ours. */
function failFile(error: unknown): never {
  if (error instanceof RpcError) throw error;
  if (error instanceof Error && 'code' in error) failDump(`I/O error: ${reasonOf(error)}`);
  throw error;
}
