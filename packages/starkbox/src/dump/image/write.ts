// Writer of images, to a file or to memory.
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Origin as StateSource } from '@starkbox/engine';
import type { History } from '../../chain/history/history.js';
import type { World } from '../../chain/world/world.js';
import { worldJson } from '../../chain/world/world-json.js';
import { codeOf } from '../../errors.js';
import { beginDraft, endDraft, removeStaleDrafts } from '../../files/atomic-file.js';
import { checkReplaceable, FileError, fileError } from '../../files/regular-file.js';
import { ImageWriter, type Progress, type Sink } from './format.js';
import { type ImageContext, type ImageHeader, imageHeader } from './header.js';
import { prefixed } from './length-prefix.js';
import { loadArchivedWorld } from './load-archived.js';
import { ImageError } from './source.js';

export interface WriteOptions extends ImageContext {
  /** What a fork stands on. */
  readonly origin?: StateSource | undefined;
  readonly tell?: ((progress: Progress) => void) | undefined;
}

export interface WrittenImage {
  readonly header: ImageHeader;
  /** How many. */
  readonly bytes: number;
}

/** The chain may go on meanwhile: a world never changes. The same world gives the same bytes. */
export async function writeImage(
  given: World,
  writing: WriteOptions,
  sink: Sink,
): Promise<WrittenImage> {
  const world = await loadArchivedWorld(given, writing.origin);
  const header = imageHeader(world, writing);
  const writer = new ImageWriter(sink, writing.tell);
  await writer.begin(JSON.stringify(header));
  // Images are handed on, and the way to L1 includes a private key: whoever loads one opens it again.
  const moment = { ...world, messages: { ...world.messages, l1: undefined } };
  await writer.section('moment', [Buffer.from(worldJson(moment))], 'small');
  // Their texts are packed already, and the rest is hashes.
  await writer.section('blocks', prefixed(recordsOf(world.history)), 'none');
  await writer.section('state', world.pendingState.export(), 'fast');
  // A state that forgets the past cannot be taken back to the end of the last block.
  if (!world.keepsHistory) await writer.section('latest', world.latestState.export(), 'fast');
  if (writing.keepsJournal) {
    const calls = world.journal.toSeq().map((call) => Buffer.from(call));
    await writer.section('journal', prefixed(calls), 'small');
  }
  return { header, bytes: await writer.end() };
}

/**
 * Writes beside, makes it durable and renames: the file is there as a whole or not at all.
 *
 * @param shown how messages call the file
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

/** A new name is durable when its folder is. Not every system can do that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** An image in memory. Refuses, without making the rest of it, one that gets longer than `limit`. */
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

function* recordsOf(history: History): Generator<Uint8Array, void, undefined> {
  for (let number = history.first; number < history.next; number += 1) {
    yield history.record(number);
  }
}
