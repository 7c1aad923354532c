// Reader of images that also checks the calls of their journals.
import { RpcError } from '../errors.js';
import { type Loaded, type ReadOptions, readImage } from './image/read.js';
import { ImageError, type Source } from './image/source.js';
import { callsIn, type JournalCall } from './journal.js';

/**
 * Throws an `ImageError` for an image that no node would load.
 *
 * @param check throws an `RpcError` for calls that no journal may hold
 */
export async function readChecked(
  source: Source,
  reading: ReadOptions,
  check: (calls: readonly JournalCall[]) => Promise<void>,
): Promise<Loaded> {
  const loaded = await readImage(source, reading);
  if (loaded.world.journal.isEmpty()) return loaded;
  try {
    await check(await callsIn(loaded.world));
    return loaded;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new ImageError(`the image is damaged in the section "journal": ${error.message}`);
  }
}
