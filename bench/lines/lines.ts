// Benchmark of artifacts: transactions that succeed cost the same with and without; what an explanation costs.
//
//   npm run bench:lines              20 rounds of 200 transactions on each of two chains, in turn
//   npm run bench:lines -- --quick   5 rounds of 40
//
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { createTestChain, type TestChain } from '@starkbox/testing';
import { invokeValues } from '../../packages/engine/test/fixtures/chain.js';
import { Figures, median } from '../figures.js';
import { CONTRACTS } from '../repository.js';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 5 : 20;
const TRANSACTIONS = quick ? 40 : 200;
const NAMES = ['counter', 'failures', 'failing_calls', 'failing_callee', 'reverter'];

const figures = new Figures(
  { 'throughput with over without': { atLeast: 0.99, isNoisy: true } },
  { quick },
);

const artifact = (name: string): unknown =>
  JSON.parse(
    gunzipSync(readFileSync(new URL(`places/${name}.sierra.json.gz`, CONTRACTS))).toString(),
  );

/** A chain with a counter, and the next nonce of its first account. */
interface Counting {
  readonly chain: TestChain;
  readonly counter: string;
  nonce: number;
}

async function counting(): Promise<Counting> {
  const chain = await createTestChain({ seed: 0, accounts: 1 });
  const file = fileURLToPath(new URL('cairo/counter.sierra.json', CONTRACTS));
  const { address } = await chain.deployContract(file, [0]);
  const nonce = await ask<string>(chain, 'starknet_getNonce', ['latest', senderOf(chain).address]);
  return { chain, counter: address, nonce: Number(nonce) };
}

function senderOf({ node }: TestChain) {
  const [account] = node.accounts;
  if (!account) throw new Error('the chain has no account');
  return account;
}

async function ask<T>(chain: TestChain, method: string, params: unknown): Promise<T> {
  const text = await chain.node.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const { result, error }: { result?: T; error?: unknown } = JSON.parse(text ?? '{}');
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
}

async function increase(on: Counting, amount: string): Promise<string> {
  const calls = [{ to: on.counter, name: 'increase', calldata: [amount] }];
  const invoke_transaction = invokeValues(senderOf(on.chain), calls, on.nonce);
  on.nonce += 1;
  const sent = await ask<{ transaction_hash: string }>(on.chain, 'starknet_addInvokeTransaction', {
    invoke_transaction,
  });
  return sent.transaction_hash;
}

/** Transactions a second. */
async function round(on: Counting): Promise<number> {
  const begin = performance.now();
  for (let index = 0; index < TRANSACTIONS; index += 1) await increase(on, '0x1');
  return (TRANSACTIONS * 1000) / (performance.now() - begin);
}

const [plain, loaded] = [await counting(), await counting()];
for (const name of NAMES) {
  await ask(loaded.chain, 'devnet_addArtifact', { artifact: artifact(name) });
}
await round(plain);
await round(loaded);
const rates: { readonly plain: number; readonly loaded: number }[] = [];
for (let turn = 0; turn < ROUNDS; turn += 1) {
  // In turn, and each first as often as the other.
  const first = turn % 2 === 0 ? await round(plain) : undefined;
  const other = await round(loaded);
  rates.push({ plain: first ?? (await round(plain)), loaded: other });
}
figures.say('transactions a second without', median(rates.map((one) => one.plain)));
figures.say('transactions a second with', median(rates.map((one) => one.loaded)));
figures.say('throughput with over without', median(rates.map((one) => one.loaded / one.plain)));

const hash = await increase(loaded, '0x0');
const samples: number[] = [];
for (let index = 0; index < 20; index += 1) {
  const begin = performance.now();
  const { stack } = await ask<{ stack: readonly { line?: number }[] }>(
    loaded.chain,
    'devnet_explainTransaction',
    [hash],
  );
  if (stack[0]?.line === undefined) throw new Error('the explanation has no line');
  samples.push(performance.now() - begin);
}
figures.say('ms of an explanation with lines', median(samples));
await plain.chain.close();
await loaded.chain.close();
figures.finish({ rounds: ROUNDS, transactions: TRANSACTIONS });
