// Packages as they are published, each in a folder: with licence, page and facts, the engine divided by platforms.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  addonFile,
  compilerFile,
  PLATFORMS,
  packageFor,
  WASM_PACKAGE,
} from '../../packages/engine/dist/platforms.js';
import { NOTICE, readParts } from '../bundle/third-party.mjs';
import { ENGINE, ROOT } from '../cargo.mjs';
import { runText } from '../processes.mjs';
import { checkLicences } from './contents.mjs';
import { cratesNotice, cratesOf } from './crates.mjs';
import { reachedTypes } from './declarations.mjs';
import { entriesOf, INTERNAL_ENTRIES, manifestIn, published } from './workspaces.mjs';

export const ENGINE_NAME = '@starkbox/engine';
/** What scripts/packages/cross-engine.mjs has built: a folder for each platform, because compilers have the same name. */
export const CROSS_ENGINES = join(ROOT, 'engines');

/** @typedef {import('./workspaces.mjs').Manifest} Manifest */

/**
 * @param {readonly string[]} names of our packages
 * @returns {string[]} these, and those of ours that they depend on
 */
export function withDependencies(names) {
  const all = published();
  const selected = new Set(names);
  // A set goes on to what is added while it is read.
  for (const name of selected) {
    const needed = Object.keys(all.get(name)?.manifest.dependencies ?? {});
    for (const dependency of needed) if (all.has(dependency)) selected.add(dependency);
  }
  return [...selected];
}

/**
 * The engines that are built in this work tree.
 *
 * @param {boolean} [withCross] whether also those of scripts/packages/cross-engine.mjs, which come before others
 * @returns {Map<string, string>} their folders, by platform
 */
export function builtEngines(withCross = false) {
  /** @type {Map<string, string>} */
  const engines = new Map();
  for (const platform of Object.keys(PLATFORMS)) {
    const folders = withCross ? [join(CROSS_ENGINES, platform), ENGINE] : [ENGINE];
    const folder = folders.find((candidate) => existsSync(join(candidate, addonFile(platform))));
    if (folder !== undefined) engines.set(platform, folder);
  }
  return engines;
}

/**
 * The files that npm would publish.
 *
 * @param {readonly string[]} names of our packages
 * @returns {Map<string, string[]>} paths by the name of the package
 */
function filesOf(names) {
  // Without a name, npm would pack the repository.
  if (names.length === 0) return new Map();
  const workspaces = names.flatMap((name) => ['--workspace', name]);
  return packedFiles(npm(['pack', '--dry-run', '--json', '--ignore-scripts', ...workspaces], ROOT));
}

/**
 * @param {string} output of `npm pack --json`
 * @returns {Map<string, string[]>} paths by the name of the package
 */
function packedFiles(output) {
  /** @type {Record<string, { name: string, files: { path: string }[] }>} an array, or by name since npm 12 */
  const listed = JSON.parse(output);
  return new Map(
    Object.values(listed).map(({ name, files }) => [name, files.map(({ path }) => path)]),
  );
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {string} what it printed
 */
export function npm(args, cwd) {
  // On Windows, npm is no program that can be started without a shell.
  const script = process.env['npm_execpath'];
  const [command, ...first] = script === undefined ? ['npm'] : [process.execPath, script];
  return runText(command ?? 'npm', [...first, ...args], { cwd });
}

/**
 * Writes a package into a folder.
 *
 * @param {string} folder
 * @param {Manifest} manifest
 * @param {readonly string[]} files
 * @param {string} source the folder that the files are copied from
 */
function write(folder, manifest, files, source) {
  for (const path of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(source, path), join(folder, path));
  }
  const licence = join(folder, 'LICENSE');
  if (!existsSync(licence)) copyFileSync(join(ROOT, 'LICENSE'), licence);
  const page = join(folder, 'README.md');
  if (manifest.name === 'starkbox') copyFileSync(join(ROOT, 'README.md'), page);
  else if (!existsSync(page)) writeFileSync(page, pageOf(manifest));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * @param {Manifest} manifest
 * @returns {string}
 */
function pageOf({ name, description, homepage }) {
  return `# ${name}\n\n${description}\n\nA part of [Starkbox](${homepage}), a local Starknet for developers.\n`;
}

/**
 * The manifest as it is published.
 *
 * @param {Manifest} manifest
 * @returns {Manifest}
 */
function publishedManifest({ scripts: _, devDependencies: __, ...manifest }) {
  const internal = INTERNAL_ENTRIES[manifest.name] ?? [];
  for (const [entry, conditions] of entriesOf(manifest)) {
    if (internal.includes(entry)) delete conditions.types;
  }
  const { version, peerDependencies: peers = {} } = manifest;
  // The sources name no version of a peer of ours: Changesets makes a major version of each that leaves a range.
  for (const name of published().keys()) if (peers[name]) peers[name] = version;
  if (manifest.name !== ENGINE_NAME) return manifest;
  const platforms = Object.keys(PLATFORMS).map((name) => [packageFor(name), version]);
  return { ...manifest, optionalDependencies: Object.fromEntries(platforms) };
}

/**
 * The manifest of the package with the addon and the compiler for a platform.
 *
 * @param {string} platform
 * @returns {Manifest}
 */
export function platformManifest(platform) {
  const facts = PLATFORMS[platform];
  if (facts === undefined) throw new Error(`unknown platform ${platform}`);
  const { version, license, repository, homepage, bugs, engines, publishConfig } =
    manifestIn(ENGINE);
  return {
    name: packageFor(platform),
    version,
    description: `The engine of Starkbox for ${platform}; @starkbox/engine depends on it.`,
    license,
    repository,
    homepage,
    bugs,
    engines,
    type: 'commonjs',
    os: [facts.os],
    cpu: [facts.cpu],
    ...(facts.libc === undefined ? {} : { libc: [facts.libc] }),
    main: addonFile(platform),
    files: [addonFile(platform), compilerFile(facts.os), NOTICE],
    preferUnplugged: true,
    publishConfig,
  };
}

/**
 * @param {readonly string[]} files of the package with the WebAssembly engine
 * @returns {ReturnType<typeof cratesOf>}
 */
function wasmCrates(files) {
  if (!files.includes('engine.wasm'))
    throw new Error('engine.wasm is not built: run npm run build:engine:wasm');
  return cratesOf('wasm32-wasip1');
}

/**
 * Classes of other authors in a package.
 *
 * @param {string} folder of the package
 * @returns {import('../bundle/third-party.mjs').Part[]}
 */
function classesIn(folder) {
  const index = join(folder, 'classes', 'index.json');
  if (!existsSync(index)) return [];
  /** @type {{ classes: { name: string, class_hash: string, licence: string }[] }} */
  const { classes } = JSON.parse(readFileSync(index, 'utf8'));
  return classes.map(({ name, class_hash, licence }) => ({ name, version: class_hash, licence }));
}

/**
 * Writes packages as they are published, without declarations that no entry reaches.
 *
 * @param {string} folder where each gets a folder
 * @param {readonly string[]} names of our packages
 * @param {ReadonlyMap<string, string>} [engines] folders of those that become packages, by platform; none unless given
 * @returns {string[]} their folders
 */
export function stage(folder, names, engines = new Map()) {
  const all = published();
  const binaries = Object.keys(PLATFORMS).flatMap((name) => [
    addonFile(name),
    compilerFile(PLATFORMS[name]?.os ?? ''),
  ]);
  const staged = [...filesOf(names)].map(([name, files]) => {
    const { folder: source, manifest } = all.get(name) ?? {};
    if (source === undefined || manifest === undefined) throw new Error(`unknown package ${name}`);
    const target = join(folder, name);
    const { files: types } = reachedTypes(source);
    const needed = files.filter((path) => !binaries.includes(path) && !path.endsWith('.d.ts'));
    write(target, publishedManifest(manifest), needed, source);
    for (const [path, text] of types) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      writeFileSync(join(target, path), text);
    }
    const bundles = ['bundle', 'mcp', 'debug-adapter'].map((part) => join(source, 'dist', part));
    const packages = bundles.flatMap(readParts);
    const crates = name === WASM_PACKAGE ? wasmCrates(files) : [];
    if (crates.length > 0) writeFileSync(join(target, NOTICE), cratesNotice(crates));
    checkLicences(name, [...packages, ...crates, ...classesIn(source)]);
    return target;
  });
  const platforms = [...engines].map(([platform, source]) => {
    const manifest = platformManifest(platform);
    const target = join(folder, manifest.name);
    const { os = '', target: triple = '' } = PLATFORMS[platform] ?? {};
    write(target, manifest, [addonFile(platform), compilerFile(os)], source);
    const crates = cratesOf(triple);
    writeFileSync(join(target, NOTICE), cratesNotice(crates));
    checkLicences(manifest.name, crates);
    return target;
  });
  return [...staged, ...platforms];
}
