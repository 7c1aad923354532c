// Loading of dumps, from a journal or an image.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DUMP_FORMAT } from '@starkbox/spec';
import type { GenesisRecord } from '../chain/genesis/genesis-record.js';
import type { World } from '../chain/world/world.js';
import { RpcError } from '../errors.js';
import { fileExists } from '../files/regular-file.js';
import { List } from '../immutable.js';
import { stringify } from '../json/json.js';
import { type DumpOptions, failFile, type LoadedWorld } from './dump.js';
import { isImage } from './image/format.js';
import { trimMemoryLater } from './image/memory-trim.js';
import { headerIn, type Loaded } from './image/read.js';
import { ImageError, type Source, sourceOfBytes, sourceOfFile } from './image/source.js';
import { failDump, genesisIn, parseJournal } from './journal.js';
import { readChecked } from './read-checked.js';

/** What the caller requires of a file. */
export interface FileExpectation {
  /** The required format; any by default. */
  readonly format?: DUMP_FORMAT | undefined;
  /** The name that the caller gave. */
  readonly given?: string | undefined;
}

/** The world that a file of either format holds. */
export async function worldInFile(
  options: DumpOptions,
  path: string,
  { format, given }: FileExpectation = {},
): Promise<LoadedWorld> {
  const displayedPath = given ?? path;
  if (!exists(path, displayedPath)) failDump(`The file does not exist: ${displayedPath}`);
  // At startup the message already names the file.
  const messageStart = given === undefined ? '' : `${given}: `;
  const loaded = await withSource(
    () => sourceOfFile(path, displayedPath),
    async (source) => {
      const isImageFile = isImage(source);
      if (format !== undefined && (format === 'image') !== isImageFile) {
        failDump(`Deserialization error: ${displayedPath} is no ${format}`);
      }
      return isImageFile ? loadImage(options, source) : source.read(0, source.size).toString();
    },
    messageStart,
  );
  if (typeof loaded === 'string') return repeatText(options, loaded, messageStart);
  const isDumpPath = options.path !== undefined && isSame(path, options.path);
  if (isDumpPath && lacksJournal(options, loaded) && options.format === 'journal') {
    failDump(
      `${displayedPath} is an image without a journal, which --dump-format journal cannot continue: use --dump-format image`,
    );
  }
  // The journal may be replayed from another working directory, but only within --dump-dir.
  return withOptions(options, loaded, {
    path: options.directory === undefined ? resolve(path) : displayedPath,
  });
}

function exists(path: string, displayedPath: string): boolean {
  try {
    return fileExists(path, displayedPath);
  } catch (error) {
    return failFile(error);
  }
}

/** @param messageStart prefix of error messages: the name of the file and a colon, or nothing */
async function repeatText(
  { repeat }: DumpOptions,
  text: string,
  messageStart: string,
): Promise<LoadedWorld> {
  try {
    return await repeat(parseJournal(text));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const [, prefix = '', reason = ''] =
      /^(Deserialization error: )?(.*)$/s.exec(error.message) ?? [];
    throw new RpcError(error.code, `${prefix}${messageStart}${reason}`, error.data);
  }
}

/** The world of an image in base64. */
export function worldInText(options: DumpOptions, image: string): Promise<LoadedWorld> {
  return worldInBytes(options, Buffer.from(image, 'base64'), { image });
}

/** @param params of the call that a journal holds instead */
export async function worldInBytes(
  options: DumpOptions,
  image: Uint8Array,
  params: object = {},
): Promise<LoadedWorld> {
  const loaded = await withSource(
    () => sourceOfBytes(image),
    (source) => loadImage(options, source),
  );
  return withOptions(options, loaded, params);
}

function loadImage({ chain, check, onProgress }: DumpOptions, source: Source): Promise<Loaded> {
  const { chainId, keepsHistory, fork } = chain.options;
  const { history } = chain.world;
  const { first } = history;
  const parentHash = history.header(first)?.parentHash;
  const reading = {
    chainId,
    keepsHistory,
    first,
    parentHash,
    origin: fork?.stateSource,
    onProgress,
  };
  return readChecked(source, reading, check);
}

/** @param messageStart prefix of error messages: the name of the file and a colon, or nothing */
async function withSource<T>(
  open: () => Source,
  read: (source: Source) => Promise<T>,
  messageStart = '',
): Promise<T> {
  let source: Source | undefined;
  try {
    source = open();
    return await read(source);
  } catch (error) {
    if (error instanceof ImageError)
      failDump(`Deserialization error: ${messageStart}${error.message}`);
    return failFile(error);
  } finally {
    source?.close();
    trimMemoryLater();
  }
}

function lacksJournal({ keepsJournal }: DumpOptions, { header }: Loaded): boolean {
  return keepsJournal && header.journal_calls === null;
}

async function withOptions(
  options: DumpOptions,
  loaded: Loaded,
  params: object,
): Promise<LoadedWorld> {
  const world = withJournal(options, loaded, params);
  return { world, options: await options.optionsWith(loaded.header.genesis) };
}

/** The journal of an image without one begins with the call that loads the image. */
function withJournal(options: DumpOptions, loaded: Loaded, params: object): World {
  const { world } = loaded;
  if (!options.keepsJournal) return { ...world, journal: List() };
  if (!lacksJournal(options, loaded)) return world;
  const call = stringify({ jsonrpc: '2.0', method: 'devnet_load', params, id: 0 });
  return { ...world, journal: List([call]) };
}

function isSame(first: string, other: string): boolean {
  const real = (path: string): string => (exists(path, path) ? realpathSync(path) : resolve(path));
  return real(first) === real(other);
}

/** The accounts that a file records; none of a file that has no record or is damaged, which a load rejects. */
export function genesisInFile(path: string): GenesisRecord | undefined {
  try {
    if (!fileExists(path)) return undefined;
    const source = sourceOfFile(path);
    try {
      if (isImage(source)) return headerIn(source).genesis;
      return genesisIn(parseJournal(source.read(0, source.size).toString()));
    } finally {
      source.close();
    }
  } catch {
    return undefined;
  }
}
