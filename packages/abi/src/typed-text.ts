// Reader of one typed text as a value of an ABI type; values with parts are written as JSON or CSV.
import type { Abi } from './abi.js';
import { type Draft, draftOfJson } from './draft.js';
import { InvalidInput } from './scalar.js';
import { shapeOf } from './shape.js';

/** Hexadecimal numbers are not JSON and long decimal ones lose digits, so both are quoted before parsing. */
const BARE = /(?<=[[,:\s]|^)(-?0x[0-9a-f]+|-?\d{16,})(?=[\],}\s]|$)/gi;

const isSimple = (type: string, abi: Abi): boolean =>
  !['list', 'record', 'choice'].includes(shapeOf(type, abi).kind);
const unquote = (cell: string): string => cell.trim().replace(/^"(.*)"$/, '$1');

/** Cells separated by commas or white space; if an item has members, each line is one item. */
function readCsv(of: string, text: string, abi: Abi): readonly unknown[] | undefined {
  const inner = shapeOf(of, abi);
  if (isSimple(of, abi)) {
    const cells = text.split(inner.kind === 'text' ? /\r?\n/ : /[,;\s]+/);
    return cells.map(unquote).filter((cell) => cell !== '');
  }
  if (inner.kind !== 'record' || !inner.members.every(({ type }) => isSimple(type, abi)))
    return undefined;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.map((line) => line.split(/[,;\t]/).map(unquote));
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
