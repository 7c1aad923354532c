// Explanations of transactions and calls: included, refused or only estimated.
import type { Abi, Explained, PaintText, Sources, Subject } from '@starkbox/abi';
import { type State, starknetKeccak, type Transaction } from '@starkbox/engine';
import { fail } from '../../errors.js';
import { parse } from '../../json/json.js';
import { membersOf } from '../../json/reader.js';
import type { Chain } from '../chain.js';
import { contextOf } from '../steps/block-context.js';
import { type Broadcasted, read } from '../steps/prepare-transaction.js';
import { latestHeader, pendingNumber, stateByNumber } from '../world/find-block.js';
import { findTransaction, type World } from '../world/world.js';

/** ABIs that are kept, of all chains: a class never changes. */
const MOST_ABIS = 200;
const abis = new Map<string, Abi>();

/** Refused transactions that can still be asked for. */
const MOST_REFUSED = 100;

/** A place whose state contracts are looked up in. */
interface Place {
  readonly world: World;
  readonly number: number;
  readonly state: State;
}

/** Explains what happened on one chain. The decoder is loaded when it is first needed. */
export class Explainer {
  readonly #chain: Chain;
  readonly #refused = new Map<string, Explained>();

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** A transaction of a block, or one that was refused not long ago. */
  async transaction(hash: string, paint?: PaintText): Promise<Explained> {
    const { world } = this.#chain;
    const found = findTransaction(world, hash);
    if (!found) return this.#refused.get(hash) ?? this.#ofOrigin(hash);
    const { transaction, receipt, trace } = found.record;
    const subject = subjectOf(parse(transaction), parse(receipt), parse(trace));
    return this.#explain(subject, placeBefore(world, found.block), paint);
  }

  /** Something that was not included, on the state that it was refused on. */
  async attempt({ transaction, ...rest }: Subject): Promise<Explained> {
    const { world } = this.#chain;
    const place = { world, number: pendingNumber(world), state: world.pendingState };
    const isDeployed = transaction.type === 'DEPLOY_ACCOUNT';
    const address = isDeployed ? (await this.#read(Object(transaction)))?.address : undefined;
    const known =
      address === undefined ? transaction : { ...transaction, contract_address: address };
    return this.#explain({ transaction: known, ...rest }, place);
  }

  /** A transaction as the engine reads it; undefined for one that it refuses. */
  #read(transaction: Broadcasted): Promise<Transaction | undefined> {
    const { chainId } = this.#chain.options;
    return Promise.resolve()
      .then(() => read(transaction, chainId, {}))
      .catch(() => undefined);
  }

  /**
   * Keeps the explanation of a refused transaction for those who ask by its hash, which is returned. That of a
   * declaration is not known: its class would have to be compiled again.
   */
  async keep(transaction: Broadcasted, explained: Explained): Promise<string | undefined> {
    if (transaction.type === 'DECLARE') return undefined;
    const hash = (await this.#read(transaction))?.hash;
    if (hash !== undefined) this.#keep(hash, explained);
    return hash;
  }

  #keep(hash: string, explained: Explained): void {
    this.#refused.delete(hash);
    this.#refused.set(hash, explained);
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= MOST_REFUSED) return;
      this.#refused.delete(oldest);
    }
  }

  async #ofOrigin(hash: string): Promise<Explained> {
    const { fork } = this.#chain.options;
    if (!fork) return fail('TXN_HASH_NOT_FOUND');
    const ask = async (method: string): Promise<unknown> =>
      parse((await fork.answer(method, { transaction_hash: hash }, undefined)).text);
    const [transaction, receipt, trace] = await Promise.all([
      ask('starknet_getTransactionByHash'),
      ask('starknet_getTransactionReceipt'),
      ask('starknet_traceTransaction'),
    ]);
    return this.#explain(subjectOf(transaction, receipt, trace), undefined);
  }

  async #explain(
    subject: Subject,
    place: Place | undefined,
    paint?: PaintText,
  ): Promise<Explained> {
    const { explain, namesOf, readAbi } = await import('@starkbox/abi');
    const { genesis } = this.#chain.options;
    const { labels, pendingState } = this.#chain.world;
    const names = namesOf(
      genesis.accounts.map(({ address }) => address),
      labels,
    );
    const sources: Sources = {
      names,
      abi: (hash) => abiOf(hash, pendingState, readAbi),
      ...(place ? this.#reads(place) : {}),
    };
    return explain(subject, sources, paint);
  }

  /** Reads of a state. What cannot be read is left out of the explanation. */
  #reads({ world, number, state }: Place): Omit<Sources, 'names' | 'abi'> {
    const { executions, options } = this.#chain;
    return {
      classAt: async (address) => {
        const hash = await state.classHashAt(address).catch(() => '0x0');
        return hash === '0x0' ? undefined : hash;
      },
      nonceAt: (address) => state.nonceAt(address).catch(() => undefined),
      read: async (contract, name, calldata) => {
        const request = {
          contract_address: contract,
          entry_point_selector: starknetKeccak(name),
          calldata,
        };
        const answer = await executions
          .call(state, contextOf(world, options, number), request)
          .catch(() => undefined);
        return answer?.result;
      },
    };
  }
}

/** The state before a block; undefined if it is not kept. */
function placeBefore(world: World, block: number): Place | undefined {
  const number = block - 1;
  const isKept = world.keepsHistory || number === latestHeader(world).number;
  if (!isKept || !world.history.header(number)) return undefined;
  return { world, number, state: stateByNumber(world, number, { block_number: number }) };
}

async function abiOf(
  hash: string,
  state: State,
  toAbi: (source: unknown) => Abi,
): Promise<Abi | undefined> {
  const known = abis.get(hash);
  const found = known ?? toAbi(await (await state.class(hash).catch(() => undefined))?.abi());
  if (!known && found.functions.size === 0) return undefined;
  // The one that was used last is the last one to go.
  abis.delete(hash);
  abis.set(hash, found);
  for (const oldest of abis.keys()) {
    if (abis.size <= MOST_ABIS) break;
    abis.delete(oldest);
  }
  return found;
}

/** From the answers of the three methods that show a transaction. */
function subjectOf(transaction: unknown, receipt: unknown, trace: unknown): Subject {
  const { execution_status, revert_reason } = membersOf(receipt);
  const isReverted = execution_status === 'REVERTED';
  return {
    // A DEPLOY_ACCOUNT does not say which address it deploys.
    transaction: Object({
      contract_address: membersOf(receipt)['contract_address'],
      ...membersOf(transaction),
    }),
    trace: Object(trace),
    status: isReverted ? 'REVERTED' : 'SUCCEEDED',
    ...(isReverted ? { reason: String(revert_reason) } : {}),
  };
}
