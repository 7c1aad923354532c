// The folder rules of the explorer and of @starkbox/abi hold, and each of them finds a planted breach.
import { expect, test } from 'vitest';
import { findExplorerViolations } from './explorer-rules.js';
import { readSources } from './sources.js';

test('the sources break no rule', () => {
  const sources = readSources(['packages/explorer/src', 'packages/abi/src'], /\.tsx?$/);
  expect(sources.size).toBeGreaterThan(100);
  expect(findExplorerViolations(sources)).toEqual([]);
});

const body = (lines: number): string => `function f() {\n${'  f();\n'.repeat(lines)}}\n`;

test.each([
  ['import', 'explorer/src/parts/values.tsx', `import '../features/gas/report.js';`],
  ['import', 'explorer/src/parts/values.tsx', `import '../app/shell.js';`],
  ['import', 'explorer/src/parts/values.tsx', `import './send/run.js';`],
  ['import', 'explorer/src/features/gas/report.ts', `import '../blocks/block-page.js';`],
  ['import', 'explorer/src/features/gas/report.ts', `const x = import('../blocks/block-page.js');`],
  ['import', 'explorer/src/features/gas/report.ts', `import '../../app/shell.js';`],
  ['import', 'explorer/src/rpc/client.ts', `import { to } from '../navigation/route.js';`],
  ['import', 'explorer/src/rpc/client.ts', `import type { A } from '../../../spec/src/index.js';`],
  ['import', 'explorer/src/format/amount.ts', `import type { A } from '../rpc/methods.js';`],
  ['import', 'abi/src/abi.ts', `import type { A } from 'starkbox';`],
  ['import', 'abi/src/abi.ts', `import '../../explorer/src/format/json.js';`],
  ['import', 'abi/src/abi.ts', `import { readFileSync } from 'node:fs';`],
  ['folder', 'explorer/src/pages/new.tsx', ''],
  ['folder', 'explorer/src/features/loose.tsx', ''],
  ['long function', 'explorer/src/format/new.ts', body(80)],
  ['long function', 'abi/src/new.ts', `const g = async () => {\n${'g();\n'.repeat(80)}};`],
  ['long function', 'explorer/src/format/new.ts', `const t = () => [\n${'1,\n'.repeat(80)}];`],
])('a breach of "%s" in %s is found', (rule, path, source) => {
  const file = `packages/${path}`;
  expect(findExplorerViolations(new Map([[file, source]]))).toMatchObject([{ file, rule }]);
});
