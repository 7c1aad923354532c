// Damaged and hostile bundles: bytes, frames, sections, JSON values, and the same of the image inside, under right checksums.
import { brotliCompressSync, crc32 } from 'node:zlib';
import type { Random } from '@starkbox/test-support/random';
import { withChecksums } from '../dump/image/sections.js';

// Kinds of frames.
const [HEADER, SECTION, PLAIN, PACKED, SECTION_END, IMAGE_END] = [1, 2, 3, 4, 5, 6];
const KINDS = [HEADER, SECTION, PLAIN, PACKED, SECTION_END, IMAGE_END, 0, 7, 255];

interface Frame {
  readonly kind: number;
  readonly content: Buffer;
}

/** A file of frames, apart from its checksums. */
interface FrameFile {
  readonly start: Buffer;
  readonly frames: readonly Frame[];
}

function framesOf(file: Buffer): FrameFile {
  const magic = file.subarray(0, 9).toString('latin1') === 'SBXBUNDLE' ? 9 : 8;
  const frames: Frame[] = [];
  let at = magic + 1;
  while (at + 8 < file.length) {
    const length = file.readUInt32LE(at);
    const content = file.subarray(at + 8, at + 8 + length);
    frames.push({ kind: content[0] ?? 0, content: content.subarray(1) });
    at += 8 + length;
  }
  return { start: file.subarray(0, magic + 1), frames };
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/** The bytes of a file, under right checksums. */
function fileOf({ start, frames }: FrameFile): Buffer {
  let checksum = crc32(start);
  const pieces: Buffer[] = [start];
  for (const { kind, content } of frames) {
    const whole = Buffer.concat([Buffer.of(kind), content]);
    checksum = crc32(whole, crc32(number(whole.length), checksum));
    pieces.push(number(whole.length), number(checksum), whole);
  }
  return Buffer.concat(pieces);
}

function flipped(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  for (let left = 1 + random.below(3); left > 0 && copy.length > 0; left -= 1) {
    const at = random.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
  }
  return copy;
}

/** Bytes that say nothing of frames. */
function withOtherBytes(file: Buffer, random: Random): Buffer {
  const [at, other] = [random.below(file.length), random.below(file.length)];
  const [first, last] = [Math.min(at, other), Math.max(at, other)];
  const changes: readonly (() => Buffer)[] = [
    () => flipped(file, random),
    () => file.subarray(0, at),
    () => Buffer.concat([file.subarray(0, first), file.subarray(last)]),
    () => Buffer.concat([file, file.subarray(first, last)]),
    () => Buffer.concat([file.subarray(0, last), file.subarray(first)]),
    () => Buffer.concat([file.subarray(0, at), number(0xffff_ffff), file.subarray(at + 4)]),
  ];
  return random.pick(changes)();
}

const BOMB = brotliCompressSync(Buffer.alloc(1 << 20, 0x20));
const NAMES = [
  'image',
  'reads',
  'artifacts',
  '../../outside',
  '/etc/passwd',
  '',
  '\0',
  'x'.repeat(9_999),
];

/** Frames lost, doubled, swapped, renamed, inflated, or with other counts. */
function withOtherFrames({ start, frames }: FrameFile, random: Random): FrameFile {
  const at = random.below(frames.length);
  const other = random.below(frames.length);
  const [frame, second] = [frames[at], frames[other]];
  if (!frame || !second) return { start, frames };
  const withFrame = (...instead: readonly Frame[]): readonly Frame[] =>
    frames.toSpliced(at, 1, ...instead);
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(random.pick([0n, 1n, 2n ** 32n, 2n ** 53n, 2n ** 64n - 1n]));
  const changes: readonly (() => readonly Frame[])[] = [
    () => withFrame(),
    () => withFrame(frame, frame),
    () => withFrame(second),
    () => frames.toSpliced(at, 1, second).toSpliced(other, 1, frame),
    () => withFrame({ kind: random.pick(KINDS), content: frame.content }),
    () => withFrame({ kind: frame.kind, content: flipped(frame.content, random) }),
    () => withFrame({ kind: SECTION, content: Buffer.from(random.pick(NAMES)) }),
    () => withFrame({ kind: random.pick([SECTION_END, IMAGE_END]), content: count }),
    () => withFrame(...Array.from({ length: 40 }, () => ({ kind: PACKED, content: BOMB }))),
    () =>
      withFrame(
        frame,
        { kind: PACKED, content: BOMB },
        { kind: PLAIN, content: Buffer.from('[]') },
      ),
    () => frames.slice(0, at),
  ];
  return { start, frames: random.pick(changes)() };
}

const nested = (depth: number): unknown => {
  let value: unknown = [];
  for (let left = depth; left > 0; left -= 1) value = [value];
  return value;
};

/** Values that a reader may not expect. */
const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  2 ** 53,
  1e308,
  '',
  '\0',
  '0x0',
  `0x${'f'.repeat(64)}`,
  '0x-1',
  '__proto__',
  'constructor',
  '../../outside/file.cairo',
  '/outside/file.cairo',
  'C:\\outside\\file.cairo',
  'file:///outside/file.cairo',
  'http://127.0.0.1:1/',
  '9.9.9; touch outside/file',
  '$(touch outside/file)',
  'x'.repeat(1 << 20),
  [],
  {},
  nested(1_500),
  Array.from({ length: 100_000 }, () => 0),
  Object.fromEntries([['__proto__', { isHostile: true }]]),
];

/** A JSON value with something else at a random place. */
function withOtherValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.below(6) === 0)
    return random.pick(HOSTILE);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (items.length === 0) return random.pick(HOSTILE);
    const at = random.below(items.length);
    return items.with(at, withOtherValue(items[at], random));
  }
  const entries: [string, unknown][] = Object.entries(value);
  const at = random.below(entries.length + 1);
  const entry = entries[at];
  if (!entry)
    return Object.fromEntries([...entries, [String(random.pick(HOSTILE)), random.pick(HOSTILE)]]);
  const [name, member] = entry;
  const isRenamed = random.below(8) === 0;
  const changed: [string, unknown] = isRenamed
    ? [String(random.pick(HOSTILE)).slice(0, 99), member]
    : [name, withOtherValue(member, random)];
  return Object.fromEntries(entries.with(at, changed));
}

function textOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? 'null');
}

/** The header with another value. */
function withOtherHeader({ start, frames }: FrameFile, random: Random): FrameFile {
  const [header, ...others] = frames;
  const value: unknown = JSON.parse(header?.content.toString() ?? '{}');
  const content = textOf(withOtherValue(value, random));
  return { start, frames: [{ kind: HEADER, content }, ...others] };
}

/** Content of a section as one plain frame for each MB, with its length. */
function sectionFrames(content: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < content.length; at += 1 << 20) {
    frames.push({ kind: PLAIN, content: content.subarray(at, at + (1 << 20)) });
  }
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(BigInt(content.length));
  return [...frames, { kind: SECTION_END, content: count }];
}

/** Puts other content into a section. */
function withSection({ start, frames }: FrameFile, name: string, content: Buffer): FrameFile {
  const first = frames.findIndex(
    ({ kind, content: text }) => kind === SECTION && text.toString() === name,
  );
  if (first < 0) return { start, frames };
  const end = frames.findIndex(({ kind }, at) => at > first && kind === SECTION_END);
  const replaced = frames.toSpliced(first + 1, end - first, ...sectionFrames(content));
  return { start, frames: replaced };
}

/** A length as records have it. */
function prefix(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function recordsOf(values: readonly unknown[]): Buffer {
  return Buffer.concat(
    values.flatMap((value) => {
      const text = textOf(value);
      return [prefix(text.length), text];
    }),
  );
}

/** A good bundle, and its parts as JSON. */
export interface BaseBundle {
  readonly file: Buffer;
  readonly image: Buffer;
  /** Records of the sections that hold JSON. */
  readonly records: Readonly<Record<string, readonly unknown[]>>;
  /** Sections of the image: one as JSON, two as bytes. */
  readonly moment: unknown;
  readonly blocks: Buffer;
  readonly state: Buffer;
}

const ENDLESS = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);

function withOtherRecords(base: BaseBundle, random: Random): Buffer {
  const name = random.pick(Object.keys(base.records));
  const records = base.records[name] ?? [];
  const many = Array.from({ length: 2_000 }, () => records[0] ?? {});
  const at = random.below(Math.max(1, records.length));
  const changes: readonly (() => Buffer)[] = [
    () => recordsOf(records.with(at, withOtherValue(records[at], random))),
    () => recordsOf(records.with(at, withOtherValue(records[at], random))),
    () => recordsOf([...records, ...records]),
    () => recordsOf([]),
    () => Buffer.concat([recordsOf(records), ENDLESS]),
    () => flipped(recordsOf(records), random),
    () => recordsOf(JSON.stringify(records[0] ?? {}).length < 200 ? many : records.slice(1)),
  ];
  const content = records.length === 0 ? recordsOf([random.pick(HOSTILE)]) : random.pick(changes)();
  return fileOf(withSection(framesOf(base.file), name, content));
}

/** A bundle whose image is changed like a bundle. */
function withOtherImage(base: BaseBundle, random: Random): Buffer {
  const { file, image, moment, blocks, state } = base;
  const frames = framesOf(image);
  const changes: readonly (() => Buffer)[] = [
    () => withOtherBytes(image, random),
    () => fileOf(withOtherFrames(frames, random)),
    () => fileOf(withOtherFrames(frames, random)),
    () => fileOf(withOtherHeader(frames, random)),
    () => fileOf(withSection(frames, 'moment', textOf(withOtherValue(moment, random)))),
    () => fileOf(withSection(frames, random.pick(['blocks', 'state']), ENDLESS)),
    () => fileOf(withSection(frames, 'blocks', flipped(blocks, random))),
    // A state has checksums of its own.
    () => fileOf(withSection(frames, 'state', withChecksums(flipped(state, random)))),
    () => fileOf(withSection(frames, 'state', withChecksums(flipped(state, random)))),
  ];
  return fileOf(withSection(framesOf(file), 'image', random.pick(changes)()));
}

/** One of the mutations of a bundle, with its kind. */
export function mutation(
  base: BaseBundle,
  random: Random,
): { readonly kind: string; readonly file: Buffer } {
  const { file } = base;
  switch (random.below(6)) {
    case 0:
      return { kind: 'bytes', file: withOtherBytes(file, random) };
    case 1:
      return { kind: 'frames', file: fileOf(withOtherFrames(framesOf(file), random)) };
    case 2:
      return { kind: 'header', file: fileOf(withOtherHeader(framesOf(file), random)) };
    case 3:
      return { kind: 'image', file: withOtherImage(base, random) };
    default:
      return { kind: 'records', file: withOtherRecords(base, random) };
  }
}
