// Check of the entry for browsers: one file that imports nothing and uses nothing of Node.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const IMPORT = /\bimport\s*[({'"*]|\bfrom\s*["']|\brequire\s*\(/;
/** Names that browsers do not have. */
const OF_NODE = /(?<![.\w])(?:Buffer|process|global|setImmediate)\./;

/**
 * @param {string} file
 * @returns {{ faults: string[], bytes: number, compressed: number }} what is wrong with it, and its weight
 */
export function browserEntry(file) {
  const code = readFileSync(file, 'utf8');
  const faults = [IMPORT, OF_NODE].flatMap((wrong) => {
    const { index } = wrong.exec(code) ?? {};
    return index === undefined ? [] : [`${file} has: ${code.slice(index, index + 60)}`];
  });
  return { faults, bytes: Buffer.byteLength(code), compressed: gzipSync(code).length };
}
