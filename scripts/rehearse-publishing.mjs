#!/usr/bin/env node
// Rehearses a release on a registry of its own: raises versions, publishes every package, and uses them by their names.
//
//   npm run rehearse:publishing                        everything that users install
//   npm run rehearse:publishing -- --quick             the command, the test kit and an upgrade
//   npm run rehearse:publishing -- --packed FOLDER     with the files of the first version that scripts/pack.mjs wrote
//
// The packages must be built. Versions are raised in a copy of the repository. The last line is one JSON object.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { ROOT } from './cargo.mjs';
import { published } from './packages/workspaces.mjs';
import { runText } from './processes.mjs';
import { call, withNode } from './rehearsal/first-minutes.mjs';
import { installed } from './rehearsal/installation.mjs';
import { startRegistry } from './rehearsal/registry.mjs';
import { copyRepository, packCopy, raiseVersions } from './rehearsal/release-copy.mjs';
import { continueChains, fixtureImages, makeChains, writeProject } from './rehearsal/upgrade.mjs';

const NODE = process.execPath;

/**
 * @typedef {object} Rehearsal
 * @property {string} folder of everything that it writes
 * @property {string} registry
 * @property {NodeJS.ProcessEnv} publisher the environment of a user who may publish
 * @property {{ folder: string, version: string }} first packed packages of the first version
 * @property {{ folder: string, version: string }} next of the one after it
 */

/**
 * The environment of a user who has only this registry and an empty home of npm.
 *
 * @param {string} folder
 * @param {string} registry
 * @param {string} [token] for a user who may publish
 */
function environmentWith(folder, registry, token) {
  const settings = join(folder, token === undefined ? 'user.npmrc' : 'publisher.npmrc');
  const login = `${registry.replace('http:', '')}:_authToken=${token}\n`;
  writeFileSync(settings, token === undefined ? '' : login);
  // Variables that `npm run` sets would choose another registry.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name));
  return {
    ...Object.fromEntries(inherited),
    XDG_CACHE_HOME: join(folder, 'cache'),
    npm_config_registry: registry,
    npm_config_userconfig: settings,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}

/**
 * @param {Rehearsal} rehearsal
 * @param {string} folder of packed packages
 * @returns {Promise<{ isPublished: boolean, printed: string }>}
 */
async function publish({ registry, publisher }, folder) {
  const script = join(ROOT, 'scripts/publish.mjs');
  const args = [script, folder, '--registry', registry, '--some-platforms'];
  return promisify(execFile)(NODE, args, { env: publisher }).then(
    ({ stdout }) => ({ isPublished: true, printed: stdout }),
    ({ stdout, stderr }) => ({ isPublished: false, printed: `${stdout}${stderr}` }),
  );
}

/**
 * @param {Rehearsal} rehearsal
 * @param {string} name
 * @returns {string} an empty folder of a user
 */
function emptyFolder({ folder }, name) {
  const path = join(folder, 'users', name);
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * @param {string} cwd
 * @param {readonly string[]} args
 * @returns {string} what npm printed
 */
function npm(cwd, ...args) {
  return runText('npm', args, { cwd });
}

/**
 * @param {Rehearsal} rehearsal
 * @param {string} name
 * @returns {Promise<unknown>} the version that an installation by name gets
 */
async function latestVersion({ registry }, name) {
  const response = await fetch(
    new URL(`-/package/${name.replace('/', '%2f')}/dist-tags`, registry),
  );
  return Object(await response.json()).latest;
}

/**
 * Publishes every package, then finds that all of it is there.
 *
 * @param {Rehearsal} rehearsal
 * @param {{ folder: string, version: string }} release
 */
async function publishAll(rehearsal, { folder, version }) {
  const { isPublished, printed } = await publish(rehearsal, folder);
  assert(isPublished, printed);
  const count = readdirSync(folder).filter((name) => name.endsWith('.tgz')).length;
  assert.match(printed, new RegExp(`^${count} published, 0 skipped$`, 'm'));
  for (const name of published().keys()) {
    assert.equal(await latestVersion(rehearsal, name), version);
  }
  const again = await publish(rehearsal, folder);
  assert.match(again.printed, new RegExp(`^0 published, ${count} skipped$`, 'm'));
}

/**
 * Other content under a published version is rejected before anything is published.
 *
 * @param {Rehearsal} rehearsal
 */
async function publishOtherContent(rehearsal) {
  const { folder, first, next } = rehearsal;
  const mixed = join(folder, 'mixed');
  cpSync(next.folder, mixed, { recursive: true });
  const changed = join(folder, 'changed');
  mkdirSync(join(changed, 'package'), { recursive: true });
  const manifest = { name: 'starkbox', version: first.version };
  writeFileSync(join(changed, 'package/package.json'), JSON.stringify(manifest));
  runText('tar', ['-czf', join(mixed, 'changed.tgz'), '-C', changed, 'package']);
  const { printed } = await publish(rehearsal, mixed);
  assert.match(printed, /^starkbox@\S+ is published with other content/m);
  assert.equal(await latestVersion(rehearsal, '@starkbox/engine'), first.version);
}

/**
 * The command, without an installation.
 *
 * @param {Rehearsal} rehearsal
 */
async function useCommand(rehearsal) {
  const { version } = rehearsal.first;
  const cwd = emptyFolder(rehearsal, 'npx');
  const printed = runText('npx', ['--yes', `starkbox@${version}`, '--version'], { cwd });
  assert.equal(printed.trim(), `starkbox ${version}`);
  const isAlive = (/** @type {string} */ url) => call(url, 'starknet_blockNumber', {});
  await withNode(cwd, NODE, isAlive, [], ['--yes', 'starkbox']);
}

/**
 * The test kit in a project, then the next version in the same project: a data directory, an image, a journal and
 * fixtures of the first version are used again.
 *
 * @param {Rehearsal} rehearsal
 */
async function upgrade(rehearsal) {
  const { first, next } = rehearsal;
  const cwd = emptyFolder(rehearsal, 'project');
  const starknet = writeProject(cwd);
  npm(cwd, 'install', '--save-dev', 'starkbox', '@starkbox/testing', starknet);
  assert.equal(installedVersion(cwd), first.version);
  const runTests = () => runText(NODE, ['--test', 'token.test.js'], { cwd });
  runTests();
  assert.equal(fixtureImages(cwd).length, 1);
  const chains = await makeChains(cwd);

  await publishAll(rehearsal, next);
  npm(cwd, 'install', '--save-dev', 'starkbox@latest', '@starkbox/testing@latest');
  assert.equal(installedVersion(cwd), next.version);
  await continueChains(cwd, chains);
  assert.match(runTests(), new RegExp(`prepares the fixture 'token' again: .* ${first.version}`));
  assert.equal(fixtureImages(cwd).length, 2);
  return installed(cwd);
}

/** @param {string} cwd where starkbox is installed */
function installedVersion(cwd) {
  return runText('npx', ['--no-install', 'starkbox', '--version'], { cwd })
    .trim()
    .split(' ')
    .at(-1);
}

/**
 * Packages that users add for one purpose.
 *
 * @param {Rehearsal} rehearsal
 */
async function useOptionalPackages(rehearsal) {
  const cwd = emptyFolder(rehearsal, 'optional');
  const names = ['argent-classes', 'starknet-devnet', 'wallet', 'abi', 'debugger', 'signing'];
  npm(cwd, 'init', '--yes');
  npm(cwd, 'install', 'starkbox', ...names.map((name) => `@starkbox/${name}`));
  const createInstance = async (/** @type {string} */ url) => {
    const { instance_id: id } = await call(url, 'devnet_createInstance', {});
    await call(`${url}/instances/${id}/rpc`, 'devnet_mint', { address: '0x1', amount: 1 });
  };
  const options = ['--predeclare-argent'];
  await withNode(cwd, NODE, createInstance, options, ['--no-install', 'starknet-devnet']);
  const code = `
    const names = ${JSON.stringify(names)}.filter((name) => name !== 'starknet-devnet');
    for (const name of names) {
      const module = await import('@starkbox/' + name);
      if (Object.keys(module).length === 0) throw new Error(name + ' exports nothing');
    }`;
  runText(NODE, ['--input-type=module', '--eval', code], { cwd });
  npm(cwd, 'ls', '--all');
}

/**
 * A new project by `npm create`, and its tests.
 *
 * @param {Rehearsal} rehearsal
 */
function createProject(rehearsal) {
  const cwd = emptyFolder(rehearsal, 'create');
  // On a busy machine, the first test can take longer than the default of vitest.
  const options = { vitest: ['--', '--testTimeout', '120000'], node: [] };
  for (const [runner, unhurried] of Object.entries(options)) {
    npm(cwd, 'create', '--yes', 'starkbox', runner, '--', '--yes', '--runner', runner);
    npm(join(cwd, runner), 'install');
    npm(join(cwd, runner), 'test', ...unhurried);
  }
}

/**
 * The action for workflows, whose scripts install the newest version and start a node.
 *
 * @param {Rehearsal} rehearsal
 */
async function useAction(rehearsal) {
  const cwd = emptyFolder(rehearsal, 'action');
  const [paths, outputs] = ['paths', 'outputs'].map((name) => join(cwd, name));
  const run = (/** @type {string} */ script, /** @type {NodeJS.ProcessEnv} */ variables) =>
    runText('bash', [join(ROOT, 'setup-starkbox', script)], {
      cwd,
      env: {
        ...process.env,
        RUNNER_TEMP: cwd,
        GITHUB_PATH: paths,
        GITHUB_OUTPUT: outputs,
        ...variables,
      },
    });
  run('install.sh', { STARKBOX_ACTION_VERSION: 'latest', STARKBOX_ACTION_PACKAGES: '' });
  const path = `${readFileSync(paths ?? '', 'utf8').trim()}${delimiter}${process.env['PATH']}`;
  const printed = run('start.sh', {
    PATH: path,
    STARKBOX_ACTION_PORT: '0',
    STARKBOX_ACTION_OPTIONS: '--seed 0 --accounts 3',
  });
  const { url = '', pid = '' } = Object.fromEntries(
    printed
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  );
  try {
    const accounts = await call(url, 'devnet_getPredeployedAccounts', {});
    assert.equal(Object.keys(accounts).length, 3);
  } finally {
    process.kill(Number(pid));
  }
}

/**
 * Raises versions in a copy of the repository and packs them, as for the next two releases.
 *
 * @param {string} folder
 * @param {string | undefined} packed where packages of the first version are packed already
 */
function prepareReleases(folder, packed) {
  const copy = join(folder, 'repository');
  copyRepository(copy);
  const first = { folder: packed ?? join(folder, 'first'), version: raiseVersions(copy) };
  assert.equal(first.version, published().get('starkbox')?.manifest.version);
  if (packed === undefined) packCopy(copy, first.folder);
  const next = { folder: join(folder, 'next'), version: raiseVersions(copy, 'patch') };
  packCopy(copy, next.folder);
  // Packages that name each other must not turn it into a major version.
  const [major, minor] = first.version.split('.').map(Number);
  assert.equal(raiseVersions(copy, 'minor'), `${major}.${(minor ?? 0) + 1}.0`);
  return { first, next };
}

async function main() {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, packed: { type: 'string' } },
  });
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-publishing-'));
  const start = performance.now();
  /** @type {Record<string, number>} */
  const seconds = {};
  /** @type {<T>(name: string, use: () => T | Promise<T>) => Promise<T>} */
  const step = async (name, use) => {
    const begin = performance.now();
    const result = await use();
    seconds[name] = Math.round((performance.now() - begin) / 100) / 10;
    console.log(`${name}: works, ${seconds[name]} s`);
    return result;
  };
  const packed = values.packed && resolve(values.packed);
  const releases = await step('versions and packages', () => prepareReleases(folder, packed));
  const { url, token, close } = await startRegistry(join(folder, 'registry'), [
    ...published().keys(),
  ]);
  try {
    const publisher = environmentWith(folder, url, token);
    const rehearsal = { folder, registry: url, publisher, ...releases };
    // Every program from here on is one of a user.
    process.env = environmentWith(folder, url);
    await step('publish', () => publishAll(rehearsal, releases.first));
    await step('other content', () => publishOtherContent(rehearsal));
    await step('npx', () => useCommand(rehearsal));
    if (!values.quick) {
      await step('npm create', () => createProject(rehearsal));
      await step('optional packages', () => useOptionalPackages(rehearsal));
      await step('setup-starkbox', () => useAction(rehearsal));
    }
    const weight = await step('test kit and upgrade', () => upgrade(rehearsal));
    seconds['all'] = Math.round((performance.now() - start) / 100) / 10;
    console.log(JSON.stringify({ passed: true, quick: values.quick, seconds, ...weight }));
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.log(JSON.stringify({ passed: false, quick: values.quick, seconds }));
    return 1;
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
