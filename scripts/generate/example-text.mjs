// JSON of examples as people read it: short values on one line, long ones cut.
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { manifestIn } from '../packages/workspaces.mjs';

/** @typedef {ReturnType<typeof JSON.parse>} Json */

/** What differs between two runs, and what stands for it. @type {Readonly<Record<string, unknown>>} */
const FIXED = {
  age_seconds: 12,
  duration_ms: 1.5,
  queue_ms: 0.2,
  execute_ms: 1.1,
  encode_ms: 0.2,
  idle_seconds: 3,
  milliseconds: 1.5,
  started_at: 1700000000,
  seconds: 2.5,
  time: 1700000000,
};
/** Raised by releases, which do not write these pages anew. */
const { version: VERSION } = manifestIn(join(ROOT, 'packages/starkbox'));
const SHOWN_VERSION = '0.1.0';
/** An image holds the offset of the clock, so that its length differs by some bytes. */
const IMAGE_BYTES = 825_684;
/** Ids of instances are random. */
export const INSTANCE = '5f0c2b7d9a1e4c36';
const WIDTH = 100;
const LINES = 30;
const MAX_TEXT_LENGTH = 70;

/**
 * A request as one JSON text.
 *
 * @param {string} method
 * @param {unknown} params
 */
export function requestText(method, params) {
  return limited({ method, ...(params === undefined ? {} : { params }) }, [
    [8, 8],
    [4, 6],
    [2, 4],
    [1, 2],
  ]);
}

/** @param {unknown} answer */
export function answerText(answer) {
  return limited(answer, [
    [3, 8],
    [2, 5],
    [1, 4],
    [1, 3],
    [1, 2],
  ]);
}

/**
 * A text of at most so many lines: cut by the first pair of items and depth that fits, else by the last.
 *
 * @param {unknown} value
 * @param {readonly (readonly [items: number, depth: number])[]} cuts
 */
function limited(value, cuts) {
  const texts = cuts.map(([items, depth]) => written(cut(value, items, depth), ''));
  return texts.find((text) => text.split('\n').length <= LINES) ?? texts.at(-1) ?? '';
}

/**
 * Cuts lists after some items, texts after some letters, and what is too deep.
 *
 * @param {Json} value
 * @param {number} items
 * @param {number} depth
 * @returns {unknown}
 */
function cut(value, items, depth) {
  if (typeof value === 'string') {
    return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH - 10)}…` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (value.length > 0 && depth === 0) return [`… ${value.length} in all`];
    const elements = value.slice(0, items).map((element) => cut(element, items, depth - 1));
    const more = value.length - elements.length;
    return more > 0 ? [...elements, `… ${more} more`] : elements;
  }
  if (depth === 0) return '…';
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, cut(member, items, depth - 1)]),
  );
}

/**
 * @param {Json} value
 * @param {string} indent
 * @returns {string}
 */
function written(value, indent) {
  const inner = `${indent}  `;
  const line = JSON.stringify(value) ?? 'null';
  if (typeof value !== 'object' || value === null) return line;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((element) => written(element, inner))
    : Object.entries(value).map(
        ([name, member]) => `${JSON.stringify(name)}: ${written(member, inner)}`,
      );
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }'];
  const short =
    members.length === 0 ? open.trim() + close.trim() : open + members.join(', ') + close;
  if (!short.includes('\n') && indent.length + short.length <= WIDTH) return short;
  const [first, last] = isList ? '[]' : '{}';
  return `${first}\n${members.map((text) => inner + text).join(',\n')}\n${indent}${last}`;
}

/**
 * A value in which everything that differs between runs is replaced.
 *
 * @param {Json} value
 * @returns {Json}
 */
export function settled(value) {
  if (Array.isArray(value)) return value.map(settled);
  if (typeof value === 'string')
    return value
      .replaceAll(/\/instances\/\w+/g, `/instances/${INSTANCE}`)
      .replaceAll(`{"starkbox":"${VERSION}"`, `{"starkbox":"${SHOWN_VERSION}"`);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name === 'instance_id') return [name, INSTANCE];
      if (name === 'bytes' && Object.hasOwn(value, 'image')) return [name, IMAGE_BYTES];
      if (/version$/.test(name) && member === VERSION) return [name, SHOWN_VERSION];
      const isFixed = Object.hasOwn(FIXED, name) && typeof member === 'number';
      return [name, isFixed ? FIXED[name] : settled(member)];
    }),
  );
}
