// Small faults in a TypeScript source, each of which a test should notice.
import { createHash } from 'node:crypto';
import { parseSync, Visitor } from 'oxc-parser';
import { lineFinder } from '../sources.mjs';

/** @param {string} text */
export const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/**
 * @typedef {{ start: number, end: number }} Range
 * @typedef {import('oxc-parser').Node} Node
 * @typedef {Range & { name: string, body: Range, isExpression: boolean }} NamedFunction
 * @typedef {Range & { text: string, kind: string, isStatement: boolean }} Edit
 * @typedef {Edit & { key: string, file: string, line: number, within: string, before: string, after: string }} Mutant
 */

/** The function of a mutant that is in none. */
export const MODULE_LEVEL = '';

/** @type {ReadonlyMap<string, string>} */
const OPERATORS = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['&&', '||'],
  ['||', '&&'],
]);

/** What a statement that is no loss calls: logs and measurements. */
const LOGGING = /^(await )?(this\.)?#?(log|logger|console|probe|debug)\b/i;

/** @param {Node} node @returns {Node} */
function withoutParentheses(node) {
  return node.type === 'ParenthesizedExpression' ? withoutParentheses(node.expression) : node;
}

/** @param {Node} node */
function isComparison(node) {
  const { type } = withoutParentheses(node);
  return type === 'BinaryExpression' || type === 'UnaryExpression' || type === 'Literal';
}

/** @param {import('oxc-parser').Function | import('oxc-parser').ArrowFunctionExpression} node */
function returnsBoolean({ returnType }) {
  const annotation = returnType?.typeAnnotation;
  if (annotation?.type === 'TSTypePredicate') return !annotation.asserts;
  return annotation?.type === 'TSBooleanKeyword';
}

/** @param {Range} inner @param {Range} outer */
const isWithin = (inner, outer) => inner.start >= outer.start && inner.end <= outer.end;

/**
 * @template {Range} T
 * @param {Range} range
 * @param {readonly T[]} ranges
 * @returns {T | undefined} the smallest that holds the range
 */
function innermost(range, ranges) {
  return ranges
    .filter((outer) => isWithin(range, outer))
    .sort((first, second) => first.end - first.start - (second.end - second.start))[0];
}

/**
 * Edits of expressions: operators, defaults and literals.
 *
 * @param {string} text
 * @param {(node: Range, kind: string, replacement: string) => void} add
 * @returns {import('oxc-parser').VisitorObject}
 */
function expressionVisitors(text, add) {
  /** @param {import('oxc-parser').BinaryExpression | import('oxc-parser').LogicalExpression} node */
  const exchangeOperator = ({ start, end, left, right, operator }) => {
    const exchanged = OPERATORS.get(operator);
    if (exchanged === undefined) return;
    const between = text.slice(left.end, right.start).replace(operator, exchanged);
    const replacement = text.slice(start, left.end) + between + text.slice(right.start, end);
    add({ start, end }, `${operator} to ${exchanged}`, replacement);
  };
  return {
    BinaryExpression: exchangeOperator,
    LogicalExpression(node) {
      if (node.operator === '??')
        add(node, 'default dropped', text.slice(node.start, node.left.end));
      else exchangeOperator(node);
    },
    Literal(node) {
      if (typeof node.value === 'boolean') add(node, 'boolean flipped', `${!node.value}`);
      if (typeof node.value !== 'number' && typeof node.value !== 'bigint') return;
      const suffix = typeof node.value === 'bigint' ? 'n' : '';
      const value = BigInt(Number.isInteger(Number(node.value)) ? node.value : 0);
      if (`${value}` !== `${node.value}`) return;
      add(node, 'number + 1', `${value + 1n}${suffix}`);
      if (value > 0n) add(node, 'number - 1', `${value - 1n}${suffix}`);
    },
  };
}

/**
 * Edits of conditions and statements.
 *
 * @param {string} text
 * @param {(node: Range, kind: string, replacement: string, isStatement?: boolean) => void} add
 * @returns {import('oxc-parser').VisitorObject}
 */
function statementVisitors(text, add) {
  /** @param {Node} test */
  const negate = (test) => {
    if (!isComparison(test))
      add(test, 'condition negated', `!(${text.slice(test.start, test.end)})`);
  };
  return {
    IfStatement({ test }) {
      negate(test);
      add(test, 'condition always true', 'true');
      add(test, 'condition never true', 'false');
    },
    ConditionalExpression({ test }) {
      negate(test);
      add(test, 'condition always true', 'true');
      add(test, 'condition never true', 'false');
    },
    WhileStatement: ({ test }) => negate(test),
    ExpressionStatement(node) {
      const { expression } = node;
      const statement = expression.type === 'AwaitExpression' ? expression.argument : expression;
      const isEffect = ['CallExpression', 'AssignmentExpression', 'UpdateExpression'].includes(
        statement.type,
      );
      const code = text.slice(node.start, node.end);
      if (isEffect && !code.startsWith('super(') && !LOGGING.test(code)) {
        add(node, 'statement dropped', ';', true);
      }
    },
  };
}

/**
 * Names the functions that are declared, so that a function is found again after an edit of the file.
 *
 * @param {NamedFunction[]} functions
 * @returns {import('oxc-parser').VisitorObject}
 */
function functionVisitors(functions) {
  /** @param {string} name @param {Node | null} value @param {Range} whole */
  const addFunction = (name, value, { start, end }) => {
    const isFunction =
      value?.type === 'FunctionExpression' || value?.type === 'FunctionDeclaration';
    if (!isFunction && value?.type !== 'ArrowFunctionExpression') return;
    if (!value.body) return;
    const isExpression = value.body.type !== 'BlockStatement';
    functions.push({ start, end, name, body: value.body, isExpression });
  };
  /** @param {Node} key */
  const nameOf = (key) =>
    key.type === 'Identifier' || key.type === 'PrivateIdentifier' ? key.name : 'computed';
  return {
    FunctionDeclaration: (node) => addFunction(node.id?.name ?? 'default', node, node),
    VariableDeclarator: (node) => addFunction(nameOf(node.id), node.init, node),
    MethodDefinition: (node) => addFunction(nameOf(node.key), node.value, node),
    PropertyDefinition: (node) => addFunction(nameOf(node.key), node.value, node),
    Property: (node) => addFunction(nameOf(node.key), node.value, node),
  };
}

/** @param {string} file @param {string} text */
function parsed(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  return program;
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {NamedFunction[]}
 */
export function functionsIn(file, text) {
  /** @type {NamedFunction[]} */
  const functions = [];
  new Visitor(functionVisitors(functions)).visit(parsed(file, text));
  return functions;
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {Edit[]}
 */
function editsIn(file, text) {
  /** @type {Edit[]} */
  const edits = [];
  /** @type {Range[]} types and keys, which are no code */
  const skipped = [];
  /** @type {(Range & { isBoolean: boolean })[]} */
  const functions = [];
  /** @type {Node[]} */
  const returned = [];
  /** @param {Range} node @param {string} kind @param {string} replacement @param {boolean} [isStatement] */
  const add = ({ start, end }, kind, replacement, isStatement = false) =>
    void edits.push({ start, end, text: replacement, kind, isStatement });
  const skip = (/** @type {Range} */ node) => void skipped.push(node);
  /** @param {{ key: Range, computed: boolean }} node */
  const skipKey = ({ key, computed }) => {
    if (!computed) skip(key);
  };
  /** @param {import('oxc-parser').Function | import('oxc-parser').ArrowFunctionExpression} node */
  const addFunction = (node) => {
    functions.push({ start: node.start, end: node.end, isBoolean: returnsBoolean(node) });
    if (node.body && node.body.type !== 'BlockStatement') returned.push(node.body);
  };
  new Visitor({
    ...expressionVisitors(text, add),
    ...statementVisitors(text, add),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    ReturnStatement: ({ argument }) => void (argument && returned.push(argument)),
    Property: skipKey,
    PropertyDefinition: skipKey,
    MethodDefinition: skipKey,
    ImportDeclaration: skip,
    TSTypeAnnotation: skip,
    TSTypeAliasDeclaration: skip,
    TSInterfaceDeclaration: skip,
    TSTypeParameterInstantiation: skip,
    TSTypeParameterDeclaration: skip,
    TSLiteralType: skip,
    TSEnumDeclaration: skip,
  }).visit(parsed(file, text));
  for (const value of returned) {
    if (isComparison(value) || !innermost(value, functions)?.isBoolean) continue;
    add(value, 'result negated', `!(${text.slice(value.start, value.end)})`);
  }
  return edits.filter((edit) => !skipped.some((range) => isWithin(edit, range)));
}

/** @param {string} code */
const inOneLine = (code) => code.trim().replace(/\s+/g, ' ');

/**
 * Every mutant of a file. Its key stays the same when other lines of the file change.
 *
 * @param {string} file
 * @param {string} text
 * @returns {Mutant[]}
 */
export function mutantsIn(file, text) {
  const functions = functionsIn(file, text);
  const lineAt = lineFinder(text);
  /** @type {Map<string, number>} */
  const counts = new Map();
  return editsIn(file, text).map((edit) => {
    const from = text.lastIndexOf('\n', edit.start) + 1;
    const newline = text.indexOf('\n', edit.end);
    const to = newline < 0 ? text.length : newline;
    const before = inOneLine(text.slice(from, to));
    const after = inOneLine(text.slice(from, edit.start) + edit.text + text.slice(edit.end, to));
    const within = innermost(edit, functions)?.name ?? MODULE_LEVEL;
    const place = `${file} ${within}: ${before} => ${after}`;
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    const key = hashOf(`${place} ${count}`);
    return { ...edit, key, file, line: lineAt(edit.start), within, before, after };
  });
}

/**
 * The source with all of these mutants, each behind a switch: `MUTANT_ON` has the key of the one that is on.
 *
 * @param {string} text
 * @param {readonly Mutant[]} mutants
 */
export function withSwitches(text, mutants) {
  const outerFirst = [...mutants].sort((a, b) => a.start - b.start || b.end - a.end);
  /** @param {number} start @param {number} end @param {readonly Mutant[]} inner @returns {string} */
  const render = (start, end, inner) => {
    const [mutant, ...others] = inner;
    if (mutant === undefined) return text.slice(start, end);
    const nested = others.filter((other) => isWithin(other, mutant));
    const later = others.filter((other) => !nested.includes(other));
    const original = render(mutant.start, mutant.end, nested);
    const isOn = `__isOn('${mutant.key}')`;
    const switched = mutant.isStatement
      ? `{ if (!${isOn}) { ${original} } }`
      : `(${isOn} ? (${mutant.text}) : (${original}))`;
    return text.slice(start, mutant.start) + switched + render(mutant.end, end, later);
  };
  return SWITCH + render(0, text.length, outerFirst);
}

/** A mutant that is reached this often runs in an endless loop. */
const MOST_OFTEN = 20_000_000;

/** In the first line, so that lines keep their numbers. */
const SWITCH =
  `const __mutant = process.env['MUTANT_ON']; let __reached = 0; ` +
  `const __isOn = (key: string): boolean => { if (key !== __mutant) return false; __reached += 1; ` +
  `if (__reached > ${MOST_OFTEN}) throw new Error('the mutant was reached too often'); return true; }; `;

/**
 * The source with a counter in every named function.
 *
 * @param {string} file
 * @param {string} text
 */
export function withCounters(file, text) {
  const inserted = functionsIn(file, text).flatMap(({ name, body, isExpression }) => {
    const count = `globalThis.__executed?.add(${JSON.stringify(`${file} ${name}`)})`;
    if (!isExpression) return [{ at: body.start + 1, code: ` ${count};` }];
    return [
      { at: body.start, code: `(${count}, (` },
      { at: body.end, code: '))' },
    ];
  });
  return inserted
    .sort((first, second) => second.at - first.at)
    .reduce((code, { at, code: added }) => code.slice(0, at) + added + code.slice(at), text);
}
