// Share of variables and parameters whose name does not say what they hold: `npm run check:names`.
//
//   node scripts/check-names.mjs             counts by folder, and fails above the limit
//   node scripts/check-names.mjs --list      each place as well
//   node scripts/check-names.mjs FILE…       these files alone
import { parseArgs } from 'node:util';
import { parseSync, Visitor } from 'oxc-parser';
import { lineFinder, readSources } from './sources.mjs';

const EMPTY_NAMES = new Set(
  (
    'one found known given own shown wanted there back made named kept done asked told held used left ' +
    'taken sent seen place thing some'
  ).split(' '),
);
/** Of all bindings, in percent. */
const LIMIT = 0.5;

/**
 * @typedef {{ name: string, offset: number }} Binding
 * @typedef {import('oxc-parser').BindingPattern | import('oxc-parser').ParamPattern | import('oxc-parser').BindingRestElement} Pattern
 */

/**
 * The names that a pattern binds, also those of nested patterns.
 *
 * @param {Pattern | null} pattern
 * @returns {Binding[]}
 */
function boundBy(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [{ name: pattern.name, offset: pattern.start }];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        boundBy(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap(boundBy);
    case 'AssignmentPattern':
      return boundBy(pattern.left);
    case 'RestElement':
      return boundBy(pattern.argument);
    case 'TSParameterProperty':
      return boundBy(pattern.parameter);
    default:
      return [];
  }
}

/**
 * Variables, parameters and caught errors.
 *
 * @param {string} file
 * @param {string} text
 */
function bindingsIn(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  /** @type {Binding[]} */
  const bindings = [];
  /** @param {{ params: readonly Pattern[] }} node */
  const addParameters = ({ params }) => void bindings.push(...params.flatMap(boundBy));
  new Visitor({
    VariableDeclarator: ({ id }) => void bindings.push(...boundBy(id)),
    CatchClause: ({ param }) => void bindings.push(...boundBy(param)),
    FunctionDeclaration: addParameters,
    FunctionExpression: addParameters,
    ArrowFunctionExpression: addParameters,
    TSDeclareFunction: addParameters,
    TSFunctionType: addParameters,
    TSMethodSignature: addParameters,
  }).visit(program);
  return bindings;
}

/** @param {string} file the folder of a package in two parts, any other in one */
function folderOf(file) {
  const folders = file.split('/').slice(0, -1);
  if (folders.length === 0) return '.';
  return folders.slice(0, folders[0] === 'packages' ? 3 : 1).join('/');
}

/** @param {{ empty: number, all: number }} count */
const percentOf = ({ empty, all }) => (100 * empty) / Math.max(all, 1);

const { values: options, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
/** @type {Map<string, { empty: number, all: number }>} */
const folders = new Map();
const total = { empty: 0, all: 0 };
for (const { file, text } of readSources(positionals)) {
  const bindings = bindingsIn(file, text);
  const empty = bindings.filter(({ name }) => EMPTY_NAMES.has(name));
  if (options.list) {
    const lineAt = lineFinder(text);
    for (const { name, offset } of empty) console.log(`${file}:${lineAt(offset)}: ${name}`);
  }
  const count = folders.get(folderOf(file)) ?? { empty: 0, all: 0 };
  folders.set(folderOf(file), count);
  for (const sum of [count, total]) {
    sum.empty += empty.length;
    sum.all += bindings.length;
  }
}
const rows = [...folders].filter(([, { empty }]) => empty > 0);
for (const [folder, count] of rows.sort(([, a], [, b]) => b.empty - a.empty)) {
  const share = `${percentOf(count).toFixed(2)} %`;
  console.log(`${folder.padEnd(32)}${String(count.empty).padStart(6)}${share.padStart(9)}`);
}
const percent = percentOf(total);
console.log(
  `${total.empty} of ${total.all} names of variables and parameters say nothing: ${percent.toFixed(2)} %, limit ${LIMIT} %`,
);
if (total.all === 0) throw new Error('no name was read');
if (percent > LIMIT) {
  console.log('Name each after what it holds; `npm run check:names -- --list` has the places.');
  process.exitCode = 1;
}
