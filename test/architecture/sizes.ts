// Limits of size: files in a folder and lines in a file of any language, lines in a function of TypeScript.
import { dirname } from 'node:path/posix';
import {
  type ArrowFunctionExpression,
  type CallExpression,
  type Function as FunctionNode,
  parseSync,
  Visitor,
} from 'oxc-parser';

export const LIMITS = { filesInFolder: 20, linesInFile: 500, linesInFunction: 80 } as const;

/** What exceeds a limit, one sentence each. `sources` maps a path from the repository's root to text. */
export function findOversized(sources: ReadonlyMap<string, string>): string[] {
  return [...oversizedFolders(sources.keys()), ...[...sources].flatMap(oversizedIn)];
}

function oversizedFolders(files: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > LIMITS.filesInFolder)
    .map(([folder, count]) => `${folder} has ${count} files`);
}

function oversizedIn([file, source]: readonly [string, string]): string[] {
  const lines = source.replace(/\n$/, '').split('\n').length;
  const found = lines > LIMITS.linesInFile ? [`${file} has ${lines} lines`] : [];
  // Clippy measures the functions of Rust.
  if (!/\.(tsx?|mjs)$/.test(file)) return found;
  for (const { name, line, counted } of measureFunctions(file, source)) {
    if (counted > LIMITS.linesInFunction) {
      found.push(`${file}:${line} ${name} has ${counted} lines`);
    }
  }
  return found;
}

interface Measured {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
  /** Without a table that it returns, which is an object or an array literal; 0 for a group of tests. */
  readonly counted: number;
}

/** Every function of a file in TypeScript or JavaScript. */
export function measureFunctions(file: string, source: string): Measured[] {
  const { program } = parseSync(file, source);
  const lineAt = lineFinder(source);
  const found: Measured[] = [];
  /** A group of tests holds functions and does not count as one. */
  const groups = new Set<number>();
  const measure = (node: FunctionNode | ArrowFunctionExpression): void => {
    const table = returnedTable(node);
    const ofTable = table ? lineAt(table.end) - lineAt(table.start) : 0;
    const line = lineAt(node.start);
    const name =
      (node.type === 'ArrowFunctionExpression' ? undefined : node.id?.name) ?? 'function';
    const lines = lineAt(node.end) - line + 1;
    found.push({ name, line, lines, counted: groups.has(node.start) ? 0 : lines - ofTable });
  };
  new Visitor({
    CallExpression(node) {
      if (isGroup(node)) for (const argument of node.arguments) groups.add(argument.start);
    },
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program);
  return found;
}

/** `describe(…)`, `describe.each(…)(…)` and the like. */
function isGroup({ callee }: CallExpression): boolean {
  if (callee.type === 'Identifier') return callee.name.startsWith('describe');
  if (callee.type === 'CallExpression') return isGroup(callee);
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'Identifier' &&
    callee.object.name === 'describe'
  );
}

interface Span {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function returnedTable({ body }: FunctionNode | ArrowFunctionExpression): Span | undefined {
  if (!body) return undefined;
  const last = body.type === 'BlockStatement' ? body.body.at(-1) : body;
  const value = last?.type === 'ReturnStatement' ? last.argument : last;
  const bare = value?.type === 'ParenthesizedExpression' ? value.expression : value;
  return bare && isTable(bare) ? bare : undefined;
}

function isTable({ type }: Span): boolean {
  return type === 'ObjectExpression' || type === 'ArrayExpression';
}

function lineFinder(source: string): (offset: number) => number {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1))
    starts.push(at + 1);
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}
