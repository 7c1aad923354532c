// Long lists in params that another thread reads, so that they never become values of JavaScript.

import { randomUUID } from 'node:crypto';
import { memberOf, membersOf } from '@starkbox/abi/basics';
import { JsonText, MAX_DEPTH, parse } from '../../json/json.js';

/** A list that was read. In the params an empty list takes its place. */
export interface LongList {
  /** Its JSON. */
  readonly text: string;
  /** Levels of its nesting. */
  readonly depth: number;
}

/** Reader of one list in the params of one method. */
export interface LongListReader {
  /** The canonical name of the method. */
  readonly method: string;
  /** The parameter that contains the list, and the name of the list in it. */
  readonly path: readonly [parameter: string, list: string];
  /** Reads the list at the beginning of a text; undefined if it must be read like other values. */
  read(text: string): Promise<LongList | undefined>;
}

/** A request around the list. */
export interface AroundList {
  readonly body: unknown;
  readonly list: LongList;
}

/** Levels of a request around the list: the call, its params, the parameter. */
const DEPTH_AROUND = 3;

export interface ListOptions {
  readonly reader: LongListReader;
  /** The canonical name of a method. */
  readonly nameOf: (method: unknown) => string;
}

/**
 * Reads a request whose list another thread reads.
 *
 * @returns undefined if the whole request must be read as usual; this also finds what is wrong with it
 */
export async function readAroundList(
  text: string,
  { reader, nameOf }: ListOptions,
  maxDepth: number = MAX_DEPTH,
): Promise<AroundList | undefined> {
  const [parameter, name] = reader.path;
  const member = `"${name}":`;
  const at = text.indexOf(`${member}[`);
  if (at < 0) return undefined;
  const begin = at + member.length;
  const list = await reader.read(text.slice(begin));
  if (!list || DEPTH_AROUND + list.depth > maxDepth) return undefined;
  // A request cannot contain it already, so it shows where in the request the list was.
  const mark = randomUUID();
  const rest = `${text.slice(0, begin)}"${mark}"${text.slice(begin + list.text.length)}`;
  const body = parseWithin(rest);
  const holder = memberOf(memberOf(body, 'params'), parameter);
  if (typeof holder !== 'object' || holder === null) return undefined;
  if (memberOf(holder, name) !== mark) return undefined;
  if (nameOf(memberOf(body, 'method')) !== reader.method) return undefined;
  Reflect.set(holder, name, []);
  return { body, list };
}

function parseWithin(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Params with the text of the list in its place. */
export function withList(
  params: object | null | undefined,
  [parameter, name]: LongListReader['path'],
  { text }: LongList,
): object {
  const holder = membersOf(memberOf(params, parameter));
  return { ...params, [parameter]: { ...holder, [name]: new JsonText(text) } };
}
