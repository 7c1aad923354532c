// Hostile bundles in a process of their own: none ends it, blocks it, takes much memory, connects, or writes elsewhere.

import { type ChildProcess, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startFixture } from '@starkbox/test-support/fixture';
import { startPair } from '@starkbox/test-support/fork/pair';
import { Random } from '@starkbox/test-support/random';
import { SEED } from '@starkbox/test-support/seed';
import { contract, selector } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { classTextWithPlaces } from '../../../../contracts/classes.js';
import { readBundle, writeBundle } from '../../src/bundles/content/format.js';
import { ImageReader } from '../../src/dump/image/format.js';
import { sourceOfBytes } from '../../src/dump/image/source.js';
import { List } from '../../src/immutable.js';
import { packageVersion } from '../../src/node/version.js';
import { Bytes, imageOf, smallWorld, WRITING } from '../dump/image/small.js';
import { type BaseBundle, mutation } from './mutations.js';

const MUTANTS = Number(process.env['TEST_MUTANTS'] ?? 100);
/** Bytes that the process may take at most; a bundle of this size is refused much earlier. */
const MAX_MEMORY = 1_500_000_000;
/** Milliseconds without an answer after which a file counts as blocking. */
const BLOCKED = 120_000;

/** Files of others, their home and their working folder are all below. */
const sandbox = temporaryFolderOfFile();
for (const name of ['home', 'work', 'tmp', 'outside']) mkdirSync(join(sandbox, name));

/** Opens each file that comes on stdin, runs its execution, and says what happened. */
const SCRIPT = `
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import dns from 'node:dns';
import { openBundle } from 'starkbox';
const file = process.argv[1] + '/mutant.starkbox-bundle';
let connections = 0;
net.Socket.prototype.connect = () => { connections += 1; throw new Error('no network'); };
dns.lookup = () => { connections += 1; throw new Error('no network'); };
const ask = async (chain, method, params) => {
  const answer = JSON.parse(await chain.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
  return answer.error?.code === -32603 ? [method + ': ' + JSON.stringify(answer.error)] : [];
};
async function use(bytes) {
  writeFileSync(file, bytes);
  let opened;
  try {
    opened = await openBundle(file);
  } catch (error) {
    return { refused: error.name + ': ' + error.message };
  }
  const { chain, target } = opened;
  const { transactionHash: transaction_hash, call: request, transactions, blockId: block_id = 'pre_confirmed' } = target;
  const internal = [
    ...(await ask(chain, 'starknet_getBlockWithReceipts', { block_id: 'latest' })),
    ...(await ask(chain, 'devnet_listBlocks', {})),
    ...(transaction_hash ? await ask(chain, 'devnet_explainTransaction', { transaction_hash }) : []),
    ...(request ? await ask(chain, 'starknet_call', { request, block_id }) : []),
    ...(transactions ? await ask(chain, 'starknet_simulateTransactions', { transactions, block_id, simulation_flags: [] }) : []),
  ];
  await chain.close();
  return { internal };
}
let waiting = Buffer.alloc(0);
for await (const piece of process.stdin) {
  waiting = Buffer.concat([waiting, piece]);
  while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE()) {
    const end = 4 + waiting.readUInt32LE();
    const outcome = await use(waiting.subarray(4, end));
    waiting = waiting.subarray(end);
    console.log(JSON.stringify({ ...outcome, connections, rss: process.resourceUsage().maxRSS * 1024 }));
  }
}
`;

interface Outcome {
  readonly refused?: string;
  readonly internal?: readonly string[];
  readonly connections: number;
  readonly rss: number;
}

function startProcess(): ChildProcess {
  const words = [
    '--input-type=module',
    '--max-old-space-size=700',
    '-e',
    SCRIPT,
    join(sandbox, 'work'),
  ];
  return spawn(process.execPath, words, {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: join(sandbox, 'home'), TMPDIR: join(sandbox, 'tmp') },
  });
}

/** Every file below a folder, with size and time. */
function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { size, mtimeMs, mode } = lstatSync(join(folder, name));
      return `${name} ${mode} ${size} ${mtimeMs}`;
    });
}

const version = packageVersion();

function partsOf(file: Buffer): BaseBundle {
  const { subject, start, artifacts, reads = [], image } = readBundle(sourceOfBytes(file), version);
  const reader = new ImageReader(sourceOfBytes(image));
  reader.begin();
  const next = (): Buffer => {
    reader.next();
    return Buffer.concat([...reader.pieces(64)]);
  };
  const moment: unknown = JSON.parse(next().toString());
  const [blocks, state] = [next(), next()];
  const records = { subject: start ? [subject, start] : [subject], artifacts, reads };
  return { file, image: Buffer.from(image), records, moment, blocks, state };
}

/** The bundle of a reverted transaction with debug information. */
async function withDebugInfo(): Promise<Buffer> {
  const { client, sender } = await startFixture();
  const failures = await sender.deploy(await contract('failures'), ['0x0']);
  const source = 'contracts/src/failing/failures.cairo';
  await client.call('devnet_addArtifact', {
    artifact: JSON.parse(await classTextWithPlaces('failures')),
    sources: { [source]: readFileSync(new URL(`../../../../${source}`, import.meta.url), 'utf8') },
  });
  const hash = await sender.invoke([{ to: failures, name: 'assert_plain', calldata: ['0x1'] }]);
  const { bundle } = await client.call('devnet_getBundle', { transaction_hash: hash });
  return Buffer.from(bundle, 'base64');
}

/** The bundle of a transaction of a fork. */
async function ofFork(): Promise<Buffer> {
  await using pair = await startPair();
  const { client } = await pair.fork();
  const { tx_hash } = await client.call('devnet_mint', { address: '0x1', amount: 1 });
  const { bundle } = await client.call('devnet_getBundle', { transaction_hash: tx_hash });
  return Buffer.from(bundle, 'base64');
}

/** A bundle of a few hundred bytes, whose changes meet its structure more often. */
async function small(file: Buffer): Promise<Buffer> {
  const { header, artifacts } = readBundle(sourceOfBytes(file), version);
  const world = { ...(await smallWorld()), journal: List<string>() };
  const image = await imageOf(world, { ...WRITING, keepsJournal: false });
  const call = { contract_address: '0xa', entry_point_selector: selector('get'), calldata: [] };
  const sink = new Bytes();
  const first = artifacts.slice(0, 1).map(({ class_hash }) => ({
    class_hash,
    debug_info: '{"user_func_names":[[0,"f"]],"annotations":{}}',
    sources: { 'a.cairo': 'fn f() {}' },
  }));
  const subject = { call, block_id: 'latest' } as const;
  const diff = JSON.stringify({
    storage_diffs: [{ address: '0xa', storage_entries: [{ key: '0x1', value: '0x3' }] }],
    nonces: [],
    deployed_contracts: [],
    replaced_classes: [],
    declared_classes: [],
    deprecated_declared_classes: [],
  });
  const start = { block: 2, index: 0, diff };
  await writeBundle({ header, subject, start, image, artifacts: first, reads: [] }, sink);
  return sink.all();
}

test('hostile bundles are refused or opened, and do nothing else', {
  timeout: 4 * 3_600_000,
}, async () => {
  const random = new Random(SEED);
  const debugged = await withDebugInfo();
  const bases = [debugged, await ofFork(), await small(debugged)].map(partsOf);
  const child = startProcess();
  if (!child.stdin || !child.stdout) throw new Error('the process has no streams');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const outcomeOf = async (file: Buffer): Promise<Outcome> => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(file.length);
    child.stdin?.write(length);
    child.stdin?.write(file);
    const blocked = setTimeout(() => child.kill('SIGKILL'), BLOCKED);
    const line = await lines.next();
    clearTimeout(blocked);
    if (line.done) throw new Error('the process ended');
    return Object(JSON.parse(line.value));
  };
  try {
    // The caches of the first start are there afterwards.
    for (const { file } of bases) expect(await outcomeOf(file)).toMatchObject({ internal: [] });
    const before = listing(sandbox);
    const counts: Record<string, { opened: number; refused: number }> = {};
    const problems: unknown[] = [];
    let last: Outcome | undefined;
    for (let index = 0; index < MUTANTS; index += 1) {
      // Most of them are small, and take less time.
      const base = bases[random.pick([0, 1, 2, 2, 2, 2, 2, 2])];
      if (!base) throw new Error('there is no such bundle');
      const { kind, file } = mutation(base, random);
      const outcome = await outcomeOf(file).catch((error: unknown) => {
        throw new Error(`mutant ${index} of seed ${SEED} (${kind}): ${error}`);
      });
      const count = counts[kind] ?? { opened: 0, refused: 0 };
      counts[kind] = count;
      if (outcome.refused === undefined) count.opened += 1;
      else count.refused += 1;
      const isProblem =
        (outcome.internal?.length ?? 0) > 0 ||
        (outcome.refused !== undefined && !/^BundleError: /.test(outcome.refused));
      if (isProblem) problems.push({ index, kind, ...outcome });
      last = outcome;
    }
    if (process.env['TEST_MUTANTS'] !== undefined) console.log({ counts, last });
    expect(problems).toEqual([]);
    expect(last?.connections).toBe(0);
    expect(last?.rss).toBeLessThan(MAX_MEMORY);
    // Caches of the compiler are files named after hashes.
    const own =
      /^(work\/mutant\.starkbox-bundle|home\/\.cache\/starkbox\/casm\/[\d.]+(\/0x[0-9a-f]+\.[a-z.]+)?) /;
    const others = (files: readonly string[]) => files.filter((line) => !own.test(line));
    expect(others(listing(sandbox))).toEqual(others(before));
    for (const { opened, refused } of Object.values(counts))
      expect(opened + refused).toBeGreaterThan(0);
  } finally {
    child.kill('SIGKILL');
  }
});
