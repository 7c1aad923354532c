// Report of sizes: folders by files, files and functions by lines. `npm run sizes`.
//
//   node scripts/sizes.mjs             the report; `--rows 30` for longer lists
//   node scripts/sizes.mjs --check     only functions above the limit, and fails if there is one
//   node scripts/sizes.mjs --check FILE…
//
// Only the length of a function has a limit. A file or folder has the size of what belongs together.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path/posix';
import { parseArgs } from 'node:util';
import { parseSync, Visitor } from 'oxc-parser';
import { ROOT } from './cargo.mjs';
import { lineFinder, readSources, sourceFiles } from './sources.mjs';

const LINES_IN_FUNCTION = 80;

/**
 * @typedef {import('oxc-parser').Function | import('oxc-parser').ArrowFunctionExpression} FunctionNode
 * @typedef {{ file: string, line: number, name: string, lines: number }} MeasuredFunction
 */

/** @param {import('oxc-parser').Node | null | undefined} node */
function isTable(node) {
  return node?.type === 'ObjectExpression' || node?.type === 'ArrayExpression';
}

/**
 * The object or array literal that a function returns, which does not count as its lines.
 *
 * @param {FunctionNode} node
 */
function returnedTable({ body }) {
  const last = body?.type === 'BlockStatement' ? body.body.at(-1) : body;
  const returned = last?.type === 'ReturnStatement' ? last.argument : last;
  const bare = returned?.type === 'ParenthesizedExpression' ? returned.expression : returned;
  return isTable(bare) ? bare : undefined;
}

/**
 * `describe(…)`, `describe.each(…)(…)` and the like.
 *
 * @param {import('oxc-parser').CallExpression} call
 * @returns {boolean}
 */
function isTestGroup({ callee }) {
  if (callee.type === 'Identifier') return callee.name.startsWith('describe');
  if (callee.type === 'CallExpression') return isTestGroup(callee);
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'Identifier' &&
    callee.object.name === 'describe'
  );
}

/**
 * The functions of a file with their lines. A group of tests holds functions and is none itself.
 *
 * @param {string} file
 * @param {string} text
 */
function functionsIn(file, text) {
  const lineAt = lineFinder(text);
  /** @type {MeasuredFunction[]} */
  const functions = [];
  /** @type {Set<number>} */
  const groups = new Set();
  /** @param {FunctionNode} node */
  const measure = (node) => {
    if (groups.has(node.start)) return;
    const table = returnedTable(node);
    const tableLines = table ? lineAt(table.end) - lineAt(table.start) : 0;
    const line = lineAt(node.start);
    const name =
      (node.type === 'ArrowFunctionExpression' ? undefined : node.id?.name) ?? 'function';
    functions.push({ file, line, name, lines: lineAt(node.end) - line + 1 - tableLines });
  };
  new Visitor({
    CallExpression(call) {
      if (isTestGroup(call)) for (const argument of call.arguments) groups.add(argument.start);
    },
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(parseSync(file, text).program);
  return functions;
}

/**
 * @param {string} title
 * @param {readonly (readonly [count: number, name: string])[]} rows
 */
function printTable(title, rows) {
  console.log(`\n${title}`);
  for (const [count, name] of rows) console.log(`${String(count).padStart(7)}  ${name}`);
}

/** @param {string} text */
const lineCount = (text) => text.replace(/\n$/, '').split('\n').length;

const { values: options, positionals } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    rows: { type: 'string', default: '15' },
  },
  allowPositionals: true,
});
const functions = readSources(positionals)
  .flatMap(({ file, text }) => functionsIn(file, text))
  .sort((a, b) => b.lines - a.lines);
if (options.check) {
  const long = functions.filter(({ lines }) => lines > LINES_IN_FUNCTION);
  for (const { file, line, name, lines } of long) {
    console.log(`${file}:${line} ${name} has ${lines} lines, limit ${LINES_IN_FUNCTION}`);
  }
  process.exitCode = long.length > 0 ? 1 : 0;
} else {
  const rows = Number(options.rows);
  const files = sourceFiles(['ts', 'tsx', 'js', 'mjs', 'css', 'rs']);
  /** @type {Map<string, number>} */
  const folders = new Map();
  for (const file of files) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
  const byFiles = [...folders].sort(([, a], [, b]) => b - a);
  const byLines = files
    .map((file) => /** @type {const} */ ([lineCount(readFileSync(`${ROOT}${file}`, 'utf8')), file]))
    .sort(([a], [b]) => b - a);
  const lines = byLines.reduce((sum, [count]) => sum + count, 0);
  printTable(
    'Folders by files',
    byFiles.slice(0, rows).map(([folder, count]) => [count, folder]),
  );
  printTable('Longest files, in lines', byLines.slice(0, rows));
  printTable('Shortest files, in lines', byLines.slice(-rows).toReversed());
  printTable(
    `Longest functions, in lines without a returned table (limit ${LINES_IN_FUNCTION})`,
    functions
      .slice(0, rows)
      .map(({ file, line, name, lines }) => [lines, `${file}:${line} ${name}`]),
  );
  console.log(`\n${lines} lines in ${files.length} files, ${folders.size} folders`);
}
