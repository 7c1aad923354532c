// Functions with more lines than the limit. `npm run sizes` lists them, and fails if there is one.
//
//   node scripts/sizes.mjs           of the repository
//   node scripts/sizes.mjs FILE…
import { parseSync, Visitor } from 'oxc-parser';
import { lineFinder, readSources } from './sources.mjs';

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

const tooLong = readSources(process.argv.slice(2))
  .flatMap(({ file, text }) => functionsIn(file, text))
  .filter(({ lines }) => lines > LINES_IN_FUNCTION);
for (const { file, line, name, lines } of tooLong) {
  console.log(`${file}:${line} ${name} has ${lines} lines, limit ${LINES_IN_FUNCTION}`);
}
if (tooLong.length > 0) process.exitCode = 1;
