// Bundles of executions of every kind: opened in another process, they give the same explanations and traces.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Transaction } from '@starkbox/engine';
import { METHODS } from '@starkbox/spec';
import type { Client } from '@starkbox/test-support';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { startFixture } from '@starkbox/test-support/fixture';
import { startPair } from '@starkbox/test-support/fork/pair';
import {
  contract,
  hex,
  invokeRequest,
  QUERY_VERSION,
  Sender,
  selector,
} from '@starkbox/test-support/signing';
import { type BundleTarget, type Methods, openBundle } from 'starkbox';
import { describe, expect, test } from 'vitest';
import { classTextWithPlaces } from '../../../../contracts/classes.js';

const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
closeAfterFile(() => rm(folder, { recursive: true }));

const { client, node, sender } = await startFixture({
  blockGenerationOn: 'demand',
  startTime: 1_000,
});
const failures = await sender.deploy(await contract('failures'), ['0x0']);
const counter = await sender.deploy(await contract('counter'), ['0x5']);
const file = 'contracts/src/failing/failures.cairo';
const { class_hash: failuresClass } = await client.call('devnet_addArtifact', {
  artifact: JSON.parse(await classTextWithPlaces('failures')),
  sources: { [file]: await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8') },
});
await client.call('devnet_setLabel', { value: counter, label: 'the counter' });
await client.call('devnet_createBlock');

const FAILING = { to: failures, name: 'assert_plain', calldata: ['0x1'] };
const failingCall = {
  contract_address: failures,
  entry_point_selector: selector('assert_plain'),
  calldata: ['0x1'],
};
const increase = (amount: string) => ({ to: counter, name: 'increase', calldata: [amount] });

type BundleRequest = Methods['devnet_getBundle']['params'];

async function bundleFile(name: string, request: BundleRequest): Promise<string> {
  const { bundle, bytes } = await client.call('devnet_getBundle', request);
  const path = join(folder, `${name}.starkbox-bundle`);
  const content = Buffer.from(bundle, 'base64');
  expect(content.length).toBe(bytes);
  await writeFile(path, content);
  return path;
}

type Question = readonly [method: string, params: unknown];
type Ask = (...question: Question) => Promise<unknown>;

/** Opens a bundle that it is told, and answers the requests of its lines. */
const SCRIPT = `
  import { createInterface } from 'node:readline';
  import { openBundle } from 'starkbox';
  const { chain, target } = await openBundle(process.argv[1]);
  console.log(JSON.stringify(target));
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(await chain.handle(line));
  }
  await chain.close();`;

/** A bundle that is open in a process of its own. */
class BundleProcess implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(path: string) {
    const words = ['--input-type=module', '-e', SCRIPT, path];
    this.#child = spawn(process.execPath, words, { cwd: import.meta.dirname });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  static async open(path: string) {
    const opened = new BundleProcess(path);
    const target: BundleTarget = Object(await opened.#next());
    return { opened, target };
  }

  async #next(): Promise<unknown> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the process ended: ${this.#child.stderr.read()}`);
    return JSON.parse(value);
  }

  readonly ask: Ask = async (method, params) => {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
    const { result, error } = Object(await this.#next());
    return result ?? error;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    await once(this.#child, 'close');
  }
}

/** What the chain itself answers. */
const askChain: Ask = async (method, params) => {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = Object(JSON.parse((await node.handle(request)) ?? ''));
  return result ?? error;
};

/** Steps of a run that are read at once. */
const STEPS = 10_000;
/** Cells of the stack of a run. */
const CELLS = 60_000;

/** A recorded execution without its identity, with a digest of the steps and the stack of each run. */
async function debugTrace(
  ask: Ask,
  target: BundleTarget,
  account: string = sender.account.address,
): Promise<object> {
  const params =
    'transactionHash' in target
      ? { transaction_hash: target.transactionHash }
      : 'call' in target
        ? { call: target.call, block_id: target.blockId }
        : { transactions: target.transactions, block_id: target.blockId };
  const { trace_id, bytes: _bytes, ...trace } = Object(await ask('devnet_openDebugTrace', params));
  if (trace_id === undefined) return trace;
  const digests: string[] = [];
  for (const [run, { step_count, segments, contract_address }] of trace.runs.entries()) {
    const digest = createHash('sha256');
    for (let first = 0; first < step_count; first += STEPS) {
      const range = { trace_id, run, first, count: Math.min(STEPS, step_count - first) };
      digest.update(Object(await ask('devnet_readDebugSteps', range)).registers);
    }
    const count = Math.min(segments[1] ?? 0, CELLS);
    const stack = { trace_id, run, segment: 1, first: 0, count };
    // The check of a signature begins with a random point.
    if (contract_address !== account) {
      digest.update(JSON.stringify(await ask('devnet_readDebugMemory', stack)));
    }
    digests.push(digest.digest('hex'));
  }
  await ask('devnet_closeDebugTrace', { trace_id });
  return { ...trace, digests };
}

/** The answers of a bundle in another process, after they and its debug trace were compared with those of the chain. */
async function compared(path: string, questions: readonly Question[]) {
  const { opened, target } = await BundleProcess.open(path);
  await using process = opened;
  const answers: unknown[] = [];
  for (const question of questions) {
    const answer = await process.ask(...question);
    expect(answer).toEqual(await askChain(...question));
    answers.push(answer);
  }
  const trace = await debugTrace(process.ask, target);
  expect(trace).toEqual(await debugTrace(askChain, target));
  return { target, answers, trace };
}

const questionsOf = (transaction_hash: string): readonly Question[] => [
  ['devnet_explainTransaction', { transaction_hash }],
  ['starknet_traceTransaction', { transaction_hash }],
  ['devnet_executedLines', { transaction_hash }],
];

/** About a class that ran. */
const CLASS_QUESTIONS: readonly Question[] = [
  ['devnet_getDebugClass', { class_hash: failuresClass }],
  ['devnet_getDebugSource', { class_hash: failuresClass, file }],
];

describe('a bundle in another process answers as the chain does', () => {
  test('about transactions in the middle of a block, and about a pending one', async () => {
    const sent: string[] = [];
    for (const call of [increase('0x1'), FAILING, increase('0x2'), increase('0x3')]) {
      sent.push(await sender.invoke([call]));
    }
    await client.call('devnet_createBlock');
    sent.push(await sender.invoke([FAILING]));
    for (const [index, hash] of sent.entries()) {
      const path = await bundleFile(`sent-${index}`, { transaction_hash: hash });
      const isFailing = index === 1 || index === 4;
      const questions = [...questionsOf(hash), ...(isFailing ? CLASS_QUESTIONS : [])];
      const { target, answers, trace } = await compared(path, questions);
      expect(trace).toMatchObject({ digests: expect.any(Array) });
      expect(target).toEqual({ transactionHash: hash });
      expect(Object(answers[0]).text).toMatch(isFailing ? /assert!\(value == 0\)/ : /the counter/);
    }
    await client.call('devnet_createBlock');
  });

  test('about a transaction that validation rejects, by its hash', async () => {
    const request = await sender.invokeRequest([increase('0x1')], { signature: ['0x1', '0x2'] });
    await client.failure('starknet_addInvokeTransaction', [request]);
    const { hash } = new Transaction(request, 'SN_SEPOLIA');
    const path = await bundleFile('refused', { transaction_hash: hash });
    const params = { simulation_flags: [], block_id: 'pre_confirmed', transactions: [request] };
    const question = ['starknet_simulateTransactions', params] as const;
    const { target, answers, trace } = await compared(path, [question]);
    expect(trace).toMatchObject({ digests: expect.any(Array) });
    expect(target).toEqual({ transactions: [request], blockId: 'pre_confirmed' });
    expect(Object(answers[0]).data.explained.text).toMatch(/signature/);
    // After further blocks, it runs on the state that it was refused on.
    await client.call('devnet_createBlock');
    const later = await bundleFile('refused-later', { transaction_hash: hash });
    const { block_number } = await client.call('starknet_blockHashAndNumber');
    const blockId = { block_number: block_number - 1 };
    const again = { ...params, block_id: blockId };
    const opened = await compared(later, [['starknet_simulateTransactions', again]]);
    expect(opened.target).toEqual({ transactions: [request], blockId });
  });

  test('about simulated transactions, which succeed or revert', async () => {
    const nonce = await sender.nonce();
    const transactions = [increase('0x7'), FAILING].map((call, index) =>
      invokeRequest(sender.account, [call], nonce + index, { changes: { version: QUERY_VERSION } }),
    );
    const path = await bundleFile('simulated', { transactions: transactions.map(Object) });
    const simulation = { simulation_flags: [], block_id: 'pre_confirmed', transactions };
    const estimate = { simulation_flags: [], block_id: 'pre_confirmed', request: transactions };
    const { target, answers, trace } = await compared(path, [
      ['starknet_simulateTransactions', simulation],
      ['starknet_estimateFee', estimate],
    ]);
    expect(trace).toMatchObject({ digests: expect.any(Array) });
    expect(target).toEqual({ transactions, blockId: 'pre_confirmed' });
    expect(Object(answers[1]).data.explained.text).toMatch(/assert!\(value == 0\)/);
  });

  test('about view calls, at the latest block, an older one and the pending one', async () => {
    const { block_number } = await client.call('starknet_blockHashAndNumber');
    const get = {
      ...failingCall,
      contract_address: counter,
      entry_point_selector: selector('get'),
    };
    await sender.invoke([increase('0x9')]);
    for (const [at, id] of [
      [{ block_number }, 'latest'],
      [{ block_number: block_number - 2 }, { block_number: block_number - 2 }],
      ['pre_confirmed', undefined],
    ] as const) {
      for (const call of [failingCall, { ...get, calldata: [] }]) {
        const request = { call, ...(id === undefined ? {} : { block_id: id }) };
        const path = await bundleFile('call', request);
        const { target, answers } = await compared(path, [
          ['starknet_call', { request: call, block_id: at }],
        ]);
        expect(target).toEqual({ call, blockId: at });
        expect(answers).toHaveLength(1);
      }
    }
  });
});

test('a bundle has what the start of a block and calls without a transaction wrote before it', async () => {
  await client.call('devnet_createBlock', { count: 12 });
  const { block_number } = await client.call('starknet_blockHashAndNumber');
  const context = await sender.deploy(await contract('context'));
  await client.call('devnet_createBlock');
  // The hash of the newest block that contracts can read, which the start of the block writes.
  const hashed = { to: context, name: 'store_block_hash', calldata: [hex(block_number + 2 - 10)] };
  const write = (value: string) =>
    client.call('devnet_applyStateDiff', {
      state_diff: {
        storage_diffs: [{ address: counter, storage_entries: [{ key: selector('count'), value }] }],
      },
    });
  const sent: string[] = [await sender.invoke([hashed])];
  await write('0x100');
  sent.push(await sender.invoke([increase('0x1')]), await sender.invoke([increase('0x2')]));
  await write('0x200');
  sent.push(await sender.invoke([increase('0x3')]));
  for (const isClosed of [false, true]) {
    if (isClosed) await client.call('devnet_createBlock');
    for (const [index, hash] of sent.entries()) {
      const path = await bundleFile(`written-${index}`, { transaction_hash: hash });
      const { answers, trace } = await compared(path, questionsOf(hash));
      expect(trace).toMatchObject({ digests: expect.any(Array) });
      expect(Object(answers[0]).status).toBe('SUCCEEDED');
    }
  }
});

test('the same execution gives the same bytes, without the blocks before and after it', async () => {
  const hash = await sender.invoke([FAILING]);
  await client.call('devnet_createBlock');
  const { bundle, bytes } = await client.call('devnet_getBundle', { transaction_hash: hash });
  await client.call('devnet_createBlock', { count: 50 });
  expect((await client.call('devnet_getBundle', { transaction_hash: hash })).bundle).toBe(bundle);
  expect(bytes).toBeLessThan(1_500_000);
  const { chain } = await openBundle(await bundleFile('same', { transaction_hash: hash }));
  const { blocks } = await chain.request('devnet_listBlocks', {});
  expect(blocks).toHaveLength(2);
  expect(Buffer.from(bundle, 'base64').includes('"seed"')).toBe(false);
  expect(chain.accounts).toEqual([]);
  await chain.close();
});

describe('a bundle is made', () => {
  test.each([
    ['of a chain in a data directory', () => ({ dataDir: join(folder, 'data') }), 40],
    ['of a chain without older states', () => ({ stateArchive: 'none' }) as const, 0],
  ])('%s', async (_, changes, blocks) => {
    const kept = await startFixture({ ...changes(), blockGenerationOn: 'demand' });
    const target = await kept.sender.deploy(await contract('failures'), ['0x0']);
    await kept.client.call('devnet_createBlock');
    const hash = await kept.sender.invoke([{ ...FAILING, to: target }]);
    const request = { transaction_hash: hash };
    if (blocks > 0) await kept.client.call('devnet_createBlock', { count: blocks });
    const expected = await kept.client.call('devnet_explainTransaction', request);
    const { bundle } = await kept.client.call('devnet_getBundle', request);
    const path = join(folder, 'kept.starkbox-bundle');
    await writeFile(path, Buffer.from(bundle, 'base64'));
    const { chain } = await openBundle(path);
    expect(await chain.request('devnet_explainTransaction', request)).toEqual(expected);
    await chain.close();
    if (blocks > 0) return;
    await kept.client.call('devnet_createBlock', { count: 2 });
    const { message } = await kept.client.failure('devnet_getBundle', request);
    expect(message).toMatch(/The state before block 2 is no longer available/);
  });
});

describe('no bundle is made', () => {
  test.each([
    ['of an unknown transaction', { transaction_hash: '0x1' }, /hash not found/],
    ['of an unknown block', { call: failingCall, block_id: { block_number: 10_000 } }, /Block not/],
    ['of nothing', {}, /Expected one of transaction_hash, call and transactions; got 0/],
  ])('%s', async (_, request, message) => {
    const { message: text, data } = await client.failure('devnet_getBundle', request);
    expect(`${text} ${JSON.stringify(data)}`).toMatch(message);
  });

  test('where the method is restricted', async () => {
    const restricted = await startFixture({ restrictedMethods: ['devnet_getBundle'] });
    const { message } = await restricted.client.failure('devnet_getBundle', {
      transaction_hash: '0x1',
    });
    expect(message).toMatch(/forbidden/);
    expect(METHODS.devnet_getBundle.restricted).toBe(true);
  });

  test('that is longer than an answer may be', async () => {
    const short = await startFixture({ maximumResponseSize: 100_000 });
    const { tx_hash } = await short.client.call('devnet_mint', { address: '0x1', amount: 1 });
    const { message } = await short.client.failure('devnet_getBundle', {
      transaction_hash: tx_hash,
    });
    expect(message).toMatch(/has more than 75000 bytes\. Raise --maximum-response-size/);
  });
});

async function firstSender(nodeClient: Client): Promise<Sender> {
  const [account] = await nodeClient.call('devnet_getPredeployedAccounts', {});
  if (!account) throw new Error('there is no account');
  return new Sender(nodeClient, { address: account.address, privateKey: account.private_key });
}

describe('of a fork', () => {
  test('the bundle holds what the execution reads, and needs no network', async () => {
    let deployed = '';
    await using pair = await startPair(async (origin) => {
      const own = await firstSender(origin.client);
      deployed = await own.deploy(await contract('failures'), ['0x0']);
    });
    const fork = await pair.fork();
    const own = await firstSender(fork.client);
    const hash = await own.invoke([{ ...FAILING, to: deployed }]);
    const request = { transaction_hash: hash };
    const expected = await fork.client.call('devnet_explainTransaction', request);
    const target = { transactionHash: hash };
    const { address } = own.account;
    const trace = await debugTrace(fork.client.ask, target, address);
    const { bundle } = await fork.client.call('devnet_getBundle', request);
    const path = join(folder, 'fork.starkbox-bundle');
    await writeFile(path, Buffer.from(bundle, 'base64'));
    await pair.close();
    const { chain } = await openBundle(path);
    expect(await chain.request('devnet_explainTransaction', request)).toEqual(expected);
    expect(trace).toMatchObject({ digests: expect.any(Array) });
    expect(await debugTrace(chain.requestRaw, target, address)).toEqual(trace);
    const unread = { contract_address: deployed, key: '0x123', block_id: 'latest' };
    await expect(chain.requestRaw('starknet_getStorageAt', unread)).rejects.toThrow(
      /only the values of the forked network that its execution read/,
    );
    await chain.close();
  });
});
