// An image as a node would load it, for commands that look into it.
import { imageProgress } from '../dump/dump.js';
import type { Progress } from '../dump/image/format.js';
import type { Loaded } from '../dump/image/read.js';
import type { Source } from '../dump/image/source.js';
import { readChecked } from '../dump/read-checked.js';
import { checkCalls } from '../dump/replay-journal.js';
import { showing, type WorkDisplay } from '../probe.js';
import { Protocol } from '../service/protocol.js';
import { packageVersion } from './version.js';

/**
 * @param path of the image, as the progress shows it
 * @throws ImageError for an image that no node would load
 */
export function readAsNode(source: Source, path: string, progress?: WorkDisplay): Promise<Loaded> {
  const { schema } = new Protocol(undefined, packageVersion());
  const onProgress = (step: Progress): void => progress?.detail(imageProgress(step));
  return showing(progress, `reading ${path}`, () =>
    readChecked(source, { onProgress }, (calls) => checkCalls(calls, schema)),
  );
}
