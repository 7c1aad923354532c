// What one source file imports, re-exports and reads from its surroundings, taken from its syntax tree.
import { type Expression, type ModuleExportName, parseSync, Visitor } from 'oxc-parser';

/** The specifier of an import that is computed at run time. */
export const COMPUTED = '<computed>';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Leaves no trace at run time. `import { type X }` does leave one: the module is still loaded. */
  readonly typeOnly: boolean;
}

export interface Facts {
  readonly imports: readonly Import[];
  /** Lines that hand on what another file exports. */
  readonly reExports: readonly number[];
  /** Lines that read `process.env`. */
  readonly environment: readonly number[];
  /** Lines that ask what time it is. */
  readonly clock: readonly number[];
  /** Lines that call `Object`, whose type is `any`. */
  readonly objectCalls: readonly number[];
  readonly syntaxErrors: readonly string[];
}

export function readFacts(path: string, source: string): Facts {
  const { program, module, errors } = parseSync(path, source);
  const line = (offset: number): number => source.slice(0, offset).split('\n').length;

  const imports: Import[] = [];
  const environment: number[] = [];
  const clock: number[] = [];
  const objectCalls: number[] = [];

  const addImport = (specifier: string, offset: number, typeOnly: boolean): void => {
    imports.push({ specifier, line: line(offset), typeOnly });
  };
  const readMember = (object: string | undefined, member: string | undefined, offset: number) => {
    if (object === 'process' && member === 'env') environment.push(line(offset));
    if ((object === 'Date' || object === 'performance') && member === 'now') {
      clock.push(line(offset));
    }
  };

  new Visitor({
    ImportDeclaration(node) {
      addImport(node.source.value, node.start, node.importKind === 'type');
      if (!/^(node:)?process$/.test(node.source.value)) return;
      for (const specifier of node.specifiers) {
        if (specifier.type !== 'ImportSpecifier') continue;
        readMember('process', exportName(specifier.imported), specifier.start);
      }
    },
    ExportNamedDeclaration(node) {
      if (node.source) addImport(node.source.value, node.start, node.exportKind === 'type');
    },
    ExportAllDeclaration(node) {
      addImport(node.source.value, node.start, node.exportKind === 'type');
    },
    ImportExpression(node) {
      addImport(text(node.source) ?? COMPUTED, node.start, false);
    },
    TSImportType(node) {
      addImport(node.source.value, node.start, true);
    },
    TSImportEqualsDeclaration(node) {
      const reference = node.moduleReference;
      if (reference.type !== 'TSExternalModuleReference') return;
      addImport(reference.expression.value, node.start, node.importKind === 'type');
    },
    CallExpression(node) {
      const callee = globalName(node.callee);
      if (callee === 'require') addImport(text(node.arguments[0]) ?? COMPUTED, node.start, false);
      if (callee === 'Date') clock.push(line(node.start));
      if (callee === 'Object') objectCalls.push(line(node.start));
    },
    NewExpression(node) {
      if (globalName(node.callee) === 'Date' && node.arguments.length === 0) {
        clock.push(line(node.start));
      }
    },
    MemberExpression(node) {
      const member = node.property.type === 'PrivateIdentifier' ? undefined : memberName(node);
      readMember(globalName(node.object), member, node.start);
    },
    VariableDeclarator(node) {
      if (node.id.type !== 'ObjectPattern' || !node.init) return;
      for (const property of node.id.properties) {
        if (property.type !== 'Property' || property.key.type === 'PrivateIdentifier') continue;
        const { key, computed } = property;
        const name = !computed && key.type === 'Identifier' ? key.name : text(key);
        readMember(globalName(node.init), name, property.start);
      }
    },
  }).visit(program);

  // The parser already pairs `import { x }` with a later `export { x }`.
  const reExports = module.staticExports
    .flatMap(({ entries }) => entries)
    .filter(({ moduleRequest }) => moduleRequest)
    .map(({ start }) => line(start));
  const syntaxErrors = errors.map(({ message }) => message);
  return { imports, reExports, environment, clock, objectCalls, syntaxErrors };
}

type Node = Expression | { readonly type: string };

/** The name behind `Date`, `globalThis.Date` or `globalThis['Date']`. */
function globalName(node: Node): string | undefined {
  if (isExpression(node, 'Identifier')) return node.name;
  if (isExpression(node, 'MemberExpression') && globalName(node.object) === 'globalThis') {
    return memberName(node);
  }
  return undefined;
}

function memberName(node: Extract<Expression, { type: 'MemberExpression' }>): string | undefined {
  if (node.computed) return text(node.property);
  return node.property.type === 'Identifier' ? node.property.name : undefined;
}

function text(node: Node | undefined): string | undefined {
  if (!node || !isExpression(node, 'Literal')) return undefined;
  return typeof node.value === 'string' ? node.value : undefined;
}

function exportName(name: ModuleExportName): string {
  return name.type === 'Literal' ? name.value : name.name;
}

function isExpression<T extends Expression['type']>(
  node: Node,
  type: T,
): node is Extract<Expression, { type: T }> {
  return node.type === type;
}
