// Paths of callers, confined to one directory.
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, win32 } from 'node:path';

/** A path that may not be used. The message does not reveal whether something exists there. */
export class Confined extends Error {
  override readonly name = 'Confined';
}

const MAX_LENGTH = 1024;

/**
 * The file that a path means inside of a directory. It need not exist, but the folders before it must.
 *
 * @throws Confined for everything that is not plainly a file of that directory
 */
export function confine(directory: string, path: string): string {
  const segments = segmentsOf(path);
  const last = segments.length - 1;
  let confined = realDirectory(directory);
  for (const [index, segment] of segments.entries()) {
    confined = join(confined, segment);
    const stats = statOf(confined);
    if (index < last) {
      if (!stats?.isDirectory()) refuse();
    } else if (stats && (!stats.isFile() || stats.nlink > 1)) {
      // Links may lead out of the directory, and pipes and devices are not regular files.
      refuse();
    }
  }
  return confined;
}

/** Strict, so that no operating system interprets a name in another way. */
function segmentsOf(path: string): readonly string[] {
  if (path.length > MAX_LENGTH || isAbsolute(path) || win32.parse(path).root !== '') refuse();
  const segments = path.split('/');
  for (const segment of segments) {
    const isPlain = /^[^\\:*?"<>|\p{Cc}\p{Cs}]+$/u.test(segment) && !/[. ]$|^ |^~/.test(segment);
    if (!isPlain || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(segment)) refuse();
  }
  return segments;
}

function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return refuse();
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return refuse(); // a part of the path is not a folder, or cannot be read
  }
}

function refuse(): never {
  throw new Confined('The path must name a file in the dump directory, relative to it');
}
