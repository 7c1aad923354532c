// Benchmark of a test suite: chains in the process with fixtures, against a spawned node that is set up for each test.
//
//   npm run bench:test-suites              200 tests of each, and one with the waits of starknet.js as they are
//   npm run bench:test-suites -- --quick   20 tests in the process, 2 with a spawned node
//
// Each test begins with 10 contracts and sends 3 transactions. Prints each figure with its bound, then one line of
// JSON. Exits 1 if a bound is broken.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixture } from '@starkbox/testing';
import { Account, Contract, json, logger, RpcProvider } from 'starknet';
import { Figures } from '../figures.js';
import { COMMAND, CONTRACTS } from '../repository.js';

const quick = process.argv.includes('--quick');
const OURS = quick ? 20 : 200;
const USUAL = quick ? 2 : 200;
const COUNTERS = 10;
const TRANSACTIONS = 3;
/** Milliseconds between polls; suites that care set it, because 5 s is the default of starknet.js. */
const RETRY = 50;
const ARTIFACT = fileURLToPath(new URL('cairo/counter', CONTRACTS));

const figures = new Figures({ gain: { atLeast: quick ? 3 : 10 } }, { quick });

/** Deployed once, and kept on disk for later runs. */
const countersIn = (cacheDir: string) =>
  fixture(
    'ten counters',
    async (chain) => {
      const addresses: string[] = [];
      for (let index = 0; index < COUNTERS; index += 1) {
        addresses.push((await chain.deployContract(`${ARTIFACT}.sierra.json`, [index])).address);
      }
      return { addresses };
    },
    { artifacts: [`${ARTIFACT}.sierra.json`], cacheDir },
  );

/** Seconds of all tests, the fixture included. */
async function inProcess(cacheDir: string): Promise<{ seconds: number; executions: number }> {
  const counters = countersIn(cacheDir);
  const begin = performance.now();
  for (let test = 0; test < OURS; test += 1) {
    const { chain, data } = await counters.branch();
    for (let index = 0; index < TRANSACTIONS; index += 1) {
      const which = (test + index) % COUNTERS;
      const counter = await chain.contractAt(data.addresses[which] ?? '');
      const { transaction_hash } = await counter.invoke('increase', [1]);
      const receipt = await chain.provider.waitForTransaction(transaction_hash);
      if (!receipt.isSuccess()) throw new Error('a transaction failed');
      must(await counter.call('get'), BigInt(which + 1));
    }
    await chain.close();
  }
  const seconds = (performance.now() - begin) / 1000;
  const { executions } = counters;
  return { seconds, executions };
}

function must(found: unknown, wanted: bigint): void {
  if (BigInt(String(found)) !== wanted) throw new Error(`${found} is not ${wanted}`);
}

class SpawnedNode {
  readonly url: string;
  readonly #process: ChildProcess;

  constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async start(): Promise<SpawnedNode> {
    const child = spawn(process.execPath, [COMMAND, '--seed', '0', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    for await (const piece of child.stdout) {
      text += piece;
      const [url] = /http:\/\/[\w.:]+/.exec(text) ?? [];
      if (url !== undefined) {
        child.stdout.resume();
        return new SpawnedNode(child, url);
      }
    }
    throw new Error(`the node did not start: ${text}`);
  }

  async call(method: string, params: object = {}): Promise<unknown> {
    const response = await fetch(`${this.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error }: { result?: unknown; error?: unknown } = Object(await response.json());
    if (error) throw new Error(JSON.stringify(error));
    return result;
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }
}

/** Seconds of a number of tests, each of which begins with a restart and deploys its contracts. */
async function usual(count: number, retryInterval: number | undefined): Promise<number> {
  const node = await SpawnedNode.start();
  const [given] = Object(await node.call('devnet_getPredeployedAccounts'));
  const provider = new RpcProvider({
    nodeUrl: `${node.url}/rpc`,
    ...(retryInterval === undefined ? {} : { transactionRetryIntervalFallback: retryInterval }),
  });
  const account = new Account({ provider, address: given.address, signer: given.private_key });
  const contract = json.parse(readFileSync(`${ARTIFACT}.sierra.json`, 'utf8'));
  const casm = json.parse(readFileSync(`${ARTIFACT}.casm.json`, 'utf8'));
  const begin = performance.now();
  for (let test = 0; test < count; test += 1) {
    await node.call('devnet_restart');
    const { class_hash, transaction_hash } = await account.declare({ contract, casm });
    await provider.waitForTransaction(transaction_hash);
    const addresses: string[] = [];
    for (let index = 0; index < COUNTERS; index += 1) {
      const made = await account.deployContract({
        classHash: class_hash,
        constructorCalldata: [index],
      });
      addresses.push(made.address);
    }
    for (let index = 0; index < TRANSACTIONS; index += 1) {
      const which = (test + index) % COUNTERS;
      const counter = new Contract({
        abi: contract.abi,
        address: addresses[which] ?? '',
        providerOrAccount: account,
      });
      const sent = await counter.invoke('increase', [1]);
      const receipt = await provider.waitForTransaction(sent.transaction_hash);
      if (!receipt.isSuccess()) throw new Error('a transaction failed');
      must(await counter.call('get'), BigInt(which + 1));
    }
  }
  const seconds = (performance.now() - begin) / 1000;
  node.stop();
  return seconds;
}

// It warns of each tip that it estimates.
logger.setLogLevel('OFF');
const cacheDir = mkdtempSync(join(tmpdir(), 'starkbox-suites-'));
const first = await inProcess(cacheDir);
const second = await inProcess(cacheDir);
figures.sayAll({
  first_run_s: first.seconds,
  first_run_fixture_executions: first.executions,
  second_run_s: second.seconds,
  second_run_fixture_executions: second.executions,
  ms_per_test: (first.seconds / OURS) * 1000,
});
const slow = await usual(USUAL, RETRY);
figures.say('usual_ms_per_test', (slow / USUAL) * 1000);
if (!quick) figures.say('usual_ms_per_test_with_defaults', (await usual(1, undefined)) * 1000);
// Of the whole suite: the first run includes the fixture.
figures.say('gain', slow / USUAL / (first.seconds / OURS));
rmSync(cacheDir, { recursive: true });
if (second.executions !== 0) throw new Error('the second run executed a deployment');
figures.finish({ bench: 'test-suites', tests: OURS, usual_tests: USUAL, quick });
