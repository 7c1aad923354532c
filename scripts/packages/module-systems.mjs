// Types of the published packages under each way in which TypeScript resolves modules.
//
//   node scripts/packages/module-systems.mjs 5.9.3     by a version of TypeScript, which npx fetches
//
// docs/reference/library.md has the table of results.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../cargo.mjs';
import { isMain, runText } from '../processes.mjs';
import { INTERNAL_ENTRIES } from './declarations.mjs';
import { stage } from './staging.mjs';
import { manifestIn, published } from './workspaces.mjs';

/** An ES module cannot be imported by CommonJS, in the view of TypeScript. */
const NO_REQUIRE = 'TS1479';

/**
 * Values of the compiler option `module`, and the error that each import has in packages of a type.
 *
 * @type {readonly { options: readonly string[], expected: Readonly<Record<'module' | 'commonjs', string | undefined>> }[]}
 */
const SYSTEMS = [
  {
    options: ['--module', 'node16'],
    expected: { module: undefined, commonjs: NO_REQUIRE },
  },
  { options: ['--module', 'node20'], expected: { module: undefined, commonjs: undefined } },
  { options: ['--module', 'nodenext'], expected: { module: undefined, commonjs: undefined } },
  {
    options: ['--module', 'esnext', '--moduleResolution', 'bundler'],
    expected: { module: undefined, commonjs: undefined },
  },
];

/** Programs that fail to compile if a type is lost. */
const USES = {
  'starkbox.ts': `
import { createChain } from 'starkbox';
export async function height(): Promise<number> {
  const chain = await createChain({ seed: 0 });
  const block: number = await chain.request('starknet_blockNumber');
  // @ts-expect-error a number is no string
  const text: string = await chain.request('starknet_blockNumber');
  await chain.close();
  return block + text.length;
}
`,
  'testing.ts': `
import { fixture } from '@starkbox/testing';
import { withChain } from '@starkbox/testing/node';
const prepared = fixture('prepared', async () => ({ count: 1 }));
export const body: () => Promise<void> = withChain(prepared, async (chain, data) => {
  const count: number = data.count;
  // @ts-expect-error a number is no string
  const text: string = data.count;
  await chain.mint(chain.accounts[0]?.address ?? text, BigInt(count));
});
`,
};

/**
 * @param {string} folder with the packages as they are published, below node_modules
 * @returns {string[]} what a user imports
 */
function entriesIn(folder) {
  return [...published().keys()].flatMap((name) => {
    const { exports = {} } = manifestIn(join(folder, 'node_modules', name));
    return Object.entries(Object(exports))
      .filter(([entry, { types }]) => types !== undefined && !INTERNAL_ENTRIES.includes(entry))
      .map(([entry]) => `${name}${entry.slice(1)}`);
  });
}

/**
 * Compiles programs that use every entry of the packages.
 *
 * @param {string} folder with the packages as they are published, below node_modules; other packages are in a folder
 *   above it
 * @param {string} compiler the program of TypeScript
 * @returns {Promise<string[]>} faults
 */
export async function wrongModuleSystems(folder, compiler) {
  const faults = [];
  for (const type of /** @type {const} */ (['module', 'commonjs'])) {
    const project = join(folder, type);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type }));
    const entries = entriesIn(folder);
    for (const [at, entry] of entries.entries()) {
      const code = `import * as entry from '${entry}';\nexport const names = Object.keys(entry);\n`;
      writeFileSync(join(project, `entry-${at}.ts`), code);
    }
    for (const [file, code] of Object.entries(USES)) writeFileSync(join(project, file), code);
    const files = [...entries.map((_, at) => `entry-${at}.ts`), ...Object.keys(USES)];
    for (const { options, expected } of SYSTEMS) {
      const printed = await compile(project, compiler, [...options, ...files]);
      const failed = new Map(
        [...printed.matchAll(/^(\S+\.ts)\(.*?error (TS\d+)/gm)].map(([, file, code]) => [
          file,
          code,
        ]),
      );
      const where = `${options.join(' ')} in a package of type ${type}`;
      const wrong = files.filter((file) => failed.get(file) !== expected[type]);
      faults.push(
        ...wrong.map(
          (file) =>
            `${where}: ${entries[files.indexOf(file)] ?? file}: ${failed.get(file) ?? 'no error'}`,
        ),
      );
      console.log(`${where}: ${files.length - wrong.length} of ${files.length} as expected`);
    }
  }
  return faults;
}

/**
 * @param {string} cwd
 * @param {string} compiler
 * @param {readonly string[]} args
 * @returns {Promise<string>} its errors
 */
function compile(cwd, compiler, args) {
  // Declarations of starknet.js do not check.
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--types',
    'node',
  ];
  return promisify(execFile)(process.execPath, [compiler, ...options, ...args], { cwd }).then(
    () => '',
    ({ stdout }) => stdout,
  );
}

/** @param {string} version of TypeScript */
async function main(version) {
  const fetched = ['--yes', `--package=typescript@${version}`];
  const compiler = runText('npx', [...fetched, '-c', 'command -v tsc']).trim();
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-types-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
    const project = join(folder, 'project');
    stage(join(project, 'node_modules'), [...published().keys()]);
    const faults = await wrongModuleSystems(project, compiler);
    for (const fault of faults) console.error(fault);
    return faults.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) {
  process.exitCode = await main(process.argv[2] ?? 'latest');
}
