// Share of variables and parameters whose name does not say what they hold: `npm run check:names`.
//
//   node scripts/check-names.mjs            lists them, and fails above the limit
//   node scripts/check-names.mjs FILE…      in these files alone
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

let [empty, all] = [0, 0];
for (const { file, text } of readSources(process.argv.slice(2))) {
  const bindings = bindingsIn(file, text);
  const lineAt = lineFinder(text);
  all += bindings.length;
  for (const { name, offset } of bindings) {
    if (!EMPTY_NAMES.has(name)) continue;
    empty += 1;
    console.log(`${file}:${lineAt(offset)}: ${name}`);
  }
}
if (all === 0) throw new Error('no name was read');
const percent = (100 * empty) / all;
console.log(
  `${empty} of ${all} names of variables and parameters say nothing: ${percent.toFixed(2)} %, limit ${LIMIT} %`,
);
if (percent > LIMIT) {
  console.log('Name each after what it holds.');
  process.exitCode = 1;
}
