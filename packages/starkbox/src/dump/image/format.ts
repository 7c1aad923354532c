// Format of an image file, and of other files in the same form: a header and named sections, in checksummed frames.
//
// Magic bytes such as `SBXIMAGE`, a format number, then frames of length, CRC-32 and content. Each checksum
// continues the one before, so frames and sections can be neither lost nor swapped. Frames are
// small and compressed one by one, so that writer and reader hold only a few of them in memory.

import { promisify } from 'node:util';
import { brotliCompress, brotliDecompressSync, constants, crc32 } from 'node:zlib';
import { reasonOf } from '../../errors.js';
import { Slices } from '../../scheduling/slices.js';
import { ImageError, type Source } from './source.js';

export const MAGIC = 'SBXIMAGE';
/** Incremented with each change of the format. */
export const FORMAT = 1;

// Kinds of frames, stated by their first byte.
const [HEADER, SECTION, PLAIN, PACKED, SECTION_END, IMAGE_END] = [1, 2, 3, 4, 5, 6] as const;

/** A kind of files in this form. */
export interface FileKind {
  readonly magic: string;
  readonly format: number;
  /** In messages. */
  readonly name: string;
  /** Throws for another format than this version reads; the header is the first frame of every format. */
  readonly checkFormat: (format: number | undefined, header: () => string) => void;
}

const IMAGE: FileKind = {
  magic: MAGIC,
  format: FORMAT,
  name: 'image',
  checkFormat(format) {
    if (format === FORMAT) return;
    throw new ImageError(
      'the image was made by another version of Starkbox: delete it, or load it with the version that wrote it',
    );
  },
};

function startOf({ magic, format }: Pick<FileKind, 'magic' | 'format'>): Buffer {
  return Buffer.concat([Buffer.from(magic), Buffer.of(format)]);
}

const FRAME_HEAD = 8;
/** Uncompressed size of a frame. */
const FRAME_BYTES = 1 << 20;
/** Incompressible content is stored as it is, after a short prefix. */
const MAX_FRAME_LENGTH = FRAME_BYTES + 64;
/** Bytes that the packed frames of any section may unpack to. */
const LEAST_UNPACKED = 16 << 20;
/** Frames that may be compressed ahead of writing. */
const PACKED_AHEAD = 4;

const compress = promisify(brotliCompress);

/** Compression levels. States are mostly hashes, which higher levels do not compress further. */
export type Packing = 'none' | 'fast' | 'small';
const QUALITY = { fast: 1, small: 5 } as const;

/** Destination of the bytes. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
}

export interface Progress {
  readonly section: string;
  /** Bytes of the file written or read so far. */
  readonly bytes: number;
  /** Size of the whole file, if known. */
  readonly of?: number;
}

/** Extends the checksum by the next frame and its length. */
function checksum(before: number, content: Uint8Array): number {
  return crc32(content, crc32(lengthBytes(content.length), before));
}

function lengthBytes(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(length);
  return bytes;
}

/** A number as end frames encode it. */
function countBytes(count: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(count));
  return bytes;
}

export class ImageWriter {
  readonly #sink: Sink;
  readonly #onProgress: (progress: Progress) => void;
  readonly #start: Buffer;
  #checksum: number;
  #sections = 0;
  #bytes = 0;

  constructor(
    sink: Sink,
    onProgress: (progress: Progress) => void = () => {},
    kind: FileKind = IMAGE,
  ) {
    this.#sink = sink;
    this.#onProgress = onProgress;
    this.#start = startOf(kind);
    this.#checksum = crc32(this.#start);
  }

  /** @param header JSON text */
  async begin(header: string): Promise<void> {
    await this.#write(this.#start);
    await this.#frame(HEADER, Buffer.from(header));
  }

  async section(
    name: string,
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    packing: Packing,
  ): Promise<void> {
    await this.#frame(SECTION, Buffer.from(name));
    let length = 0;
    const ahead: Promise<readonly [kind: number, bytes: Uint8Array]>[] = [];
    const writeNext = async (): Promise<void> => {
      const next = await ahead.shift();
      if (!next) return;
      await this.#frame(...next);
      this.#onProgress({ section: name, bytes: this.#bytes });
    };
    try {
      for await (const bytes of frames(pieces)) {
        length += bytes.length;
        const packed = pack(bytes, packing);
        // Prevents an unhandled rejection if something else fails first.
        packed.catch(() => {});
        ahead.push(packed);
        if (ahead.length > PACKED_AHEAD) await writeNext();
      }
      while (ahead.length > 0) await writeNext();
    } finally {
      await Promise.allSettled(ahead);
    }
    await this.#frame(SECTION_END, countBytes(length));
    this.#sections += 1;
  }

  /** @returns the number of bytes written */
  async end(): Promise<number> {
    await this.#frame(IMAGE_END, countBytes(this.#sections));
    this.#onProgress({ section: 'end', bytes: this.#bytes, of: this.#bytes });
    return this.#bytes;
  }

  async #frame(kind: number, bytes: Uint8Array): Promise<void> {
    const content = Buffer.concat([Buffer.of(kind), bytes]);
    this.#checksum = checksum(this.#checksum, content);
    const check = lengthBytes(this.#checksum);
    await this.#write(Buffer.concat([lengthBytes(content.length), check, content]));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#bytes += bytes.length;
    await this.#sink.write(bytes);
  }
}

/** Splits and joins chunks to the size of a frame. */
async function* frames(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < FRAME_BYTES) continue;
    const whole = Buffer.concat(waiting);
    let at = 0;
    for (; length - at >= FRAME_BYTES; at += FRAME_BYTES)
      yield whole.subarray(at, at + FRAME_BYTES);
    waiting = [whole.subarray(at)];
    length -= at;
  }
  if (length > 0) yield Buffer.concat(waiting);
}

/** Minimum saving for which compression is used. */
const WORTHWHILE = 0.97;

async function pack(
  bytes: Uint8Array,
  packing: Packing,
): Promise<readonly [kind: number, bytes: Uint8Array]> {
  if (packing === 'none') return [PLAIN, bytes];
  const packed = await compress(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY[packing],
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  return packed.length < bytes.length * WORTHWHILE ? [PACKED, packed] : [PLAIN, bytes];
}

// Reading.

/** Whether a file begins with the magic bytes of an image. */
export function isImage(source: Source): boolean {
  return source.read(0, MAGIC.length).toString('latin1') === MAGIC;
}

export interface SectionSize {
  readonly name: string;
  readonly bytes: number;
  /** Bytes in the file. */
  readonly stored: number;
}

/** Sequential reader of an image, frame by frame. */
export class ImageReader {
  readonly #source: Source;
  readonly #onProgress: (progress: Progress) => void;
  readonly #kind: FileKind;
  #at = 0;
  #checksum = 0;
  /** The current or last section, for error messages. */
  #section: string | undefined;
  /** Of its packed frames. */
  #unpackedBytes = 0;
  readonly #sizes: SectionSize[] = [];

  constructor(
    source: Source,
    onProgress: (progress: Progress) => void = () => {},
    kind: FileKind = IMAGE,
  ) {
    this.#source = source;
    this.#onProgress = onProgress;
    this.#kind = kind;
  }

  /** Sizes of the sections read so far. */
  get sizes(): readonly SectionSize[] {
    return this.#sizes;
  }

  /** The header as JSON text. */
  begin(): string {
    const { magic, name, checkFormat } = this.#kind;
    const start = this.#source.read(0, magic.length + 1);
    if (start.toString('latin1', 0, magic.length) !== magic) {
      throw new ImageError(`this is not ${name === 'image' ? 'an' : 'a'} ${name}`);
    }
    if (start.length <= magic.length) this.#failAsDamaged('it ends too early');
    this.#checksum = crc32(start);
    this.#at = start.length;
    let header: string | undefined;
    const readHeader = (): string => {
      header ??= this.#header();
      return header;
    };
    checkFormat(start[magic.length], readHeader);
    return readHeader();
  }

  #header(): string {
    const [kind, bytes] = this.#frame();
    if (kind !== HEADER) this.#failAsDamaged('the header is missing');
    return bytes.toString();
  }

  /** The name of the next section; undefined at the end, which must be the end of the file. */
  next(): string | undefined {
    this.#section = undefined;
    this.#unpackedBytes = 0;
    const [kind, bytes] = this.#frame();
    if (kind === SECTION) {
      this.#section = bytes.toString();
      return this.#section;
    }
    if (kind !== IMAGE_END) this.#failAsDamaged('a section is missing');
    if (countIn(bytes) !== this.#sizes.length)
      this.#failAsDamaged('the number of sections is wrong');
    if (this.#at !== this.#source.size) this.#failAsDamaged('unexpected data follows the end');
    this.#onProgress({ section: 'end', bytes: this.#at, of: this.#at });
    return undefined;
  }

  /**
   * The content of the section, which must be read to its end.
   *
   * @param gain limit against decompression bombs: its packed frames may unpack to this many times
   *   the size of the image; zero allows no packed frames
   */
  *pieces(gain: number): Generator<Uint8Array, void, undefined> {
    const begin = this.#at;
    let length = 0;
    for (;;) {
      const [kind, bytes] = this.#contentFrame();
      if (kind === SECTION_END) {
        if (countIn(bytes) !== length) this.#failAsDamaged('its length is wrong');
        this.#finish(length, begin);
        return;
      }
      const piece = kind === PLAIN ? bytes : this.#unpackFrame(bytes, gain);
      length += piece.length;
      yield piece;
    }
  }

  /** Skips a section: verifies its checksums without decompressing. */
  async skip(): Promise<void> {
    const begin = this.#at;
    const slices = new Slices();
    let [kind, bytes] = this.#contentFrame();
    while (kind !== SECTION_END) {
      if (slices.isOver) await slices.next();
      [kind, bytes] = this.#contentFrame();
    }
    this.#finish(countIn(bytes), begin);
  }

  #contentFrame(): readonly [kind: number, bytes: Buffer] {
    const [kind, bytes] = this.#frame();
    if (kind !== PLAIN && kind !== PACKED && kind !== SECTION_END) {
      this.#failAsDamaged('the section does not end');
    }
    this.#onProgress({ section: this.#section ?? '', bytes: this.#at, of: this.#source.size });
    return [kind, bytes];
  }

  #unpackFrame(bytes: Buffer, gain: number): Buffer {
    if (gain === 0) this.#failAsDamaged('its frames must not be packed');
    let unpacked: Buffer;
    try {
      unpacked = brotliDecompressSync(bytes, { maxOutputLength: FRAME_BYTES });
    } catch {
      return this.#failAsDamaged('a frame cannot be unpacked');
    }
    this.#unpackedBytes += unpacked.length;
    if (this.#unpackedBytes > LEAST_UNPACKED + gain * this.#source.size) {
      this.#failAsDamaged('it unpacks to an implausible size');
    }
    return unpacked;
  }

  #finish(bytes: number, begin: number): void {
    this.#sizes.push({ name: this.#section ?? '', bytes, stored: this.#at - begin });
  }

  /** Adds the section to an error of the caller. */
  explain(error: unknown): ImageError {
    if (error instanceof ImageError) return error;
    const reason = reasonOf(error);
    return new ImageError(this.#where(reason));
  }

  #frame(): readonly [kind: number, bytes: Buffer] {
    const head = this.#source.read(this.#at, FRAME_HEAD);
    if (head.length < FRAME_HEAD) this.#failAsDamaged('it ends too early');
    const length = head.readUInt32LE(0);
    if (length === 0 || length > MAX_FRAME_LENGTH) this.#failAsDamaged('a length is impossible');
    const content = this.#source.read(this.#at + FRAME_HEAD, length);
    if (content.length < length) this.#failAsDamaged('it ends too early');
    this.#checksum = checksum(this.#checksum, content);
    if (this.#checksum !== head.readUInt32LE(4)) this.#failAsDamaged('a checksum does not match');
    this.#at += FRAME_HEAD + length;
    return [content[0] ?? 0, content.subarray(1)];
  }

  #failAsDamaged(reason: string): never {
    throw new ImageError(this.#where(reason));
  }

  #where(reason: string): string {
    const suffix = this.#section === undefined ? '' : ` in the section "${this.#section}"`;
    return `the ${this.#kind.name} is damaged${suffix} at byte ${this.#at}: ${reason}`;
  }
}

function countIn(bytes: Buffer): number {
  return bytes.length === 8 ? Number(bytes.readBigUInt64LE()) : Number.NaN;
}
