// A test suite: chains in the process with fixtures, beside a spawned node that is set up for each test.
// Each test begins with 10 contracts and sends 3 transactions.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fixture } from '@starkbox/testing';
import { Account, Contract, json, logger, RpcProvider } from 'starknet';
import { milliseconds } from '../harness/rounds.js';
import { defineScenario } from '../harness/scenario.js';
import { accountsOf } from '../harness/signed-requests.js';
import { OUR_COMMAND, SpawnedNode } from '../harness/spawned-node.js';
import { CONTRACTS } from '../repository.js';

const COUNTERS = 10;
const TRANSACTIONS = 3;
/** Milliseconds between polls; suites that need speed set it, because 5 s is the default of starknet.js. */
const RETRY_INTERVAL = 50;
const ARTIFACT = fileURLToPath(new URL('cairo/counter', CONTRACTS));

/** Deployed once, and stored on disk for later runs. */
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

interface InvokedCounter {
  readonly invoke: (name: string, args: number[]) => Promise<{ readonly transaction_hash: string }>;
  readonly call: (name: string) => Promise<unknown>;
}

/** The transactions of a test, each on a counter of its own. */
async function increase(
  test: number,
  provider: Pick<RpcProvider, 'waitForTransaction'>,
  counterAt: (index: number) => InvokedCounter | Promise<InvokedCounter>,
): Promise<void> {
  for (let step = 0; step < TRANSACTIONS; step += 1) {
    const index = (test + step) % COUNTERS;
    const counter = await counterAt(index);
    const { transaction_hash } = await counter.invoke('increase', [1]);
    const receipt = await provider.waitForTransaction(transaction_hash);
    if (!receipt.isSuccess()) throw new Error('a transaction failed');
    const count = BigInt(String(await counter.call('get')));
    if (count !== BigInt(index + 1)) throw new Error(`${count} is not ${index + 1}`);
  }
}

/** Milliseconds of all tests, including the fixture. */
async function inProcess(cacheDir: string, tests: number) {
  const counters = countersIn(cacheDir);
  const elapsed = await milliseconds(async () => {
    for (let test = 0; test < tests; test += 1) {
      const { chain, data } = await counters.branch();
      await increase(test, chain.provider, (index) =>
        chain.contractAt(data.addresses[index] ?? ''),
      );
      await chain.close();
    }
  });
  return { elapsed, executions: counters.executions };
}

/** Milliseconds of a number of tests, each of which begins with a restart and deploys its contracts. */
async function withSpawnedNode(tests: number, retryInterval?: number): Promise<number> {
  const node = await SpawnedNode.open({ command: OUR_COMMAND });
  const [first] = await accountsOf(node);
  if (!first) throw new Error('the node has no account');
  const provider = new RpcProvider({
    nodeUrl: `${node.url}/rpc`,
    ...(retryInterval === undefined ? {} : { transactionRetryIntervalFallback: retryInterval }),
  });
  const account = new Account({ provider, address: first.address, signer: first.privateKey });
  const contract = json.parse(readFileSync(`${ARTIFACT}.sierra.json`, 'utf8'));
  const casm = json.parse(readFileSync(`${ARTIFACT}.casm.json`, 'utf8'));
  const elapsed = await milliseconds(async () => {
    for (let test = 0; test < tests; test += 1) {
      await node.call('devnet_restart');
      const { class_hash: classHash, transaction_hash } = await account.declare({ contract, casm });
      await provider.waitForTransaction(transaction_hash);
      const addresses: string[] = [];
      for (let index = 0; index < COUNTERS; index += 1) {
        const constructorCalldata = [index];
        const deployed = await account.deployContract({ classHash, constructorCalldata });
        addresses.push(deployed.address);
      }
      await increase(test, provider, (index) => {
        const counter = addresses[index] ?? '';
        return new Contract({ abi: contract.abi, address: counter, providerOrAccount: account });
      });
    }
  });
  await node.end();
  return elapsed;
}

export const scenario = defineScenario({
  measures: 'a test suite in the process, beside one with a spawned node',
  sizes: { tests: [200, 20], 'usual-tests': [200, 2] },
  promises: (quick) => ({ gain: { atLeast: quick ? 3 : 10 } }),
  async measure(run) {
    const { figures, sizes, quick } = run;
    // It warns of each tip that it estimates.
    logger.setLogLevel('OFF');
    const cacheDir = run.folder();
    const first = await inProcess(cacheDir, sizes.tests);
    const second = await inProcess(cacheDir, sizes.tests);
    if (second.executions !== 0) throw new Error('the second run executed a deployment');
    figures.sayAll({
      first_run_s: first.elapsed / 1000,
      first_run_fixture_executions: first.executions,
      second_run_s: second.elapsed / 1000,
      second_run_fixture_executions: second.executions,
      ms_per_test: first.elapsed / sizes.tests,
    });
    const usual =
      (await withSpawnedNode(sizes['usual-tests'], RETRY_INTERVAL)) / sizes['usual-tests'];
    figures.say('usual_ms_per_test', usual);
    if (!quick) figures.say('usual_ms_per_test_with_defaults', await withSpawnedNode(1));
    // The first run includes the fixture.
    figures.say('gain', usual / (first.elapsed / sizes.tests));
    return undefined;
  },
});
