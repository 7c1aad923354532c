// Byte sources of images: a file or memory.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../files/regular-file.js';

/** An image that cannot be read; the message names the section and the damage. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

export interface Source {
  readonly size: number;
  /** Up to `length` bytes, in a buffer that is not reused. */
  read(at: number, length: number): Buffer;
  close(): void;
}

export function sourceOfBytes(bytes: Uint8Array): Source {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: all.length,
    read: (at, length) => all.subarray(at, at + length),
    close: () => {},
  };
}

/** @param displayPath name of the file in messages */
export function sourceOfFile(path: string, displayPath: string = path): Source {
  const file = openRegular(path, { displayPath });
  const { size } = fstatSync(file);
  return {
    size,
    read(at, length) {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - at)));
      let filled = 0;
      while (filled < bytes.length) {
        const count = readSync(file, bytes, filled, bytes.length - filled, at + filled);
        if (count === 0) break;
        filled += count;
      }
      return bytes.subarray(0, filled);
    },
    close: () => closeSync(file),
  };
}
