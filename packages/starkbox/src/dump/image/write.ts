// Writer of images, to a file or to memory.
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StateSource } from '@starkbox/engine';
import type { World } from '../../chain/world/world.js';
import { worldJson } from '../../chain/world/world-json.js';
import { codeOf } from '../../errors.js';
import { beginDraft, endDraft, removeStaleDrafts } from '../../files/atomic-file.js';
import { syncFolder } from '../../files/durable-file.js';
import { checkReplaceable, FileError, fileError } from '../../files/regular-file.js';
import { ImageWriter, type Progress, type Sink } from './format.js';
import { type ImageContext, type ImageHeader, imageHeader } from './header.js';
import { prefixed } from './length-prefix.js';
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
  await writer.section('blocks', prefixed(recordsOf(world)), 'none');
  await writer.section('state', world.pendingState.export(), 'fast');
  // A state without history cannot be rewound to the end of the last block.
  if (!world.keepsHistory) await writer.section('latest', world.latestState.export(), 'fast');
  if (writing.keepsJournal) {
    const calls = world.journal.toSeq().map((call) => Buffer.from(call));
    await writer.section('journal', prefixed(calls), 'small');
  }
  return { header, bytes: await writer.end() };
}

/**
 * Writes a file atomically and durably, by a temporary file, a sync and a rename.
 *
 * @param shown name of the file in messages
 */
export async function writeImageFile(
  path: string,
  world: World,
  writing: WriteOptions,
  shown: string = path,
): Promise<WrittenImage> {
  checkReplaceable(path, shown);
  removeStaleDrafts(path);
  const draft = beginDraft(path);
  try {
    const written = await writeDraft(draft, world, writing);
    await rename(draft, path);
    await syncFolder(dirname(path));
    return written;
  } catch (error) {
    await rm(draft, { force: true });
    throw codeOf(error) === undefined || error instanceof FileError
      ? error
      : fileError(error, shown);
  } finally {
    endDraft(draft);
  }
}

async function writeDraft(
  draft: string,
  world: World,
  writing: WriteOptions,
): Promise<WrittenImage> {
  const file = await open(draft, 'wx');
  try {
    const written = await writeImage(world, writing, {
      async write(bytes) {
        for (let at = 0; at < bytes.length; ) {
          at += (await file.write(bytes, at)).bytesWritten;
        }
      },
    });
    await file.sync();
    return written;
  } finally {
    await file.close();
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
function* recordsOf({ history, keepsHistory }: World): Generator<Uint8Array, void, undefined> {
  for (let number = history.first; number < history.next; number += 1) {
    yield keepsHistory ? history.recordWithoutDiff(number) : history.record(number);
  }
}
