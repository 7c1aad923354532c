// Encoder of one typed text into the felts of an ABI type; values with parts are written as JSON or CSV.
import type { Abi } from './abi.js';
import { type Draft, draftOfJson, type Encoded, encodeDraft } from './draft.js';
import { InvalidInput, type Resolve } from './scalar.js';
import { shapeOf } from './shape.js';

/** Hexadecimal numbers are not JSON and long decimal ones lose digits, so both are quoted before parsing. */
const BARE = /(?<=[[,:\s]|^)(-?0x[0-9a-f]+|-?\d{16,})(?=[\],}\s]|$)/gi;

/** The felts of the text, or its error message. */
export function encodeInput(
  type: string,
  text: string,
  abi: Abi,
  resolve?: Resolve,
): readonly string[] | string {
  try {
    const encoded = encodeDraft(type, draftOfText(type, text, abi), abi, resolve);
    return encoded.isWrong
      ? (firstError(encoded) ?? 'The value does not fit the type.')
      : encoded.felts;
  } catch (error) {
    return error instanceof InvalidInput ? error.message : 'The value does not fit the type.';
  }
}

const isSimple = (type: string, abi: Abi): boolean =>
  !['list', 'record', 'choice'].includes(shapeOf(type, abi).kind);
const unquoted = (cell: string): string => cell.trim().replace(/^"(.*)"$/, '$1');

/** Cells separated by commas or white space; if an item has members, each line is one item. */
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

/** The draft of a text: JSON for types with parts, for lists also CSV. */
export function draftOfText(type: string, text: string, abi: Abi): Draft {
  const shape = shapeOf(type, abi);
  if (shape.kind === 'list' && !text.trim().startsWith('[')) {
    const rows = readCsv(shape.of, text, abi);
    if (rows) return draftOfJson(type, rows, abi);
  }
  if (shape.kind !== 'list' && shape.kind !== 'record' && shape.kind !== 'choice')
    return shape.kind === 'text' ? text : text.trim();
  let value: unknown;
  try {
    value = JSON.parse(text.replace(BARE, '"$1"'));
  } catch {
    throw new InvalidInput('Write this as JSON, for example ["0x1", "0x2"].');
  }
  return draftOfJson(type, value, abi);
}

/** The first error in a value and its parts. */
export function firstError(of: Encoded): string | undefined {
  if (of.error !== undefined) return of.error;
  for (const part of of.parts ?? []) {
    const error = firstError(part);
    if (error !== undefined) return error;
  }
  return undefined;
}
