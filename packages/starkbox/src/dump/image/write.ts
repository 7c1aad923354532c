// Writer of images, to a file or to memory.
import type { StateSource } from '@starkbox/engine';
import { stateDiffText } from '../../chain/world/find-block.js';
import type { World } from '../../chain/world/world.js';
import { worldJson } from '../../chain/world/world-json.js';
import { codeOf } from '../../errors.js';
import { replaceDurably } from '../../files/atomic-file.js';
import { checkReplaceable, FileError, fileError } from '../../files/regular-file.js';
import { ImageWriter, type Progress, type Sink } from './format.js';
import { type ImageContext, type ImageHeader, imageHeader } from './header.js';
import { addPrefixes } from './length-prefix.js';
import { loadArchivedWorld } from './load-archived.js';
import { ImageError } from './source.js';

export interface WriteOptions extends ImageContext {
  /** The origin of a fork. */
  readonly origin?: StateSource | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface WrittenImage {
  readonly header: ImageHeader;
  /** Number of bytes written. */
  readonly bytes: number;
}

/** A world is immutable, so the chain may change meanwhile. The output is deterministic. */
export async function writeImage(
  given: World,
  writing: WriteOptions,
  sink: Sink,
): Promise<WrittenImage> {
  const world = await loadArchivedWorld(given, writing.origin);
  const header = imageHeader(world, writing);
  const writer = new ImageWriter(sink, writing.onProgress);
  await writer.begin(JSON.stringify(header));
  // The link to L1 includes a private key, and images are shared; it is opened again after loading.
  const withoutL1 = { ...world, messages: { ...world.messages, l1: undefined } };
  await writer.section('moment', [Buffer.from(worldJson(withoutL1))], 'small');
  // Their texts are compressed already, and the rest is hashes.
  await writer.section('blocks', addPrefixes(recordsOf(world)), 'none');
  await writer.section('state', world.pendingState.export(), 'fast');
  // A state without history cannot be rewound to the end of the last block.
  if (!world.keepsHistory) await writer.section('latest', world.latestState.export(), 'fast');
  if (writing.keepsJournal) {
    const calls = world.journal.toSeq().map((call) => Buffer.from(call));
    await writer.section('journal', addPrefixes(calls), 'small');
  }
  return { header, bytes: await writer.end() };
}

/**
 * Writes a file atomically and durably, by a temporary file, a sync and a rename.
 *
 * @param displayedPath name of the file in messages
 */
export async function writeImageFile(
  path: string,
  world: World,
  writing: WriteOptions,
  displayedPath: string = path,
): Promise<WrittenImage> {
  checkReplaceable(path, displayedPath);
  try {
    return await replaceDurably(path, (file) =>
      writeImage(world, writing, {
        async write(bytes) {
          for (let at = 0; at < bytes.length; ) {
            at += (await file.write(bytes, at)).bytesWritten;
          }
        },
      }),
    );
  } catch (error) {
    throw codeOf(error) === undefined || error instanceof FileError
      ? error
      : fileError(error, displayedPath);
  }
}

/** An image in memory; fails as soon as it exceeds `limit`. */
export async function imageBytes(
  world: World,
  writing: WriteOptions,
  limit: number,
): Promise<WrittenImage & { readonly image: Buffer }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const written = await writeImage(world, writing, {
    async write(bytes) {
      length += bytes.length;
      if (length > limit) throw new ImageError(`the image has more than ${limit} bytes`);
      pieces.push(bytes);
    },
  });
  return { ...written, image: Buffer.concat(pieces) };
}

/** A state with history holds the state differences of blocks, so that they are not written twice. */
function* recordsOf(world: World): Generator<Uint8Array, void, undefined> {
  const { history, keepsHistory } = world;
  for (let number = history.first; number < history.next; number += 1) {
    if (keepsHistory) yield history.recordWithoutDiff(number);
    // Blocks of an image with old states have no difference of their own.
    else if (history.carriesDiff(number)) yield history.record(number);
    else yield history.record(number, stateDiffText(world, number));
  }
}
