// The README and the guide do what they say: their code is run as it stands there.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Class } from '@starkbox/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNode } from '../../src/index.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PORT = 5050;

/** The code of a language under a heading, or of the whole page. */
async function blocks(page: string, language: string, heading?: string): Promise<string[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  const sections = text.split(/^## /m);
  const section = heading === undefined ? text : sections.find((one) => one.startsWith(heading));
  const found = section?.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')) ?? [];
  return [...found].map(([, code = '']) => code);
}

async function block(language: string, heading: string): Promise<string> {
  const found = await blocks('README.md', language, heading);
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

let folder: string;
let node: ChildProcess;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starkbox-readme-'));
  // Where the pages say to install: packages as they are here.
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['starknet', 'starkbox', 'ws']) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }

  const command = await block('sh', 'First transaction');
  const { PATH = '', HOME = '' } = process.env;
  // A developer's own node may have the port; then all that changes is the port.
  const port = (await isFree(PORT)) ? {} : { PORT: '0' };
  // A group of its own, because a shell and npx stand between us and the node.
  const options = { cwd: ROOT, shell: true, detached: true, env: { PATH, HOME, ...port } };
  const child = spawn(command, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  node = child;
  let said = '';
  url = await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the node ended: ${said}`)));
    child.stderr.on('data', (part) => {
      said += part;
      const listening = /listening on (\S+)\n/.exec(said)?.[1];
      if (listening !== undefined) resolve(listening);
    });
  });
});

afterAll(async () => {
  if (node?.pid !== undefined && node.exitCode === null) {
    const ended = once(node, 'exit');
    process.kill(-node.pid, 'SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true });
});

/** Runs a script in the folder; what it printed. */
async function run(code: string, at = url): Promise<{ stdout: string; stderr: string }> {
  const ours = code.replaceAll(`127.0.0.1:${PORT}`, new URL(at).host);
  await writeFile(join(folder, 'first.mjs'), ours);
  return promisify(execFile)(process.execPath, ['first.mjs'], { cwd: folder });
}

test('the first transaction takes less than fifteen lines and prints what is promised', async () => {
  const code = await block('js', 'First transaction');
  expect(code.split('\n').length - 1).toBeLessThan(15);
  const stdout = await block('text', 'First transaction');
  expect(await run(code)).toEqual({ stdout, stderr: '' });
});

test('the guide continues from there', async () => {
  const [copy = ''] = await blocks('docs/getting-started.md', 'sh');
  expect(copy).toContain('STARKBOX');
  const command = copy.replaceAll('STARKBOX', ROOT);
  await promisify(execFile)('sh', ['-c', command], { cwd: folder });

  const first = await block('js', 'First transaction');
  const guide = await blocks('docs/getting-started.md', 'js');
  expect(guide).not.toEqual([]);
  const { stdout, stderr } = await run([first, ...guide].join('\n'));
  const [, ...rest] = stdout.split(/(?<=\n)/);
  expect(rest).toEqual(await blocks('docs/getting-started.md', 'text'));
  expect(stderr).toBe('');
});

test('the CASM beside the contract of the guide is what its Sierra class compiles to', async () => {
  const stored = (kind: string): Promise<string> =>
    readFile(join(ROOT, `contracts/cairo/counter.${kind}.json`), 'utf8');
  const casm = await (await Class.compile(await stored('sierra'))).casm();
  expect(JSON.parse(await stored('casm'))).toEqual(JSON.parse(casm));
});

test('the page of subscriptions receives a block', async () => {
  const own = await createNode({ seed: 0, port: 0 });
  try {
    const [code = ''] = await blocks('docs/subscriptions.md', 'js');
    const [stdout] = await blocks('docs/subscriptions.md', 'text');
    expect(await run(code, (await own.listen()).url)).toEqual({ stdout, stderr: '' });
  } finally {
    await own.close();
  }
});

test('a node in a test needs no port', async () => {
  const { stdout, stderr } = await run(await block('js', 'In a test'));
  expect({ stdout, stderr }).toEqual({ stdout: "{ amount: '1000', unit: 'FRI' }\n", stderr: '' });
});

test('the page names the starknet.js that our tests use', async () => {
  const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  expect(text).toContain(`npm install starknet@${devDependencies.starknet}\``);
});
