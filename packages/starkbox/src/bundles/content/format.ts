// Format of a bundle: an execution with all that a second run of it needs, in one file.
//
// The form of an image, with other magic bytes. The header is readable in every format, so that a reader can name the
// version that opens the file.
import { isObject, type Members, trust } from '@starkbox/abi/basics';
import type { SourceQuestion } from '@starkbox/engine';
import type { Methods } from '@starkbox/spec';
import {
  type FileKind,
  ImageReader,
  ImageWriter,
  type Packing,
  type Sink,
} from '../../dump/image/format.js';
import { addPrefixes, splitByPrefixes } from '../../dump/image/length-prefix.js';
import { ImageError, type Source } from '../../dump/image/source.js';
import { BundleError, reasonOf } from '../../errors.js';
import { MAX_DEPTH, parse, stringify } from '../../json/json.js';
import { boolean, count, felt, MAX_VALUES, object, optional, string } from '../../json/reader.js';

/** The end of a file name. */
export const BUNDLE_EXTENSION = '.starkbox-bundle';

/** A name that a node gives a bundle, as part of a file name; another one if it is none. */
export function checkName(name: string): string {
  return /^[\w-][\w.-]{0,99}$/.test(name) ? name : 'transaction';
}

/** Bytes of the largest bundle that is written or opened. */
export const LARGEST_BUNDLE: number = 128 << 20;

const MAGIC = 'SBXBUNDLE';
const FORMAT = 1;

/** How many times the size of the file its packed sections may unpack to. Real ones reach 20. */
const MAX_GAINED = 64;
/** Bytes that the records of a section may have, unpacked. */
const MAX_UNPACKED = 128 << 20;
/** Characters of the longest header: its texts are short. */
const MAX_HEADER_LENGTH = 4096;
/** Classes with debug information, and values of a forked network. */
const MAX_ARTIFACTS = 1_000;
const MAX_READS = 1_000_000;
/** Bytes of the shortest record of each. */
const SHORTEST_RECORD = '[{},null]'.length;

/** What was executed: parameters of `devnet_openDebugTrace`. */
export type BundleSubject = Pick<
  Methods['devnet_openDebugTrace']['params'],
  'transaction_hash' | 'call' | 'transactions' | 'block_id' | 'skip_validate'
>;

export interface BundleHeader {
  /** The version of this package that wrote it. */
  readonly version: string;
  /** The version of the Cairo compiler in it. */
  readonly compiler: string;
  readonly chain_id: string;
  /** Whether transactions pay fees. */
  readonly charges_fee: boolean;
  /** The contract, the function and a hash, as part of a file name. */
  readonly name: string;
}

/** Debug information of a class, and texts of its source files by their names. */
export interface BundledArtifact {
  readonly class_hash: string;
  /** As the compiler wrote it, as JSON text: one that is not parsed takes less memory. */
  readonly debug_info: string;
  readonly sources: Readonly<Record<string, string>>;
}

/** A value of a forked network that the execution reads. */
export type BundledRead = readonly [question: SourceQuestion, answer: string | null];

/** Where a block runs again: the state differs from the one after the block before it. */
export interface BlockStart {
  readonly block: number;
  /** Transactions of the block that the difference contains. */
  readonly index: number;
  /** A state difference as JSON text. */
  readonly diff: string;
}

export interface BundleContent {
  readonly header: BundleHeader;
  readonly subject: BundleSubject;
  /** Of the block of a transaction. */
  readonly start: BlockStart | undefined;
  /** An image of the chain around the execution. */
  readonly image: Uint8Array;
  readonly artifacts: readonly BundledArtifact[];
  /** Undefined unless the chain is a fork. */
  readonly reads: readonly BundledRead[] | undefined;
}

/** @param version of this package */
function kindFor(version: string): FileKind {
  return {
    magic: MAGIC,
    format: FORMAT,
    name: 'bundle',
    checkFormat(format, header) {
      const text = header();
      if (text.length > MAX_HEADER_LENGTH)
        throw new BundleError('the header of the bundle is too long');
      const writer = showVersion(membersIn(text)['version']);
      if (writer === undefined) throw new BundleError('the bundle does not name its version');
      if (format === FORMAT && writer === version) return;
      throw new BundleError(
        `starkbox ${writer} wrote the bundle, and this is starkbox ${version}: open it with \`npx starkbox@${writer} debug\``,
      );
    },
  };
}

/** A version as a command line can contain it; undefined for any other value. */
function showVersion(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d[\w.+-]{0,63}$/.test(value) ? value : undefined;
}

function membersIn(text: string): Members {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}

/** Writes a bundle. The same content gives the same bytes. */
export async function writeBundle(content: BundleContent, sink: Sink): Promise<number> {
  const { header, subject, start, image, artifacts, reads } = content;
  const writer = new ImageWriter(sink, undefined, kindFor(header.version));
  const writePacked = async (
    name: string,
    values: readonly unknown[],
    packing: Packing = 'small',
  ): Promise<void> => {
    const records = values.map((value) => Buffer.from(stringify(value)));
    await writer.section(name, addPrefixes(records), packing);
  };
  await writer.begin(JSON.stringify(header));
  await writePacked('subject', start ? [subject, start] : [subject]);
  await writer.section('image', [image], 'none');
  await writePacked('artifacts', artifacts);
  if (reads) await writePacked('reads', reads);
  return writer.end();
}

/**
 * Reads a bundle that may come from other people. Only lengths and types are checked here.
 *
 * @param version of this package
 * @throws BundleError if it is no bundle, is damaged, or another version wrote it
 */
export function readBundle(source: Source, version: string): BundleContent {
  if (source.size > LARGEST_BUNDLE) {
    throw new BundleError(
      `the file has ${source.size} bytes, and a bundle has at most ${LARGEST_BUNDLE}`,
    );
  }
  const reader = new ImageReader(source, undefined, kindFor(version));
  const next = (name: string): boolean => {
    const section = reader.next();
    if (section !== undefined && section !== name)
      throw new Error(`expected the section "${name}", found another`);
    return section !== undefined;
  };
  const required = (name: string): void => {
    if (!next(name)) throw new Error(`the section "${name}" is missing`);
  };
  try {
    const header = readHeader(reader.begin());
    required('subject');
    const [first, second] = recordsIn(reader, 2, object);
    const subject = readSubject(first, 'record 0');
    const start = second && readStart(second, 'record 1');
    required('image');
    const image = Buffer.concat([...reader.pieces(0)]);
    required('artifacts');
    const artifacts = recordsIn(reader, MAX_ARTIFACTS, readArtifact);
    const reads = next('reads') ? recordsIn(reader, MAX_READS, readRead) : undefined;
    if (reads && reader.next() !== undefined) throw new Error('unexpected data follows');
    return { header, subject, start, image, artifacts, reads };
  } catch (error) {
    if (error instanceof BundleError) throw error;
    throw new BundleError(reasonOf(error instanceof ImageError ? error : reader.explain(error)));
  }
}

function recordsIn<T>(
  reader: ImageReader,
  most: number,
  read: (value: unknown, where: string) => T,
): readonly T[] {
  const values: T[] = [];
  let length = 0;
  for (const record of splitByPrefixes(reader.pieces(MAX_GAINED), SHORTEST_RECORD)) {
    length += record.length;
    if (values.length >= most) throw new Error(`it has more than ${most} records`);
    if (length > MAX_UNPACKED) throw new Error(`it has more than ${MAX_UNPACKED} bytes, unpacked`);
    const text = Buffer.from(record).toString();
    // Checks depth and number of values. Exact integers above 2^53 would be of another type.
    parse(text, MAX_DEPTH, MAX_VALUES);
    values.push(read(JSON.parse(text), `record ${values.length}`));
  }
  return values;
}

function readHeader(text: string): BundleHeader {
  const { version, compiler, chain_id, charges_fee, name } = object(JSON.parse(text), 'header');
  return {
    version: string(version, 'header.version'),
    compiler: string(compiler, 'header.compiler'),
    chain_id: string(chain_id, 'header.chain_id'),
    charges_fee: boolean(charges_fee, 'header.charges_fee'),
    name: string(name, 'header.name'),
  };
}

/** The parameters are checked by the schema of their method. */
function readSubject(value: unknown, where: string): BundleSubject {
  const { transaction_hash, call, transactions, block_id, skip_validate } = object(value, where);
  return trust({
    ...(transaction_hash === undefined ? {} : { transaction_hash }),
    ...(call === undefined ? {} : { call }),
    ...(transactions === undefined ? {} : { transactions }),
    ...(block_id === undefined ? {} : { block_id }),
    ...(skip_validate === undefined ? {} : { skip_validate }),
  });
}

function readStart(value: unknown, where: string): BlockStart {
  const { block, index, diff } = object(value, where);
  return {
    block: count(block, `${where}.block`),
    index: count(index, `${where}.index`),
    diff: string(diff, `${where}.diff`),
  };
}

function readArtifact(value: unknown, where: string): BundledArtifact {
  const { class_hash, debug_info, sources } = object(value, where);
  const texts = new Map<string, string>();
  for (const [file, text] of Object.entries(object(sources, `${where}.sources`))) {
    texts.set(file, string(text, `${where}.sources`));
  }
  return {
    class_hash: felt(class_hash, `${where}.class_hash`),
    debug_info: string(debug_info, `${where}.debug_info`),
    // By `fromEntries`, a file named __proto__ is a file.
    sources: Object.fromEntries(texts),
  };
}

function readRead(value: unknown, where: string): BundledRead {
  if (!Array.isArray(value) || value.length !== 2) throw new TypeError(`${where}: expected two`);
  const [question, answer]: unknown[] = value;
  return [readQuestion(question, where), optional(answer, where, string) ?? null];
}

function readQuestion(value: unknown, where: string): SourceQuestion {
  const { kind, ...members } = object(value, where);
  const member = (name: string): string => felt(members[name], `${where}.${name}`);
  switch (kind) {
    case 'storage':
      return { kind, address: member('address'), key: member('key') };
    case 'nonce':
    case 'class_hash':
      return { kind, address: member('address') };
    case 'class':
      return { kind, class_hash: member('class_hash') };
    default:
      throw new TypeError(`${where}.kind: expected storage, nonce, class_hash or class`);
  }
}
