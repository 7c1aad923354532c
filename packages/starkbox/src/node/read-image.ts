// An image as a node would load it, for commands that look into it.
import type { Loaded } from '../dump/image/read.js';
import type { Source } from '../dump/image/source.js';
import { readChecked } from '../dump/read-checked.js';
import { checkCalls } from '../dump/replay-journal.js';
import { Protocol } from '../service/protocol.js';
import { packageVersion } from './version.js';

/** Throws an `ImageError` for an image that no node would load. */
export function readAsNode(source: Source): Promise<Loaded> {
  const { schema } = new Protocol(undefined, packageVersion());
  return readChecked(source, {}, (calls) => checkCalls(calls, schema));
}
