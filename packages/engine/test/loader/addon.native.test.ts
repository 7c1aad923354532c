// Where the addon is looked for, and what is said if there is none.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addon, COMPILER, loadAddon } from '../../js/addon.js';
import { addonFile, PLATFORMS, packageFor } from '../../js/platforms.js';

const ENGINE = fileURLToPath(new URL('../..', import.meta.url));
const [HERE = ''] = Object.keys(PLATFORMS).filter(
  (name) => PLATFORMS[name]?.os === process.platform && PLATFORMS[name]?.cpu === process.arch,
);
const BUILT = join(ENGINE, addonFile(HERE));
const platform = { os: process.platform, cpu: process.arch, addonPath: undefined };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-engine-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The folder of an installed engine, with the package of a platform beside it. */
function installed(platform: string): string {
  const engine = join(folder, 'node_modules/@starkbox/engine');
  const beside = join(folder, 'node_modules', packageFor(platform));
  for (const path of [engine, beside]) mkdirSync(path, { recursive: true });
  writeFileSync(join(beside, 'package.json'), JSON.stringify({ name: packageFor(platform) }));
  return engine;
}

test('in a work tree it is the one that was built there, with its compiler', () => {
  const loaded = loadAddon({ ...platform, folder: ENGINE });
  expect(loaded.path).toBe(BUILT);
  expect(loaded.addon.versions()).toEqual(addon.versions());
  expect(dirname(COMPILER)).toBe(dirname(BUILT));
});

test('an installation takes it from the package of the platform', () => {
  const engine = installed(HERE);
  const path = join(folder, 'node_modules', packageFor(HERE), addonFile(HERE));
  symlinkSync(BUILT, path);
  expect(loadAddon({ ...platform, folder: engine }).path).toBe(BUILT);
});

test.each(Object.entries(PLATFORMS).filter(([, { libc }]) => libc !== 'musl'))(
  'without the package for %s, its name and the command to install it are given',
  (name, { os, cpu }) => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3' }));
    const load = () => loadAddon({ folder, os, cpu, addonPath: undefined });
    expect(load).toThrow(`for ${os} ${cpu} is missing`);
    expect(load).toThrow(`npm install ${packageFor(name)}@1.2.3`);
  },
);

test('a platform without a package is told those that have one', () => {
  const load = () => loadAddon({ folder, os: 'freebsd', cpu: 'x64', addonPath: undefined });
  expect(load).toThrow(/not built for freebsd x64, only for linux-x64-gnu, .*STARKBOX_ENGINE/s);
});

test('a file that is no addon is named with the reason', () => {
  const engine = installed(HERE);
  const path = join(folder, 'node_modules', packageFor(HERE), addonFile(HERE));
  writeFileSync(path, 'no addon');
  expect(() => loadAddon({ ...platform, folder: engine })).toThrow(`${path} cannot be loaded`);
});

test('STARKBOX_ENGINE comes first', async () => {
  const path = join(folder, 'mine.node');
  copyFileSync(BUILT, path);
  const program = `
    import { versions } from '@starkbox/engine';
    const { sharedObjects } = process.report.getReport();
    const addons = sharedObjects.filter((file) => file.endsWith('.node'));
    console.log(JSON.stringify([versions().starknet, addons]));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { cwd: ENGINE, env: { ...process.env, STARKBOX_ENGINE: path } },
  );
  expect(JSON.parse(stdout)).toEqual([addon.versions().starknet, [path]]);
});

test.each(['none.node', 'package.json'])('STARKBOX_ENGINE must name an addon, not %s', (file) => {
  const addonPath = join(ENGINE, file);
  expect(() => loadAddon({ ...platform, folder: ENGINE, addonPath })).toThrow(
    `STARKBOX_ENGINE must be "wasm" or name the file of an addon (*.node), not ${addonPath}`,
  );
});
