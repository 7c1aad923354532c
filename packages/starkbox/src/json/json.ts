// JSON codec that keeps integers beyond 2^53 exact and splices in finished text.
import { Parser, Survey } from './parser.js';

/** Serialized JSON, such as a report of the engine, which is written verbatim. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The parsed value; within {@link stringify}, throws to signal that splicing is needed. */
  toJSON(): unknown {
    if (plainly) throw NOT_PLAIN;
    return JSON.parse(this.text);
  }
}

/** `T` as handlers return it: any part may be text, and any optional one undefined. */
export type Wire<T> =
  | JsonText
  | (T extends readonly unknown[]
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T extends object
        ? {
            readonly [K in keyof T]: object extends Pick<T, K>
              ? Wire<T[K]> | undefined
              : Wire<T[K]>;
          }
        : T);

/** Far deeper than any request or report, and safe for recursive code. */
export const MAX_DEPTH = 1000;

/**
 * As `JSON.parse`, but an integer beyond 2^53 comes as an exact bigint, also one like `1e21`.
 *
 * @param maxValues names of members included
 * @throws SyntaxError also for what is nested too deep: by default, more than a thousand levels
 * @throws TooManyValues
 */
export function parse(
  text: string,
  maxDepth: number = MAX_DEPTH,
  maxValues: number = Number.POSITIVE_INFINITY,
): unknown {
  const survey = new Survey(text, { depth: maxDepth, values: maxValues });
  survey.advance(text.length);
  if (!survey.hasLongNumber) return JSON.parse(text);
  JSON.parse(text); // Validates the syntax.
  const parser = new Parser(text);
  while (parser.step());
  return parser.value;
}

/** As {@link parse}; undefined for a text that is not JSON. */
export function parseIfJson(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** True while {@link stringify} tries the native writer. */
let plainly = false;
const NOT_PLAIN = new Error('JSON text is written by stringify of json.ts');

/**
 * As `JSON.stringify`, but a bigint becomes a bare integer and a {@link JsonText} is spliced in.
 * What has no JSON form at all, such as undefined, becomes `null`.
 */
export function stringify(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (typeof value === 'bigint') return value.toString();
  // Nearly all values are plain, and the native writer is several times as fast. For the others it
  // fails at the first bigint or text, which costs little.
  try {
    plainly = true;
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (error !== NOT_PLAIN && !(error instanceof TypeError)) throw error;
  } finally {
    plainly = false;
  }
  return write(value);
}

function write(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (value instanceof JsonText) return value.text;
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += text === '' ? write(item) : `,${write(item)}`;
    return `[${text}]`;
  }
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${quote(key)}:${write(member)}`;
  }
  return `{${text}}`;
}

/** Most strings are felts and names, which need no escaping. */
function quote(text: string): string {
  return text.length < 100 && /^[\w -]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}
