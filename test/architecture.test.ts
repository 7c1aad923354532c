// The table of allowed imports, checked against the sources and against one planted breach of each rule.
import { describe, expect, test } from 'vitest';
import { findViolations, type Rule } from './architecture/check.js';
import { readFacts } from './architecture/facts.js';
import { FOLDERS, LEAVES } from './architecture/rules.js';
import { readPackages, readSources } from './architecture/sources.js';

const PACKAGES = readPackages();

/** Files of the node that end-to-end tests may import: the command line, its JSON, and generated tables. */
const IMPORTED_BY_E2E = new Set([
  'cli/cli',
  'json/json',
  'json/reader',
  'l1/anvil/process',
  'l1/ethereum/messaging-contract',
  'log',
]);

/** A tree that breaks no rule. */
const SOUND: Readonly<Record<string, string>> = {
  'packages/engine/js/index.ts': `export * from '../binding.js';`,
  'packages/starkbox/src/index.ts': `export { createChain } from './node/node.js';`,
  'packages/starkbox/src/cli/cli.ts': `import { createChain } from '../node/node.js'; import 'pino';`,
  'packages/starkbox/src/node/node.ts': `
    import { listen } from '../server/http/server.js';
    import { World } from '../chain/world/world.js';
    import { read } from '../config/environment.js';
    import { Fork } from '../fork/fork.js';
    export const createChain = () => [listen, World, read, Fork];`,
  'packages/starkbox/src/config/environment.ts': `import '../felt.js'; export const read = () => process.env.PORT;`,
  'packages/starkbox/src/fork/fork.ts': `import '../log.js'; export class Fork {}`,
  'packages/spec/src/index.ts': `export type Methods = {};`,
  'packages/starkbox/src/errors.ts': `import type { Methods } from '@starkbox/spec'; import 'pino';`,
  'packages/starkbox/src/felt.ts': `export const zero = '0x0';`,
  'packages/starkbox/src/log.ts': `import 'pino';`,
  'packages/starkbox/src/telemetry/metrics.ts': `import 'prom-client';`,
  'packages/starkbox/src/chain/world/world.ts': `
    import '@starkbox/engine';
    import { now } from './clock.js';
    // process.env, Date.now() and new Date() in a comment
    const words = 'process.env Date.now()';
    export const World = new Date(now());`,
  'packages/starkbox/src/chain/world/clock.ts': `export const now = () => Date.now();`,
  'packages/starkbox/src/chain/genesis/genesis.ts': `
    import type { Config } from '../../config/options.js';
    import { Fork } from '../../fork/fork.js';
    export const genesis = Fork;`,
  'packages/starkbox/src/l1/ethereum/client.ts': `import 'viem'; import '../../chain/world/world.js';`,
  'packages/starkbox/src/rpc/protocol/dispatcher.ts': `import 'ajv'; export const dispatch = 1;`,
  'packages/starkbox/src/rpc/methods/write.ts': `
    import '../../chain/world/world.js';
    import '../../errors.js';
    import '../protocol/dispatcher.js';`,
  'packages/starkbox/src/server/http/server.ts': `
    import 'node:http';
    import { dispatch } from '../../rpc/protocol/dispatcher.js';
    export const listen = dispatch;`,
  'packages/explorer/src/rpc/methods.ts': `import type { Methods } from '@starkbox/spec';`,
  'packages/explorer/src/app/app.tsx': `
    import type { Methods } from '../rpc/methods.js';
    import '../features/gas/report.js';
    import { useQuery } from '@tanstack/react-query';
    export const App = () => <p>{useQuery()}</p>;`,
  'packages/explorer/src/features/gas/report.ts': `import './chart/axis.js'; import '@starkbox/abi';`,
  'packages/explorer/src/features/gas/chart/axis.ts': `import '../../../parts/table/line.js';`,
  'packages/explorer/src/parts/table/line.ts': '',
};

const violationsWith = (planted: Readonly<Record<string, string>>) =>
  findViolations(new Map(Object.entries({ ...SOUND, ...planted })), PACKAGES);

describe('the sources', () => {
  const sources = readSources(['packages'], /^packages\/[^/]+\/(src|js)\/.*\.tsx?(?<!\.d\.ts)$/);

  test('are found', () => {
    expect([...sources.keys()]).toContain('packages/engine/js/index.ts');
  });

  test('break no rule', () => {
    expect(findViolations(sources, PACKAGES)).toEqual([]);
  });
});

test('bench and scripts give the members of JSON no type that is never checked', () => {
  const sources = readSources(
    ['bench', 'scripts', '.ci', 'packages/explorer/scripts'],
    /\.(ts|mjs)$/,
  );
  expect(sources.size).toBeGreaterThan(90);
  const calls = [...sources].flatMap(([file, source]) =>
    readFacts(file, source).objectCalls.map((line) => `${file}:${line}`),
  );
  expect(calls).toEqual([]);
});

test('end-to-end tests import few internals of the node', () => {
  const sources = readSources(['packages/e2e'], /\.ts$/);
  expect(sources.size).toBeGreaterThan(100);
  const imports = [...sources].flatMap(([file, source]) =>
    [...source.matchAll(/'[./]+\/starkbox\/src\/([^']+)\.js'/g)].map(([, path = '']) => ({
      file,
      path,
    })),
  );
  expect(imports.filter(({ path }) => !IMPORTED_BY_E2E.has(path))).toEqual([]);
});

describe('tests', () => {
  const sources = readSources(['packages', 'test'], /^(packages\/[^/]+\/)?test\/.*\.ts$/);
  const findText = (pattern: RegExp): readonly string[] =>
    [...sources].filter(([, source]) => pattern.test(source)).map(([file]) => file);

  test('draw nothing without a seed', () => {
    expect(sources.size).toBeGreaterThan(500);
    expect(findText(/Math\.random\(\)/)).toEqual([]);
  });

  test('wait for conditions, and are not tried again', () => {
    expect(
      findText(
        /setTimeout\((resolve|r), ([2-9]\d|\d{3,})\)|await (sleep|delay)\(([2-9]\d|\d{3,})\)/,
      ),
    ).toEqual([]);
    expect(findText(/\bretry: \d/)).toEqual([]);
  });
});

describe('the tables', () => {
  test.each(Object.entries(FOLDERS))('of %s import only rows that precede', (_, table) => {
    const rows = Object.keys(table);
    const wrong = Object.entries(table).flatMap(([row, { may, types = [] }], index) => {
      const preceding = new Set(rows.slice(0, index));
      // A row may list a single file of a folder.
      const isPreceding = (name: string) =>
        preceding.has(name) || preceding.has(name.replace(/\/[^/]+$/, ''));
      return [...may, ...types].filter((name) => !isPreceding(name)).map((name) => [row, name]);
    });
    expect(wrong).toEqual([]);
  });

  test('let leaves import leaves alone', () => {
    const imported = LEAVES.flatMap((leaf) => FOLDERS['starkbox']?.[leaf]?.may ?? ['no row']);
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !LEAVES.includes(name))).toEqual([]);
  });
});

describe('the checker', () => {
  test('finds nothing in a sound tree', () => {
    expect(violationsWith({})).toEqual([]);
  });

  const breaches: readonly [rule: Rule, file: string, source: string][] = [
    ['folder', 'starkbox/src/felt.ts', `import './log.js';`],
    ['folder', 'starkbox/src/felt.ts', `import './errors.js';`],
    ['folder', 'starkbox/src/config/options.ts', `import '../chain/world/clock.js';`],
    ['folder', 'starkbox/src/fork/point.ts', `import type { now } from '../chain/world/clock.js';`],
    [
      'folder',
      'starkbox/src/chain/steps/step.ts',
      `export const load = () => import('../../rpc/methods/write.js');`,
    ],
    [
      'folder',
      'starkbox/src/chain/steps/step.ts',
      `let x: import('../../server/http/server.js').Server;`,
    ],
    [
      'folder',
      'starkbox/src/chain/steps/step.ts',
      `import m = require('../../l1/ethereum/client.js');`,
    ],
    ['folder', 'starkbox/src/l1/postman.ts', `import '../rpc/methods/write.js';`],
    ['folder', 'starkbox/src/chain/steps/step.ts', `import '../../config/options.js';`],
    ['folder', 'starkbox/src/rpc/methods/meta.ts', `import '../../server/http/server.js';`],
    ['folder', 'starkbox/src/server/ws/server.ts', `import '../../rpc/methods/write.js';`],
    ['folder', 'starkbox/src/server/ws/server.ts', `import '../../chain/world/world.js';`],
    ['folder', 'starkbox/src/cli/banner.ts', `import '../server/http/server.js';`],
    [
      'types-only',
      'starkbox/src/chain/genesis/accounts.ts',
      `import { read } from '../../config/options.js';`,
    ],
    [
      'types-only',
      'starkbox/src/chain/genesis/accounts.ts',
      `import { type Config } from '../../config/options.js';`,
    ],
    ['types-only', 'abi/src/trace.ts', `import { METHODS } from '@starkbox/spec';`],
    ['external', 'starkbox/src/chain/steps/step.ts', `import { createServer } from 'http';`],
    ['external', 'starkbox/src/chain/steps/step.ts', `import type { Hex } from 'viem';`],
    ['external', 'starkbox/src/rpc/methods/meta.ts', `import { WebSocket } from 'ws';`],
    ['external', 'starkbox/src/rpc/methods/meta.ts', `import { createServer } from 'node:http';`],
    ['external', 'starkbox/src/rpc/methods/meta.ts', `import { State } from '@starkbox/engine';`],
    ['external', 'starkbox/src/server/ws/server.ts', `import { mainnet } from 'viem/chains';`],
    ['external', 'abi/src/abi.ts', `import { readFileSync } from 'node:fs';`],
    ['undeclared', 'abi/src/abi.ts', `import type { A } from 'starkbox';`],
    ['undeclared', 'engine/js/index.ts', `import 'starkbox';`],
    ['undeclared', 'explorer/src/app/shell.tsx', `import 'starkbox';`],
    ['undeclared', 'mcp/src/serve.ts', `import 'viem';`],
    // For its tests.
    ['undeclared', 'starkbox/src/log.ts', `import '@starkbox/e2e';`],
    ['door', 'engine/js/index.ts', `import '../../starkbox/src/felt.js';`],
    ['door', 'starkbox/src/chain/steps/step.ts', `import '@starkbox/engine/binding.js';`],
    ['door', 'starkbox/src/chain/steps/step.ts', `import '../../../../engine/js/index.js';`],
    ['door', 'abi/src/abi.ts', `import '../../explorer/src/format/json.js';`],
    ['door', 'testing/src/index.ts', `import 'starkbox/dist/chain/chain.js';`],
    [
      'door',
      'testing/src/index.ts',
      `import type { World } from '../../starkbox/src/chain/world/world.js';`,
    ],
    [
      'door',
      'explorer/src/app/shell.tsx',
      `import type { World } from '../../../starkbox/src/chain/world/world.js';`,
    ],
    ['door', 'explorer/src/rpc/client.ts', `import type { A } from '../../../spec/src/index.js';`],
    ['undeclared', 'spec/src/index.ts', `import type { Config } from 'starkbox';`],
    ['folder', 'explorer/src/parts/values.tsx', `import '../features/gas/report.js';`],
    ['folder', 'explorer/src/parts/values.tsx', `import '../app/app.js';`],
    ['folder', 'explorer/src/parts/values.tsx', `import './table/line.js';`],
    ['folder', 'explorer/src/features/blocks/page.ts', `import '../gas/report.js';`],
    ['folder', 'explorer/src/features/blocks/page.ts', `const x = import('../gas/report.js');`],
    ['folder', 'explorer/src/features/blocks/page.ts', `import '../../app/app.js';`],
    ['folder', 'explorer/src/rpc/client.ts', `import { to } from '../navigation/route.js';`],
    ['folder', 'explorer/src/format/amount.ts', `import type { A } from '../rpc/methods.js';`],
    ['cycle', 'starkbox/src/chain/world/clock.ts', `import type { World } from './world.js';`],
    ['cycle', 'starkbox/src/felt.ts', `import './felt.js';`],
    ['barrel', 'starkbox/src/chain/world/all.ts', `export * from './clock.js';`],
    ['barrel', 'starkbox/src/chain/world/all.ts', `export { now } from './clock.js';`],
    [
      'barrel',
      'starkbox/src/chain/world/all.ts',
      `import { now } from './clock.js'; export { now };`,
    ],
    ['barrel', 'testing/src/wait.ts', `export type { Node } from 'starkbox';`],
    ['environment', 'starkbox/src/log.ts', `export const level = process.env['LOG'];`],
    ['environment', 'starkbox/src/log.ts', `const { env } = process;`],
    ['environment', 'starkbox/src/log.ts', `import { env } from 'node:process';`],
    ['environment', 'starkbox/src/log.ts', `export const level = globalThis.process.env.LOG;`],
    ['wall-clock', 'starkbox/src/chain/steps/step.ts', `export const at = Date.now();`],
    ['wall-clock', 'starkbox/src/chain/steps/step.ts', `export const at = new Date();`],
    ['wall-clock', 'starkbox/src/chain/steps/step.ts', `export const at = Date();`],
    ['wall-clock', 'starkbox/src/chain/steps/step.ts', `export const at = [1].map(Date.now);`],
    ['wall-clock', 'starkbox/src/rpc/methods/meta.ts', `export const at = performance.now();`],
    ['wall-clock', 'starkbox/src/rpc/methods/meta.ts', `const { now } = globalThis.Date;`],
    ['hidden-any', 'starkbox/src/rpc/methods/meta.ts', `export const at = Object(1);`],
    ['name', 'starkbox/src/chain/utils.ts', `export const a = 1;`],
    ['unplaced', 'starkbox/src/extra.ts', `export const a = 1;`],
    ['unplaced', 'starkbox/src/extra/a.ts', `export const a = 1;`],
    ['unplaced', 'extra/src/index.ts', `export const a = 1;`],
    ['unplaced', 'explorer/src/pages/new.tsx', ''],
    ['unplaced', 'explorer/src/features/loose.tsx', ''],
    ['syntax', 'starkbox/src/felt.ts', `export const = ;`],
  ];

  test.each(breaches)('reports %s in %s: %s', (rule, path, source) => {
    const file = `packages/${path}`;
    const violations = violationsWith({ [file]: source });
    expect(violations.map(({ file, rule }) => ({ file, rule }))).toEqual([{ file, rule }]);
  });

  test('reports folders that import each other', () => {
    const cycles = violationsWith({
      'packages/mcp/src/files/read.ts': `import '../tools/call.js';`,
      'packages/mcp/src/files/write.ts': ``,
      'packages/mcp/src/tools/call.ts': ``,
      'packages/mcp/src/tools/save.ts': `import '../files/write.js';`,
    });
    expect(cycles).toMatchObject([
      {
        rule: 'folder-cycle',
        detail: 'packages/mcp/src/files → packages/mcp/src/tools → packages/mcp/src/files',
      },
    ]);
  });

  test('names the line and the way round', () => {
    expect(
      violationsWith({
        'packages/starkbox/src/felt.ts': `\n\nimport './log.js';`,
        'packages/starkbox/src/rpc/methods/write.ts': `import './read.js';`,
        'packages/starkbox/src/rpc/methods/read.ts': `import './write.js';`,
      }).map((violation) => violation.detail),
    ).toEqual([
      'line 3 imports ./log.js',
      'packages/starkbox/src/rpc/methods/read.ts → packages/starkbox/src/rpc/methods/write.ts → packages/starkbox/src/rpc/methods/read.ts',
    ]);
  });
});
