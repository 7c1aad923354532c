// Comments of the public API: every exported name and public member has one, and functions say what they throw.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Comment, type Node, parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Sources of the entries that packages export. */
const ENTRIES: readonly string[] = [
  'packages/debugger/src/index.ts',
  'packages/starkbox/src/index.ts',
  'packages/starkbox/src/browser.ts',
  'packages/starkbox/src/client.ts',
  'packages/starkbox/src/client-node.ts',
  'packages/testing/src/index.ts',
  'packages/testing/src/matchers/matchers.ts',
  'packages/testing/src/reports/reports.ts',
  'packages/testing/src/runners/node.ts',
  'packages/testing/src/runners/playwright.ts',
  'packages/testing/src/runners/vitest.ts',
  'packages/wallet/src/index.ts',
  'packages/wallet/src/playwright.ts',
];

/** Functions and methods that throw nothing, and need not say so. */
const NEVER_THROW: ReadonlySet<string> = new Set([
  'DirectResult.events',
  'DirectResult.traceText',
  'DirectResult.writes',
  'Chain.close',
  'ChainSubscription.close',
  'Debugger.checkBreakpoint',
  'Debugger.codeLines',
  'Debugger.frameCount',
  'Debugger.frames',
  'Debugger.positionOf',
  'Debugger.registers',
  'Debugger.sourceText',
  'Debugger.sources',
  'Debugger.stepIn',
  'Debugger.stepInstruction',
  'Debugger.stepOut',
  'Debugger.stepOver',
  'Fixture.close',
  'Hooks.afterEach',
  'Hooks.beforeEach',
  'Log.debug',
  'Log.error',
  'Log.info',
  'Log.warn',
  'LocalChain.close',
  'OpenOptions.onProgress',
  'TestChain.close',
  'WalletController.disconnect',
  'WalletController.uninstall',
  'WalletController.waitForRequest',
  'createLog',
  'fixture',
  'getExplanation',
  'getProvider',
  'getWallet',
  'isRpcError',
  'withChain',
]);

interface Declared {
  readonly file: string;
  readonly name: string;
  readonly node: Node;
  readonly comment: string | undefined;
}

interface Module {
  readonly declared: Map<string, Declared[]>;
  readonly exported: Map<string, { readonly from?: string; readonly name: string }>;
  readonly stars: string[];
  readonly imported: Map<string, { readonly from: string; readonly name: string }>;
}

const modules = new Map<string, Module>();

function fileOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(dirname(file), specifier.replace(/\.js$/, '.ts'));
  const packages: Readonly<Record<string, string>> = {
    '@starkbox/engine': 'packages/engine/js/index.ts',
    '@starkbox/spec': 'packages/spec/src/index.ts',
    starkbox: 'packages/starkbox/src/index.ts',
    'starkbox/client': 'packages/starkbox/src/client.ts',
  };
  return packages[specifier] ?? specifier;
}

const nameOf = (node: unknown): string => String(Object(node).name ?? Object(node).value ?? '');

/** The comment for readers that ends where a node begins. */
function commentBefore(
  source: string,
  comments: readonly Comment[],
  start: number,
): string | undefined {
  const before = comments.findLast(
    ({ end, value }) => end <= start && !value.startsWith(' biome-ignore'),
  );
  if (before?.type !== 'Block' || !before.value.startsWith('*')) return undefined;
  const between = source.slice(before.end, start).replaceAll(/\/\/ biome-ignore .*/g, '');
  return between.trim() === '' ? before.value : undefined;
}

function moduleOf(file: string): Module {
  const cached = modules.get(file);
  if (cached) return cached;
  const source = readFileSync(join(ROOT, file), 'utf8');
  const { program, comments } = parseSync(file, source, { sourceType: 'module' });
  const module: Module = {
    declared: new Map(),
    exported: new Map(),
    stars: [],
    imported: new Map(),
  };
  modules.set(file, module);
  const declare = (statement: Node, declaration: Node): readonly string[] => {
    const { declarations, id } = Object(declaration);
    const nodes: readonly unknown[] = Array.isArray(declarations) ? declarations : [declaration];
    const names = Array.isArray(declarations)
      ? declarations.map((variable) => nameOf(Object(variable).id))
      : id
        ? [nameOf(id)]
        : [];
    names.forEach((name, index) => {
      const comment = commentBefore(source, comments, statement.start);
      const node: Node = Object(nodes[index]);
      const list = module.declared.get(name) ?? [];
      module.declared.set(name, [...list, { file, name, node, comment }]);
    });
    return names;
  };
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      for (const specifier of statement.specifiers) {
        const name = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : '*';
        const from = fileOf(file, statement.source.value);
        module.imported.set(specifier.local.name, { from, name });
      }
    } else if (statement.type === 'ExportAllDeclaration') {
      module.stars.push(fileOf(file, statement.source.value));
    } else if (statement.type === 'ExportNamedDeclaration' && statement.declaration) {
      for (const name of declare(statement, statement.declaration)) {
        module.exported.set(name, { name });
      }
    } else if (statement.type === 'ExportNamedDeclaration') {
      for (const specifier of statement.specifiers) {
        const from = statement.source ? { from: fileOf(file, statement.source.value) } : {};
        module.exported.set(nameOf(specifier.exported), { ...from, name: nameOf(specifier.local) });
      }
    } else if (statement.type === 'ExportDefaultDeclaration') {
      for (const name of declare(statement, statement.declaration)) {
        module.exported.set('default', { name });
      }
    } else {
      declare(statement, statement);
    }
  }
  return module;
}

/** Declarations of an exported or imported name; several for overloads. */
function resolve(file: string, name: string): readonly Declared[] {
  if (!file.endsWith('.ts')) return [];
  const { declared, exported, imported, stars } = moduleOf(file);
  const entry = exported.get(name);
  if (entry?.from !== undefined) return resolve(entry.from, entry.name);
  const local = entry?.name ?? name;
  const list = declared.get(local);
  if (list) return list;
  const origin = imported.get(local);
  if (origin) return resolve(origin.from, origin.name);
  return stars.map((star) => resolve(star, name)).find((found) => found.length > 0) ?? [];
}

function exportsOf(file: string): readonly string[] {
  const { exported, stars } = moduleOf(file);
  return [...new Set([...exported.keys(), ...stars.flatMap(exportsOf)])];
}

interface Member {
  readonly name: string;
  readonly comment: string | undefined;
  readonly isFunction: boolean;
}

const isFunctionType = (type: unknown): boolean =>
  ['TSFunctionType'].includes(Object(Object(type).typeAnnotation).type);

/** The public members of a class or an interface. */
function membersOf({ file, node }: Declared): readonly Member[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const { comments } = parseSync(file, source, { sourceType: 'module' });
  const { type, body } = Object(node);
  const list: readonly unknown[] =
    type === 'ClassDeclaration' || type === 'TSInterfaceDeclaration' ? Object(body).body : [];
  return list.flatMap((item): readonly Member[] => {
    const { key, start, accessibility, override, value, kind } = Object(item);
    const name = nameOf(key);
    const memberType: string = Object(item).type;
    const comment = commentBefore(source, comments, start);
    const isHidden =
      Object(key).type === 'PrivateIdentifier' ||
      Object(item).computed === true ||
      override === true ||
      ['private', 'protected'].includes(accessibility) ||
      name === '' ||
      comment?.includes('@internal') === true;
    if (isHidden || kind === 'set' || kind === 'constructor') return [];
    const isMethod =
      (memberType === 'MethodDefinition' && kind === 'method') ||
      memberType === 'TSMethodSignature' ||
      memberType === 'TSAbstractMethodDefinition';
    const isFunction =
      isMethod ||
      ['ArrowFunctionExpression', 'FunctionExpression'].includes(Object(value).type) ||
      isFunctionType(Object(item).typeAnnotation);
    return [{ name, comment, isFunction: isFunction && kind !== 'get' }];
  });
}

/** The classes and interfaces that a declaration extends or implements. */
function parentsOf({ file, node }: Declared): readonly Declared[] {
  const { superClass, implements: interfaces = [], extends: extended = [] } = Object(node);
  const names = [
    nameOf(superClass),
    ...[...interfaces, ...extended].map((parent) => nameOf(Object(parent).expression)),
  ];
  return names.filter((name) => name !== '').flatMap((name) => resolve(file, name));
}

function inherited(declared: Declared, name: string, depth = 0): Member | undefined {
  if (depth > 5) return undefined;
  for (const parent of parentsOf(declared)) {
    const member = membersOf(parent).find((candidate) => candidate.name === name);
    if (member?.comment !== undefined) return member;
    const above = inherited(parent, name, depth + 1);
    if (above) return above;
  }
  return undefined;
}

/** What is wrong with the comments of one exported name. */
function faultsOf(exportedName: string, list: readonly Declared[]): readonly string[] {
  const [first] = list;
  if (!first) return [];
  const faults: string[] = [];
  const comment = list.map((declared) => declared.comment).find((text) => text !== undefined);
  if (comment === undefined) faults.push(`${exportedName} has no comment`);
  const { type } = Object(first.node);
  const isFunction = ['FunctionDeclaration', 'TSDeclareFunction'].includes(type);
  if (isFunction && !NEVER_THROW.has(exportedName) && !comment?.includes('@throws')) {
    faults.push(`${exportedName}() does not say what it throws`);
  }
  for (const member of membersOf(first)) {
    const text = member.comment ?? inherited(first, member.name)?.comment;
    const name = `${exportedName}.${member.name}`;
    if (text === undefined) faults.push(`${name} has no comment`);
    else if (member.isFunction && !NEVER_THROW.has(name) && !text.includes('@throws')) {
      faults.push(`${name}() does not say what it throws`);
    }
  }
  return faults;
}

describe.each(ENTRIES)('%s', (entry) => {
  test('describes what it exports', () => {
    const names = exportsOf(entry);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => resolve(entry, name).length === 0)).toEqual([]);
    const faults = names.flatMap((name) => faultsOf(name, resolve(entry, name)));
    expect(faults).toEqual([]);
  });
});
