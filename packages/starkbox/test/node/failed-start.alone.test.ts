// Failed starts: whichever step fails, nothing that the node opened stays open.
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { listen } from '@starkbox/test-support/listen';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/options.js';
import type { LocalChain } from '../../src/library/local-chain.js';
import { silentLog } from '../../src/log.js';
import { LISTEN_STEPS, Lifecycle, START_STEPS, type Step } from '../../src/node/lifecycle.js';
import { createChain } from '../../src/node/node.js';
import { startNode } from '../../src/node/start.js';

const folder = temporaryFolderOfFile();
const path = (name: string): string => join(folder, name);
/** Nothing listens on it: connections are refused at once. */
const NOWHERE = 'http://127.0.0.1:9';

/** What this process has open: files by path, sockets and pipes by kind, and timers. */
function openThings(): readonly string[] {
  const files = readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`).replace(/\[\d+\]/, '')];
    } catch {
      return []; // the descriptor of this very listing
    }
  });
  return [...files, ...process.getActiveResourcesInfo()].sort();
}

/** Processes whose parent is this one. */
function children(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return parent === process.pid ? [stat.slice(0, 60)] : [];
      } catch {
        return []; // ended meanwhile
      }
    });
}

/** Every part that a node can have, all of which work. */
function everything(): ConfigInput {
  return {
    port: 0,
    accounts: 1,
    dataDir: path('data'),
    dumpPath: path('image.dump'),
    dumpOn: 'exit',
    dumpFormat: 'image',
    metricsHost: '127.0.0.1',
    metricsPort: 0,
    blockGenerationOn: 3600,
  };
}

async function withListener<T>(run: (port: number) => Promise<T>): Promise<T> {
  const server = createServer();
  const port = await listen(server);
  try {
    return await run(port);
  } finally {
    server.close();
    await once(server, 'close');
  }
}

/** A start that ends at a step: by its own doing, or because the test throws just before it. */
function failingAt(step: Step): Promise<LocalChain> {
  const lifecycle = new Lifecycle(silentLog, (name) => {
    if (name === step) throw new Error(`planted at ${step}`);
  });
  return startNode(everything(), {}, lifecycle);
}

let before: readonly string[];

/** Waits until nothing is open that was not open before, if that ever happens. */
async function settled(): Promise<readonly string[]> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    if (openThings().join() === before.join()) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return openThings();
}

/** Nothing new is open, and everything that a node would need can be opened again at once. */
async function expectNothingOpen(): Promise<void> {
  expect(children()).toEqual([]);
  expect(await settled()).toEqual(before);
  const again = await createChain(everything());
  await again.listen();
  await again.close();
  expect(await settled()).toEqual(before);
}

beforeAll(async () => {
  // Until nothing more is opened once in a process, such as the engine's threads and its files.
  do {
    before = openThings();
    const node = await createChain(everything());
    await node.listen();
    await node.close();
  } while ((await settled()).join() !== before.join());
});

test('a node that was closed leaves nothing open', async () => {
  await expectNothingOpen();
});

describe('a failure planted before the step', () => {
  test.each(START_STEPS)('%s', async (step) => {
    await expect(failingAt(step)).rejects.toThrow(`planted at ${step}`);
    await expectNothingOpen();
  });

  test.each(LISTEN_STEPS)('%s', async (step) => {
    const node = await failingAt(step);
    await expect(node.listen()).rejects.toThrow(`planted at ${step}`);
    await node.close();
    await expectNothingOpen();
  });
});

type Cause = readonly [step: Step, error: string | RegExp, fail: () => Promise<LocalChain>];

function fails(input: ConfigInput, isWithStore = true): () => Promise<LocalChain> {
  const { dataDir, ...rest } = everything();
  return () => createChain({ ...rest, ...(isWithStore ? { dataDir } : {}), ...input });
}

/** Steps that fail for reasons that users meet. */
const CAUSES: readonly Cause[] = [
  ['options', "invalid value '1.5'", fails({ accounts: 1.5 })],
  ['data directory', 'in use', () => whileHeld()],
  ['checks', '--proof-mode full', fails({ proofMode: 'full' })],
  ['checks', '--dump-path', fails({ dumpPath: '/proc/nowhere/dump' })],
  ['origin', '127.0.0.1:9', fails({ forkNetwork: NOWHERE, forkTimeout: 1 }, false)],
  ['genesis', 'does not exist', () => withoutClass()],
  ['dump file', 'Failed to load', () => withBrokenDump()],
  ['L1', '127.0.0.1:9', fails({ l1: NOWHERE })],
  ['L1', '127.0.0.1:9', () => withSilentAnvil()],
];

async function whileHeld(): Promise<LocalChain> {
  const holder = await createChain(everything());
  try {
    return await createChain(everything());
  } finally {
    await holder.close();
  }
}

function withoutClass(): Promise<LocalChain> {
  // The chain before has dumped at its end, with the default class.
  rmSync(path('image.dump'), { force: true });
  return fails({ accountClassCustom: path('none.json') }, false)();
}

function withBrokenDump(): Promise<LocalChain> {
  writeFileSync(path('broken.dump'), '[{');
  return fails({ dumpPath: path('broken.dump') }, false)();
}

/** An Anvil that starts, but does not answer: its process has to be ended. */
async function withSilentAnvil(): Promise<LocalChain> {
  const bin = path('bin');
  mkdirSync(bin, { recursive: true });
  const script =
    '#!/bin/sh\n[ "$1" = --version ] && exit\necho Listening on 127.0.0.1:9\nexec sleep 600\n';
  writeFileSync(join(bin, 'anvil'), script);
  chmodSync(join(bin, 'anvil'), 0o755);
  const usual = process.env['PATH'];
  process.env['PATH'] = `${bin}:${usual}`;
  try {
    return await fails({ l1: 'anvil' })();
  } finally {
    process.env['PATH'] = usual;
  }
}

describe('a start that fails', () => {
  test.each(CAUSES)('at the step %s: %s', async (_, error, fail) => {
    await expect(fail()).rejects.toThrow(error);
    await expectNothingOpen();
  });

  test('writes no dump', async () => {
    rmSync(path('image.dump'), { force: true });
    await expect(fails({ l1: NOWHERE })()).rejects.toThrow();
    expect(readdirSync(folder)).not.toContain('image.dump');
  });

  test('reports its own error, not one of closing', async () => {
    const lifecycle = new Lifecycle(silentLog, (step) => {
      if (step !== 'telemetry') return;
      lifecycle.push({ close: () => Promise.reject(new Error('cannot close')) });
      throw new Error('cannot open');
    });
    await expect(startNode(everything(), {}, lifecycle)).rejects.toThrow('cannot open');
    await expectNothingOpen();
  });
});

describe('a port that is taken', () => {
  test.each([['port'], ['metricsPort']])(
    '%s: listening fails and can be tried again',
    async (key) => {
      const node = await withListener(async (takenPort) => {
        const node = await createChain({ ...everything(), [key]: takenPort });
        await expect(node.listen()).rejects.toThrow(/EADDRINUSE|cannot serve metrics/);
        return node;
      });
      const { url } = await node.listen();
      expect((await fetch(`${url}/is_alive`, { headers: { connection: 'close' } })).status).toBe(
        200,
      );
      await node.close();
      await expect(node.listen()).rejects.toThrow('The node is closed');
      await expectNothingOpen();
    },
  );
});

test('closing twice is closing once, also while the node opens its port', async () => {
  const node = await createChain(everything());
  const listening = node.listen();
  const closing = node.close();
  expect(node.close()).toBe(closing);
  await Promise.all([listening, closing]);
  await expectNothingOpen();
});

test('parts are stopped first, then closed in reverse order, whatever fails', async () => {
  const steps: string[] = [];
  const part = (name: string, error?: string) => ({
    stop: () => void steps.push(`stop ${name}`),
    async close() {
      steps.push(`close ${name}`);
      if (error !== undefined) throw new Error(error);
    },
  });
  const lifecycle = new Lifecycle(silentLog);
  lifecycle.push(part('a', 'second'), part('b', 'first'), part('c'));
  await expect(lifecycle.close()).rejects.toThrow('first');
  expect(steps.join(', ')).toBe('stop c, stop b, stop a, close c, close b, close a');
});
