// Artifacts: transactions that succeed cost the same with and without them; what an explanation costs.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createChain, type LocalChain } from 'starkbox';
import { median } from '../figures.js';
import { interleave, milliseconds, sampled } from '../harness/rounds.js';
import { rpcBody } from '../harness/rpc-client.js';
import { defineScenario } from '../harness/scenario.js';
import { deploymentOf, Signer } from '../harness/signed-requests.js';
import { CONTRACTS } from '../repository.js';

const ARTIFACTS = ['counter', 'failures', 'failing_calls', 'failing_callee', 'reverter'];
const COUNTER = '0xc0ffee';

const artifact = (name: string): unknown =>
  JSON.parse(
    gunzipSync(readFileSync(new URL(`places/${name}.sierra.json.gz`, CONTRACTS))).toString(),
  );

async function resultOf(node: LocalChain, body: string): Promise<object> {
  const { result, error } = Object(JSON.parse((await node.handle(body)) ?? '{}'));
  if (result === undefined) throw new Error(JSON.stringify(error));
  return Object(result);
}

/** A function that sends transactions to the counter of a node; one that increases by zero reverts. */
async function counterOn(node: LocalChain) {
  await resultOf(
    node,
    rpcBody('devnet_applyStateDiff', await deploymentOf({ [COUNTER]: 'counter' })),
  );
  const signer = new Signer(node.accounts);
  return (amount: string): Promise<object> =>
    resultOf(node, signer.invoke([{ to: COUNTER, name: 'increase', calldata: [amount] }]));
}

async function explain(node: LocalChain, hash: unknown): Promise<void> {
  const explanation = await resultOf(node, rpcBody('devnet_explainTransaction', [hash]));
  const { stack } = Object(explanation);
  if (stack[0]?.line === undefined) throw new Error('the explanation has no line');
}

export const scenario = defineScenario({
  measures: 'transactions with and without artifacts, and an explanation with lines',
  sizes: { rounds: [20, 5], transactions: [200, 40] },
  promises: () => ({ 'throughput with over without': { atLeast: 0.99, isNoisy: true } }),
  async measure(run) {
    const { sizes, figures } = run;
    const plain = await createChain({ seed: 0, accounts: 1 });
    run.defer(() => plain.close());
    const loaded = await createChain({ seed: 0, accounts: 1 });
    run.defer(() => loaded.close());
    const increase = await counterOn(plain);
    const increaseLoaded = await counterOn(loaded);
    for (const name of ARTIFACTS) {
      await resultOf(loaded, rpcBody('devnet_addArtifact', { artifact: artifact(name) }));
    }
    const count = (send: typeof increase) => () =>
      milliseconds(() => sampled(sizes.transactions, () => send('0x1')));
    const times = await interleave(sizes.rounds, {
      without: count(increase),
      loaded: count(increaseLoaded),
    });
    const rate = (name: 'without' | 'loaded') => (1000 * sizes.transactions) / times.median(name);
    const { transaction_hash } = Object(await increaseLoaded('0x0'));
    const explanations = await sampled(20, () => explain(loaded, transaction_hash));
    figures.sayAll({
      'transactions a second without': rate('without'),
      'transactions a second with': rate('loaded'),
      'throughput with over without': times.ratio('without', 'loaded'),
      'ms of an explanation with lines': median(explanations),
    });
    return undefined;
  },
});
