// Source files of the repository in TypeScript and JavaScript, without generated ones.
import { existsSync, readFileSync } from 'node:fs';
import { ROOT } from './cargo.mjs';
import { runText } from './processes.mjs';

const PATTERNS = ['*.ts', '*.tsx', '*.js', '*.mjs', ':(exclude,attr:linguist-generated)'];

/**
 * Files that git tracks or would add.
 *
 * @param {readonly string[]} patterns of git
 * @returns {string[]} paths from the root of the repository, in a deterministic order
 */
export function filesOf(...patterns) {
  const options = ['--cached', '--others', '--exclude-standard', '-z'];
  const listed = runText('git', ['ls-files', ...options, '--', ...patterns], { cwd: ROOT });
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(`${ROOT}${file}`));
  return [...new Set(files)].sort();
}

/**
 * Finds the line of an offset in a text.
 *
 * @param {string} text
 * @returns {(offset: number) => number}
 */
export function lineFinder(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

/**
 * The given files, or all of the repository.
 *
 * @param {readonly string[]} paths relative to the working directory
 * @returns {{ file: string, text: string }[]}
 */
export function readSources(paths) {
  if (paths.length > 0) return paths.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  return filesOf(...PATTERNS).map((file) => ({
    file,
    text: readFileSync(`${ROOT}${file}`, 'utf8'),
  }));
}
