// Files of classes, as an agent names them: regular files of a size that a class can have.
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

const LARGEST_FILE = 64 * 1024 * 1024;
/** A FIFO that replaced the file would otherwise block until it has a writer. */
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

interface ClassFile {
  /** The absolute path. */
  readonly file: string;
  readonly text: string;
}

export async function readClassFile(path: string): Promise<ClassFile> {
  const file = resolve(path);
  try {
    // Opening a device can already have an effect.
    assertClassFile(await stat(file));
    const handle = await open(file, READING);
    return { file, text: await textIn(handle).finally(() => handle.close()) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${file} cannot be read: ${reason}. Give the path of a Sierra class, for example target/dev/NAME.contract_class.json as Scarb writes it.`,
    );
  }
}

async function textIn(handle: FileHandle): Promise<string> {
  assertClassFile(await handle.stat());
  return handle.readFile('utf8');
}

function assertClassFile(status: { isFile(): boolean; readonly size: number }): void {
  if (!status.isFile()) throw new Error('it is not a regular file');
  if (status.size > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
}
