// A fixture that several processes ask for at the same time, one of which may be killed.
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { packageVersion } from '../../starkbox/src/node/version.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const COUNTER = join(ROOT, 'contracts/cairo/counter.sierra.json');

/** Says that it is there, waits for the start, and prints what it got. */
const WORKER = `
  import { appendFileSync, existsSync } from 'node:fs';
  import { setTimeout as delay } from 'node:timers/promises';
  import { fixture } from '@starkbox/testing';
  const [folder, artifact] = process.argv.slice(1);
  const say = (word) => appendFileSync(folder + '/said', word + ' ' + process.pid + '\\n');
  const until = async (name) => {
    while (!existsSync(folder + '/' + name)) await delay(5);
  };
  const counters = fixture('counters', async (chain) => {
    say('executes');
    if (existsSync(folder + '/hold')) await until('never');
    const { address } = await chain.deployContract(artifact, [5]);
    return { address };
  }, { artifacts: [artifact], cacheDir: folder + '/cache' });
  say('ready');
  await until('start');
  const { chain, data } = await counters.branch();
  const counter = await chain.contractAt(data.address);
  console.log(data.address, counters.executions, await counter.call('get'));
  await counters.close();
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starkbox-fixture-processes-'));
  appendFileSync(join(folder, 'said'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

const touch = (name: string): void => appendFileSync(join(folder, name), '');
const said = (word: string): readonly number[] =>
  readFileSync(join(folder, 'said'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => Number(line.split(' ')[1]));

function worker() {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', WORKER, '--', folder, COUNTER],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return { child, printed: text(child.stdout), errors: text(child.stderr) };
}

test('of processes that start at once, one executes it; when that one is killed, another does', async () => {
  const workers = Array.from({ length: 4 }, worker);
  await vi.waitUntil(() => said('ready').length === workers.length, { timeout: 60_000 });
  touch('hold');
  touch('start');
  await vi.waitUntil(() => said('executes').length > 0, { timeout: 60_000 });
  const [holder] = said('executes');
  rmSync(join(folder, 'hold'));
  workers.find(({ child }) => child.pid === holder)?.child.kill('SIGKILL');

  const printed = await Promise.all(workers.map((worker) => worker.printed));
  const [address] = printed.find((line) => line !== '')?.split(' ') ?? [];
  expect(printed.toSorted()).toEqual([
    '',
    `${address} 0 5n\n`,
    `${address} 0 5n\n`,
    `${address} 1 5n\n`,
  ]);
  expect(said('executes')).toHaveLength(2);
  // Nothing of the killed process is left.
  const kinds = readdirSync(join(folder, 'cache')).map((name) => name.split('.').at(-1));
  expect(kinds.toSorted()).toEqual(['image', 'json', 'lock']);
});

test('after an upgrade it is prepared again, and the line names both versions', async () => {
  touch('start');
  const first = worker();
  expect(await first.printed).toMatch(/^0x[0-9a-f]+ 1 5n$/m);
  expect(await first.errors).toBe('');
  // The names of files have a hash, which another version changes.
  const cache = join(folder, 'cache');
  for (const file of readdirSync(cache)) {
    const older = join(cache, file.replace('counters-', 'counters-0'));
    renameSync(join(cache, file), older);
    if (!file.endsWith('.json')) continue;
    const entry: unknown = JSON.parse(readFileSync(older, 'utf8'));
    writeFileSync(older, JSON.stringify({ ...Object(entry), version: '0.0.9' }));
  }
  const second = worker();
  expect(await second.printed).toMatch(/^0x[0-9a-f]+ 1 5n$/m);
  expect(await second.errors).toBe(
    `starkbox ${packageVersion()} prepares the fixture 'counters' again: its saved chain is from 0.0.9.\n`,
  );
});
