// A link that holds the state of the playground in its fragment, which browsers send to no server.
import { listOf, membersOf } from '@starkbox/abi/basics';
import { fromBase64Url, gunzip, gzip, toBase64Url } from './bytes.js';
import { differenceOf, imageOf, MAX_IMAGE_LENGTH, type Part } from './image-difference.js';

export interface SharedState {
  /** The id of the contract in the editor. */
  readonly contract: string;
  /** The ids of the ready contracts whose classes the chain has. */
  readonly classes: readonly string[];
  /** The text in the editor, if it was edited. */
  readonly source?: string;
  readonly image: Uint8Array<ArrayBuffer>;
}

/** A fragment that holds no state. The message is for the user. */
export class InvalidLink extends Error {}

/** Longer fragments are refused by some browsers and by many programs that pass links on. */
export const MAX_FRAGMENT_LENGTH = 100_000;
const START = '#chain=';
const VERSION = 1;
const NEWLINE = 0x0a;

/** Whether a fragment was written by the playground. */
export function isStateFragment(fragment: string): boolean {
  return fragment.startsWith(START);
}

/** Returns the image of a new chain with the classes of these ready contracts. */
export type BaseImage = (classes: readonly string[]) => Promise<Uint8Array<ArrayBuffer>>;

export async function fragmentOf(
  { contract, classes, source, image }: SharedState,
  baseWith: BaseImage,
): Promise<string> {
  const { parts, literals, hash } = differenceOf(image, await baseWith(classes));
  const written = parts.map((part) =>
    'literal' in part ? part.literal : [part.hash, part.chunks],
  );
  const header = { version: VERSION, contract, classes, source, hash, parts: written };
  const text = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const bytes = new Uint8Array(text.length + literals.length);
  bytes.set(text);
  bytes.set(literals, text.length);
  return START + toBase64Url(await gzip(bytes));
}

/** @throws InvalidLink */
export async function readFragment(fragment: string, baseWith: BaseImage): Promise<SharedState> {
  const { header, literals } = await unpackFragment(fragment);
  const { version, contract, source, hash, parts } = header;
  if (version !== VERSION || typeof contract !== 'string' || typeof hash !== 'string') {
    throw new InvalidLink(
      'Another version of the playground wrote this link. Ask its author for a downloaded file.',
    );
  }
  const classes = listOf(header['classes']).map(String);
  const base = await baseWith(classes);
  const image = imageOf({ parts: listOf(parts).map(partOf), literals, hash }, base);
  if (image === undefined) {
    throw new InvalidLink(
      'The link belongs to another version of the chain, or it is damaged. Ask its author for a downloaded file.',
    );
  }
  return { contract, classes, image, ...(typeof source === 'string' ? { source } : {}) };
}

async function unpackFragment(fragment: string) {
  try {
    const bytes = await gunzip(fromBase64Url(fragment.slice(START.length)), MAX_IMAGE_LENGTH);
    const end = bytes.indexOf(NEWLINE);
    const header: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
    return { header: membersOf(header), literals: bytes.subarray(end + 1) };
  } catch {
    throw new InvalidLink(
      'The link is damaged: a part of it is missing or changed. Copy the whole link again.',
    );
  }
}

function partOf(part: unknown): Part {
  if (typeof part === 'number' && Number.isSafeInteger(part)) return { literal: part };
  const [hash, chunks] = listOf(part);
  if (typeof hash === 'string' && typeof chunks === 'number') return { hash, chunks };
  throw new InvalidLink('The link is damaged: it has a part of no known kind.');
}
