// Chains of instances after all faults, read at a node, and their comparison with the record.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, misreported, type Violation, violationsIn } from '../test/support/history.js';
import { ask, type CallOutcome, isGone, type Recorder } from './recorder.js';

const BLOCKS_AT_ONCE = 100;

interface FinalTransaction {
  readonly hash: string;
  readonly sender: string;
  readonly nonce: number;
  readonly calldata: readonly string[];
}

interface FinalBlock {
  readonly number: number;
  readonly hash: string;
  readonly transactions: readonly FinalTransaction[];
}

/** All blocks of an instance at a node, which may have to take it over first; undefined if there is none. */
async function chainAt(
  url: string,
  instance: string,
  milliseconds: number = Number.POSITIVE_INFINITY,
): Promise<readonly FinalBlock[] | undefined> {
  const until = performance.now() + milliseconds;
  const answered = async (method: string, params: object): Promise<CallOutcome> => {
    while (true) {
      const outcome = await ask(`${url}/instances/${instance}/rpc`, method, params);
      if (outcome.result !== undefined || isGone(outcome)) return outcome;
      if (performance.now() > until) {
        throw new Error(`${url} does not answer for ${instance}: ${outcome.message}`);
      }
      await sleep(100);
    }
  };
  const { result: latest } = await answered('starknet_blockNumber', {});
  if (latest === undefined) return undefined;
  const blocks: FinalBlock[] = [];
  for (let from = 0; from <= Number(latest); from += BLOCKS_AT_ONCE) {
    const length = Math.min(BLOCKS_AT_ONCE, Number(latest) + 1 - from);
    const numbers = Array.from({ length }, (_, index) => from + index);
    const outcomes = await Promise.all(
      numbers.map((block_number) =>
        answered('starknet_getBlockWithTxs', { block_id: { block_number } }),
      ),
    );
    if (outcomes.some(isGone)) return undefined;
    blocks.push(...outcomes.map(({ result }) => blockFrom(result)));
  }
  return blocks;
}

function blockFrom(result: unknown): FinalBlock {
  const { block_number: number, block_hash: hash, transactions } = Object(result);
  const all: unknown[] = transactions;
  return {
    number,
    hash,
    transactions: all.map((transaction) => {
      const { transaction_hash, sender_address: sender, nonce, calldata } = Object(transaction);
      return { hash: transaction_hash, sender, nonce: Number(nonce), calldata };
    }),
  };
}

/** The blocks of a chain, and which acknowledged transactions it lacks. */
function* answersOf(
  chain: readonly FinalBlock[] | undefined,
  acknowledged: Iterable<string>,
  about: Omit<Answer, 'observation'>,
): Generator<Answer, void, undefined> {
  if (!chain) {
    yield { ...about, observation: { kind: 'gone' } };
    return;
  }
  for (const { number, hash } of chain)
    yield { ...about, observation: { kind: 'block', number, hash } };
  const last = chain.at(-1);
  if (last) yield { ...about, observation: { kind: 'head', number: last.number, hash: last.hash } };
  const hashes = new Set(chain.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)));
  for (const hash of acknowledged) {
    const kind = hashes.has(hash) ? 'transaction' : 'no transaction';
    yield { ...about, observation: { kind, hash } };
  }
}

/** Hashes of the acknowledged transactions of each instance. */
function acknowledgedIn(answers: readonly Answer[]): ReadonlyMap<string, Set<string>> {
  const acknowledged = new Map<string, Set<string>>();
  for (const { instance, observation } of answers) {
    if (observation.kind !== 'transaction') continue;
    const hashes = acknowledged.get(instance) ?? new Set();
    acknowledged.set(instance, hashes);
    hashes.add(observation.hash);
  }
  return acknowledged;
}

/** Chains of instances as they were read at last, and how they are read. */
export class FinalChains {
  readonly chains = new Map<string, readonly FinalBlock[]>();
  readonly #recorder: Recorder;
  /** Hashes of transactions by instance, when the first chain is read. */
  #acknowledged: ReadonlyMap<string, Set<string>> | undefined;

  /** @param recorder of the answers so far; those of the final chains are added */
  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  async read(
    { name, url }: { readonly name: string; readonly url: string },
    instance: string,
    milliseconds?: number,
  ): Promise<void> {
    const { answers } = this.#recorder;
    this.#acknowledged ??= acknowledgedIn(answers);
    const began = performance.now();
    const chain = await chainAt(url, instance, milliseconds);
    const about = { instance, began, ended: performance.now(), from: `${name} at the end` };
    answers.push(...answersOf(chain, this.#acknowledged.get(instance) ?? [], about));
    if (chain) this.chains.set(instance, chain);
    else this.chains.delete(instance);
  }

  /** Answers that contradict each other, and changes that the chains contradict. */
  violations(): readonly Violation[] {
    const { answers, changes, lives } = this.#recorder;
    const checked = changes.filter(({ instance }) => this.chains.has(instance));
    return [...violationsIn(answers, lives), ...misreported(checked, counter(this.chains))];
  }
}

/** How often the final chain of an instance has a mark. */
function counter(chains: ReadonlyMap<string, readonly FinalBlock[]>) {
  const counts = new Map<string, number>();
  for (const [instance, chain] of chains) {
    for (const { calldata } of chain.flatMap(({ transactions }) => transactions)) {
      for (const felt of new Set(calldata)) {
        const key = `${instance} ${felt}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
  return (instance: string, mark: string): number => counts.get(`${instance} ${mark}`) ?? 0;
}

/** Chains in which the nonces of an account are not 0, 1, 2 and so on. */
export function nonceGaps(
  chains: ReadonlyMap<string, readonly FinalBlock[]>,
  account: string,
): readonly Violation[] {
  const gaps: Violation[] = [];
  for (const [instance, chain] of chains) {
    const all = chain.flatMap(({ transactions }) => transactions);
    const nonces = all.filter(({ sender }) => sender === account).map(({ nonce }) => nonce);
    if (nonces.every((nonce, index) => nonce === index)) continue;
    const text = `the chain has the nonces ${nonces.join(', ')} of ${account}`;
    gaps.push({ kind: 'nonces have a gap', instance, text });
  }
  return gaps;
}
