// Byte sources of images: a file or memory.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../files/regular-file.js';

/** An image that cannot be read. The message says where it is damaged, and how. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}

export interface Source {
  readonly size: number;
  /** As many bytes as asked for, or as there are. They stay what they are. */
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

/** @param shown how messages call the file */
export function sourceOfFile(path: string, shown: string = path): Source {
  const file = openRegular(path, { shown });
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
