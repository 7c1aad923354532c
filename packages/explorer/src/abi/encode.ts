// Knows how a text that holds a whole value, in JSON where it has parts, becomes felts of the type that an ABI asks for.
import type { Abi } from './abi.js';
import { type Draft, draftOf, type Encoded, encodeDraft } from './draft.js';
import { Refusal, type Resolve } from './scalar.js';
import { shapeOf } from './shape.js';

/** Bare hexadecimal and long numbers are no JSON, or lose digits as such. */
const BARE = /(?<=[[,:\s]|^)(-?0x[0-9a-f]+|-?\d{16,})(?=[\],}\s]|$)/gi;

/** The felts, or what is wrong with the text. Lists and records are written as JSON. */
export function encodeInput(
  type: string,
  text: string,
  abi: Abi,
  resolve?: Resolve,
): readonly string[] | string {
  try {
    const encoded = encodeDraft(type, draftOfText(type, text, abi), abi, resolve);
    return encoded.isWrong ? (firstError(encoded) ?? 'This does not fit the type.') : encoded.felts;
  } catch (error) {
    return error instanceof Refusal ? error.message : 'This does not fit the type.';
  }
}

const isSimple = (type: string, abi: Abi): boolean =>
  !['list', 'record', 'choice'].includes(shapeOf(type, abi).kind);
const unquoted = (cell: string): string => cell.trim().replace(/^"(.*)"$/, '$1');

/** Values between commas or on lines of their own; where an item has parts, a line is an item. */
function readCsv(of: string, text: string, abi: Abi): readonly unknown[] | undefined {
  const inner = shapeOf(of, abi);
  if (isSimple(of, abi)) {
    const cells = text.split(inner.kind === 'text' ? /\r?\n/ : /[,;\s]+/);
    return cells.map(unquoted).filter((cell) => cell !== '');
  }
  if (inner.kind !== 'record' || !inner.members.every(({ type }) => isSimple(type, abi)))
    return undefined;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.map((line) => line.split(/[,;\t]/).map(unquoted));
}

/** Reads JSON where the type has parts, and for lists also CSV. */
export function draftOfText(type: string, text: string, abi: Abi): Draft {
  const shape = shapeOf(type, abi);
  if (shape.kind === 'list' && !text.trim().startsWith('[')) {
    const rows = readCsv(shape.of, text, abi);
    if (rows) return draftOf(type, rows, abi);
  }
  if (shape.kind !== 'list' && shape.kind !== 'record' && shape.kind !== 'choice')
    return shape.kind === 'text' ? text : text.trim();
  let value: unknown;
  try {
    value = JSON.parse(text.replace(BARE, '"$1"'));
  } catch {
    throw new Refusal('Write this as JSON, for example ["0x1", "0x2"].');
  }
  return draftOf(type, value, abi);
}

export function firstError(of: Encoded): string | undefined {
  if (of.error !== undefined) return of.error;
  for (const part of of.parts ?? []) {
    const found = firstError(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
