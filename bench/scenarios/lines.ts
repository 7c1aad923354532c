// Artifacts: transactions that succeed cost the same with and without them; what an explanation costs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { createTestChain, type TestChain } from '@starkbox/testing';
import { median } from '../figures.js';
import { interleave, milliseconds, sampled } from '../harness/rounds.js';
import { rpcBody } from '../harness/rpc-client.js';
import { defineScenario } from '../harness/scenario.js';
import { Signer } from '../harness/signed-requests.js';
import { CONTRACTS } from '../repository.js';

const ARTIFACTS = ['counter', 'failures', 'failing_calls', 'failing_callee', 'reverter'];
const COUNTER = fileURLToPath(new URL('cairo/counter.sierra.json', CONTRACTS));

const artifact = (name: string): unknown =>
  JSON.parse(
    gunzipSync(readFileSync(new URL(`places/${name}.sierra.json.gz`, CONTRACTS))).toString(),
  );

async function resultOf(chain: TestChain, body: string): Promise<object> {
  const { result, error } = Object(JSON.parse((await chain.node.handle(body)) ?? '{}'));
  if (result === undefined) throw new Error(JSON.stringify(error));
  return Object(result);
}

/** A chain with a counter. */
class CountingChain {
  readonly chain: TestChain;
  readonly #counter: string;
  readonly #signer: Signer;

  constructor(chain: TestChain, counter: string, signer: Signer) {
    this.chain = chain;
    this.#counter = counter;
    this.#signer = signer;
  }

  static async create(): Promise<CountingChain> {
    const chain = await createTestChain({ seed: 0, accounts: 1 });
    const { address } = await chain.deployContract(COUNTER, [0]);
    const [account] = chain.node.accounts;
    if (!account) throw new Error('the chain has no account');
    const params = { block_id: 'latest', contract_address: account.address } as const;
    const nonce = Number(await chain.node.request('starknet_getNonce', params));
    const signer = new Signer(chain.node.accounts, new Map([[account.address, nonce]]));
    return new CountingChain(chain, address, signer);
  }

  /** @returns the answer to a transaction; one that increases by zero reverts */
  increase(amount: string): Promise<object> {
    const calls = [{ to: this.#counter, name: 'increase', calldata: [amount] }];
    return resultOf(this.chain, this.#signer.invoke(calls));
  }

  /** Milliseconds of so many transactions. */
  count(transactions: number): Promise<number> {
    return milliseconds(async () => {
      for (let index = 0; index < transactions; index += 1) await this.increase('0x1');
    });
  }
}

async function explain(chain: TestChain, hash: unknown): Promise<void> {
  const explanation = await resultOf(chain, rpcBody('devnet_explainTransaction', [hash]));
  const { stack } = Object(explanation);
  if (stack[0]?.line === undefined) throw new Error('the explanation has no line');
}

export const scenario = defineScenario({
  measures: 'transactions with and without artifacts, and an explanation with lines',
  sizes: { rounds: [20, 5], transactions: [200, 40] },
  promises: () => ({ 'throughput with over without': { atLeast: 0.99, isNoisy: true } }),
  async measure({ sizes, figures }) {
    const [without, loaded] = [await CountingChain.create(), await CountingChain.create()];
    for (const name of ARTIFACTS) {
      const params = { artifact: artifact(name) };
      await resultOf(loaded.chain, rpcBody('devnet_addArtifact', params));
    }
    const times = await interleave(sizes.rounds, {
      without: () => without.count(sizes.transactions),
      loaded: () => loaded.count(sizes.transactions),
    });
    const rate = (name: 'without' | 'loaded') => (1000 * sizes.transactions) / times.median(name);
    const { transaction_hash } = Object(await loaded.increase('0x0'));
    const explanations = await sampled(20, () => explain(loaded.chain, transaction_hash));
    figures.sayAll({
      'transactions a second without': rate('without'),
      'transactions a second with': rate('loaded'),
      'throughput with over without': times.ratio('without', 'loaded'),
      'ms of an explanation with lines': median(explanations),
    });
    await without.chain.close();
    await loaded.chain.close();
    return undefined;
  },
});
