// Regular files named by callers and options, opened without blocking.
import { constants as bufferConstants } from 'node:buffer';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, reasonOf } from '../errors.js';

/** A file that cannot be used. The message names it as its user did. */
export class FileError extends Error {
  override readonly name = 'FileError';
  /** The code of the system, or `EINVAL` for what is no regular file. */
  readonly code: string;

  constructor(message: string, code = 'EINVAL', cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Linux and macOS allow no longer path. */
const MAX_PATH_LENGTH = 4096;

/** A FIFO without a writer would otherwise block the process. */
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const WRITING = constants.O_RDWR | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Throws a `FileError` for a text that cannot be a path. */
export function checkPath(path: string): void {
  const reason =
    path === ''
      ? 'it is empty'
      : path.includes('\0')
        ? 'it contains a NUL character'
        : Buffer.byteLength(path) > MAX_PATH_LENGTH
          ? `it is longer than ${MAX_PATH_LENGTH} bytes`
          : undefined;
  if (reason !== undefined) throw new FileError(`invalid path: ${reason}`);
}

/** Whether something exists at a path. Throws a `FileError` if that cannot be determined. */
export function fileExists(path: string, displayPath: string = path): boolean {
  return statusOf(path, displayPath) !== undefined;
}

/**
 * The descriptor of an existing regular file.
 *
 * @param displayPath the path that errors name
 */
export function openRegular(
  path: string,
  {
    displayPath = path,
    writable = false,
  }: { readonly displayPath?: string; readonly writable?: boolean } = {},
): number {
  // Opening a device can already have an effect.
  assertRegular(statusOf(path, displayPath), displayPath);
  let file: number;
  try {
    file = openSync(path, writable ? WRITING : READING);
  } catch (error) {
    throw fileError(error, displayPath);
  }
  try {
    // It may have been replaced since; the descriptor cannot be.
    assertRegular(fstatSync(file), displayPath);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The text of a regular file. */
export function readRegularSync(path: string, displayPath: string = path): string {
  const file = openRegular(path, { displayPath });
  try {
    assertFitsIntoString(fstatSync(file), displayPath);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw error instanceof FileError ? error : fileError(error, displayPath);
  } finally {
    closeSync(file);
  }
}

/** As `readRegularSync`, without blocking the event loop. */
export async function readRegular(path: string, displayPath: string = path): Promise<string> {
  assertRegular(statusOf(path, displayPath), displayPath);
  const file = await open(path, READING).catch((error: unknown) => {
    throw fileError(error, displayPath);
  });
  try {
    const status = await file.stat();
    assertRegular(status, displayPath);
    assertFitsIntoString(status, displayPath);
    return await file.readFile('utf8');
  } catch (error) {
    throw error instanceof FileError ? error : fileError(error, displayPath);
  } finally {
    await file.close();
  }
}

/** Throws a `FileError` if what is at the path is something else than a regular file. */
export function checkReplaceable(path: string, displayPath: string = path): void {
  const status = statusOf(path, displayPath);
  if (status) assertRegular(status, displayPath);
}

/** Throws a `FileError` unless a file can be written and replaced at the path. */
export function checkWritable(path: string): void {
  checkPath(path);
  const folder = dirname(path);
  checkFolder(folder);
  checkReplaceable(path);
  checkAccess(folder, constants.W_OK | constants.X_OK);
  if (fileExists(path)) checkAccess(path, constants.W_OK);
}

/** Throws a `FileError` unless there is such a folder. */
export function checkFolder(path: string): void {
  checkPath(path);
  const status = statusOf(path, path);
  if (!status) throw new FileError(`the folder ${path} does not exist`, 'ENOENT');
  if (!status.isDirectory()) throw new FileError(`${path} is not a folder`, 'ENOTDIR');
}

function checkAccess(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    throw new FileError(
      `${path} is not writable: ${systemReason(error)}`,
      systemCode(error),
      error,
    );
  }
}

function statusOf(path: string, displayPath: string): Stats | undefined {
  checkPath(path);
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fileError(error, displayPath);
  }
}

function assertRegular(status: Stats | undefined, displayPath: string): void {
  if (!status) throw new FileError(`${displayPath} does not exist`, 'ENOENT');
  if (status.isFile()) return;
  const code = status.isDirectory() ? 'EISDIR' : 'EINVAL';
  throw new FileError(`${displayPath} is ${kindOf(status)}, not a regular file`, code);
}

/** Before it is read into memory in vain. */
function assertFitsIntoString({ size }: Stats, displayPath: string): void {
  const most = bufferConstants.MAX_STRING_LENGTH;
  if (size > most)
    throw new FileError(`${displayPath} has ${size} bytes, more than ${most}`, 'EFBIG');
}

function kindOf(status: Stats): string {
  if (status.isDirectory()) return 'a directory';
  if (status.isFIFO()) return 'a FIFO';
  if (status.isSocket()) return 'a socket';
  return 'a device';
}

/** An error of the file system under the name that its user gave the file. */
export function fileError(error: unknown, displayPath: string): FileError {
  return new FileError(`${displayPath}: ${systemReason(error)}`, systemCode(error), error);
}

/** Without the name of the call and the resolved path, which Node adds. */
function systemReason(error: unknown): string {
  const message = reasonOf(error);
  const [, code, reason] = /^(E[A-Z0-9]+): (.*?), \w+( '.*)?$/s.exec(message) ?? [];
  return reason === undefined ? message : `${reason} (${code})`;
}

function systemCode(error: unknown): string {
  const code = codeOf(error);
  return typeof code === 'string' ? code : 'EIO';
}
