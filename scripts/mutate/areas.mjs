// The tests of each part of the sources, and the functions that each of their files executes.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { ROOT } from '../cargo.mjs';
import { filesOf } from '../sources.mjs';
import { hashOf, MODULE_LEVEL } from './mutants.mjs';
import { Runner } from './run-tests.mjs';

/**
 * @typedef {{ hash: string, passed: boolean, seconds: number, executed: string[] }} TestFile
 * @typedef {Record<string, TestFile>} TestFiles
 */

/** Folders and files of `packages/e2e/test` that test a folder of `packages/starkbox/src`, beside those of its name. */
const E2E = {
  chain: [
    ...['compatibility', 'controls', 'explain', 'golden', 'mempool', 'network', 'node', 'rpc'],
    ...['rules', 'versions'],
  ],
  rpc: ['golden', 'subscriptions', 'versions'],
  service: ['instances', 'library', 'node'],
  store: [
    'node',
    'instances',
    'mempool/persistence.test.ts',
    'dump/image/data-dir.test.ts',
    'library/stored.test.ts',
  ],
  dump: ['bundles'],
  config: ['cli'],
};

/** Folders of `packages/starkbox/test`, likewise. */
const OWN = {
  chain: ['mempool', 'rpc', 'reports'],
  rpc: ['subscriptions', 'versions'],
  service: ['instances', 'node', 'config'],
  dump: ['bundles'],
  config: ['cli'],
};

/** Tests of a package, beside its own. */
const OF_PACKAGES = {
  abi: [
    'packages/e2e/test/explain',
    'packages/e2e/test/reports',
    'packages/e2e/test/rpc/storage-names.test.ts',
    'packages/testing/test/reports.alone.test.ts',
  ],
  debugger: ['packages/debug-adapter/test', 'packages/e2e/test/debugger'],
  testing: [],
};

/** @param {string} file @returns {string[]} folders of tests */
function areaOf(file) {
  const [, name = '', , folder = ''] = file.split('/');
  if (name !== 'starkbox') {
    return [
      `packages/${name}/test`,
      ...(Object.entries(OF_PACKAGES).find(([key]) => key === name)?.[1] ?? []),
    ];
  }
  /** @param {Record<string, string[]>} table */
  const foldersOf = (table) => [folder, ...(table[folder] ?? [])];
  return [
    ...foldersOf(OWN).map((test) => `packages/starkbox/test/${test}`),
    ...foldersOf(E2E).map((test) => `packages/e2e/test/${test}`),
  ];
}

/** @param {string} file */
export const readSource = (file) => readFileSync(join(ROOT, file), 'utf8');

/** Test files whose ending says that they run elsewhere. */
const ELSEWHERE = /(\.(browser|kill|timed)|\/kill)\.test\.ts$/;

/** A run of so many files is kept as a whole. */
const FILES_AT_ONCE = 30;

export class TestSelection {
  /** @type {TestFiles} */
  #known;
  /** @type {string} */
  #cache;
  /** @type {Map<string, string[]>} */
  #importers = new Map();

  /** @param {string} folder of the cache */
  constructor(folder) {
    this.#cache = join(folder, 'executed.json');
    this.#known = existsSync(this.#cache) ? JSON.parse(readFileSync(this.#cache, 'utf8')) : {};
  }

  /**
   * Runs the tests of these sources once, with counters, if that is not known.
   *
   * @param {readonly string[]} sources
   * @param {readonly string[]} given folders in place of those of the sources
   */
  async learn(sources, given) {
    const folders = given.length > 0 ? given : [...new Set(sources.flatMap(areaOf))];
    const files = filesOf(...folders).filter(
      (file) => file.endsWith('.test.ts') && !ELSEWHERE.test(file),
    );
    const unknown = files.filter((file) => this.#known[file]?.hash !== hashOf(readSource(file)));
    for (let at = 0; at < unknown.length; at += FILES_AT_ONCE) {
      console.log(`tests with counters: ${at} of ${unknown.length} files`);
      await this.#count(unknown.slice(at, at + FILES_AT_ONCE));
      writeFileSync(this.#cache, JSON.stringify(this.#known));
    }
    return files;
  }

  /** @param {readonly string[]} files */
  async #count(files) {
    const folder = `${this.#cache}.run`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const runner = new Runner({ FUNCTIONS_EXECUTED: folder });
    const { files: results } = await runner.run('', files, Number.POSITIVE_INFINITY);
    runner.end();
    /** @type {Map<string, string[]>} */
    const executedBy = new Map();
    for (const name of readdirSync(folder)) {
      const { testPath, executed } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      executedBy.set(relative(ROOT, testPath), executed);
    }
    for (const file of files) {
      const result = results.find((other) => other.file === file);
      this.#known[file] = {
        hash: hashOf(readSource(file)),
        passed: result?.passed ?? false,
        seconds: result?.seconds ?? 0,
        executed: executedBy.get(file) ?? [],
      };
      if (!result?.passed)
        console.log(`fails without a mutant, and is left out: ${file} ${result?.failed ?? ''}`);
    }
  }

  /**
   * @param {import('./mutants.mjs').Mutant} mutant
   * @param {readonly string[]} files of its area
   * @returns {{ file: string, seconds: number }[]} those that execute it, the quickest first
   */
  testsOf(mutant, files) {
    const passing = files.filter((file) => this.#known[file]?.passed);
    const executing = (/** @type {(name: string) => boolean} */ isWanted) =>
      passing.filter((file) => this.#known[file]?.executed.some(isWanted));
    const ofFunction = executing((name) => name === `${mutant.file} ${mutant.within}`);
    const found =
      mutant.within !== MODULE_LEVEL && ofFunction.length > 0
        ? ofFunction
        : this.#executingModule(mutant.file, executing);
    return found
      .map((file) => ({ file, seconds: this.#known[file]?.seconds ?? 0 }))
      .sort((first, second) => first.seconds - second.seconds);
  }

  /**
   * Tests that execute a function of the file or of one that imports it, where a table of the file is read. If there is
   * none, those are asked that import these files.
   *
   * @param {string} file
   * @param {(isWanted: (name: string) => boolean) => string[]} executing
   */
  #executingModule(file, executing) {
    const seen = new Set([file]);
    for (let added = [file]; added.length > 0; ) {
      added = added.flatMap((module) => this.#importersOf(module));
      added = added.filter((module) => !seen.has(module));
      for (const module of added) seen.add(module);
      const wanted = [...seen].map((module) => `${module} `);
      const found = executing((name) => wanted.some((start) => name.startsWith(start)));
      if (found.length > 0) return found;
    }
    return [];
  }

  /** @param {string} file */
  #importersOf(file) {
    if (this.#importers.size === 0) {
      for (const importer of filesOf('packages/*/src/*.ts')) {
        const { module } = parseSync(importer, readSource(importer));
        const requests = [
          ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
          ...module.staticExports.flatMap(({ entries }) =>
            entries.map(({ moduleRequest }) => moduleRequest?.value ?? ''),
          ),
        ];
        for (const request of requests.filter((name) => name.startsWith('.'))) {
          const imported = join(dirname(importer), request).replace(/\.js$/, '.ts');
          this.#importers.set(imported, [...(this.#importers.get(imported) ?? []), importer]);
        }
      }
    }
    return this.#importers.get(file) ?? [];
  }
}
