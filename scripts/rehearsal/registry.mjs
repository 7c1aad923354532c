// A registry of npm on the loopback: Verdaccio, which npm installs once into the user's cache.
//
//   node scripts/rehearsal/registry.mjs            installs it
//   node scripts/rehearsal/registry.mjs FOLDER     serves it by FOLDER/settings.json, and prints its URL
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE, installAsMain, isMain, makeFolder, runText } from '../processes.mjs';
import { linesOf } from './processes.mjs';

/** Later versions need Node 22. */
const VERSION = '6.8.0';
/** One of its parts names a package by a tag, which mirrors of the registry may not have. */
const OVERRIDES = { 'node-fetch': '2.7.0' };

/** The folder of the installation; it exists only when complete. */
const FOLDER = join(CACHE, `verdaccio-${VERSION}`);

/**
 * @typedef {object} Registry
 * @property {string} url
 * @property {string} token of a user who may publish
 * @property {() => Promise<void>} close
 */

function install() {
  if (existsSync(FOLDER)) return;
  console.log('npm installs Verdaccio, once: 56 MB');
  makeFolder(FOLDER, (partial) => {
    mkdirSync(partial, { recursive: true });
    const manifest = {
      private: true,
      dependencies: { verdaccio: VERSION },
      overrides: OVERRIDES,
    };
    writeFileSync(join(partial, 'package.json'), JSON.stringify(manifest));
    const options = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
    runText('npm', ['install', ...options], { cwd: partial });
  });
}

/**
 * Starts a registry that has no packages of ours, and takes others from the registry that npm uses here.
 *
 * @param {string} folder for its storage and its users
 * @param {readonly string[]} names of our packages; those of a scope count as one
 * @returns {Promise<Registry>}
 */
export async function startRegistry(folder, names) {
  install();
  mkdirSync(folder, { recursive: true });
  const upstream = runText('npm', ['config', 'get', 'registry'], { cwd: folder }).trim();
  const scopes = new Set(names.map((name) => name.replace(/\/.*/, '/*')));
  const local = { access: '$all', publish: '$authenticated' };
  const settings = {
    configPath: join(folder, 'settings.json'),
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'users') } },
    uplinks: { upstream: { url: upstream, maxage: '1h', max_fails: 20 } },
    packages: {
      ...Object.fromEntries([...scopes].map((scope) => [scope, local])),
      '**': { access: '$all', proxy: 'upstream' },
    },
    web: { enable: false },
    max_body_size: '500mb',
    log: { type: 'stdout', format: 'json', level: 'error' },
  };
  writeFileSync(settings.configPath, JSON.stringify(settings));
  const program = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await linesOf(child.stdout)((text) => text.startsWith('http://'));
  return {
    url: line,
    token: await tokenOf(line),
    close: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/**
 * Adds a user, as `npm login` does.
 *
 * @param {string} url of the registry
 * @returns {Promise<string>} the token of the user
 */
async function tokenOf(url) {
  const response = await fetch(new URL('-/user/org.couchdb.user:publisher', url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'publisher', password: 'only-on-the-loopback' }),
  });
  const { token } = Object(await response.json());
  if (typeof token !== 'string')
    throw new Error(`no login: the registry returned ${response.status}`);
  return token;
}

/** @param {string} folder */
async function serve(folder) {
  const require = createRequire(join(FOLDER, 'package.json'));
  const settings = JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'));
  const server = await require('verdaccio').runServer(settings);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log(`http://127.0.0.1:${server.address().port}/`);
}

if (isMain(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder !== undefined) await serve(folder);
  else {
    installAsMain('verdaccio', 'let npm reach its registry.', () => {
      install();
      console.log(`Verdaccio is in ${FOLDER}`);
    });
  }
}
