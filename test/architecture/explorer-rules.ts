// Folder rules of the explorer and of @starkbox/abi: allowed imports, and lines in a function.
import { dirname, join, normalize } from 'node:path/posix';
import { readFacts } from './facts.js';
import { LIMITS, measureFunctions } from './sizes.js';

export interface ExplorerViolation {
  readonly file: string;
  readonly rule:
    | 'folder' // stands in a folder that the table does not list
    | 'import' // imports a folder or package that its row does not list
    | 'long function'; // has too many lines, those of a returned table included
  readonly detail: string;
}

const EXPLORER = 'packages/explorer/src/';
const ABI = 'packages/abi/src/';

const BASE = ['format', 'navigation', 'rpc', 'state', 'traces'];
const PARTS = [
  'parts',
  'parts/forms',
  'parts/gas',
  'parts/send',
  'parts/table',
  'parts/transaction',
];

/** Folders of the explorer, from the top down, with the folders that each may import. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  app: ['features/*', ...PARTS, ...BASE, 'styles'],
  'features/*': [...PARTS, ...BASE],
  'parts/send': ['parts', 'parts/forms', 'parts/transaction', ...BASE],
  'parts/gas': ['parts', 'parts/table', ...BASE],
  'parts/transaction': ['parts', 'parts/table', ...BASE],
  'parts/forms': ['parts', ...BASE],
  'parts/table': ['parts', ...BASE],
  parts: BASE,
  rpc: ['format', 'state', 'traces'],
  // Used by the client, which hands long answers to the worker.
  traces: ['format', 'state'],
  // Addresses begin with the path of the chain, which the calls need as well.
  navigation: ['format', 'state'],
  state: [],
  format: [],
};

/** Packages that @starkbox/abi may import. */
const ABI_PACKAGES = ['@noble/hashes'];

/** Everything in `sources` (path from the repository's root → text) that breaks a rule. */
export function findExplorerViolations(sources: ReadonlyMap<string, string>): ExplorerViolation[] {
  const found: ExplorerViolation[] = [];
  for (const [file, source] of sources) {
    const report = (rule: ExplorerViolation['rule'], detail: string): void =>
      void found.push({ file, rule, detail });
    if (!file.startsWith(EXPLORER) && !file.startsWith(ABI)) continue;
    for (const { line, lines } of measureFunctions(file, source)) {
      if (lines > LIMITS.linesInFunction) report('long function', `line ${line}: ${lines} lines`);
    }
    const row = file.startsWith(ABI) ? [] : FOLDERS[rowOf(file)];
    if (!row) {
      report('folder', `${dirname(file)} is not in the table`);
      continue;
    }
    for (const { specifier, line } of readFacts(file, source).imports) {
      if (!mayImport(file, specifier, row)) report('import', `line ${line} imports ${specifier}`);
    }
  }
  return found;
}

function mayImport(file: string, specifier: string, row: readonly string[]): boolean {
  const isAbi = file.startsWith(ABI);
  if (!specifier.startsWith('.')) {
    return !isAbi || ABI_PACKAGES.some((name) => specifier.startsWith(`${name}/`));
  }
  const target = normalize(join(dirname(file), specifier));
  if (isAbi) return target.startsWith(ABI);
  if (dirname(target) === dirname(file)) return true;
  // A feature may import its own subfolders.
  if (file.startsWith(`${EXPLORER}features/`) && dirname(dirname(target)) === dirname(file))
    return true;
  // The types of RPC methods, which test/architecture/rules.ts holds to be types only.
  if (target === 'packages/starkbox/src/spec.js') return file === `${EXPLORER}rpc/methods.ts`;
  return target.startsWith(EXPLORER) && row.includes(rowOf(target));
}

/** `packages/explorer/src/features/gas/report.ts` → `features/*`, `…/parts/gas/tree.ts` → `parts/gas`. */
function rowOf(file: string): string {
  const folder = dirname(file).slice(EXPLORER.length);
  return folder.replace(/^features\/[^/]+(\/[^/]+)?$/, 'features/*');
}
