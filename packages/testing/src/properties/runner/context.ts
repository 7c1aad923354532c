// The chain in the middle of a history: fast calls by the ABI, for invariants and actions.
import { canonicalFelt, readAbi } from '@starkbox/abi';
import type { CallBranch, DirectResult } from 'starkbox';
import { LocalTestChain } from '../../test-chain.js';
import type { EncodedCall, HistorySource } from '../histories/histories.js';
import { Histories } from '../histories/histories.js';
import type { StepValue } from '../model.js';
import type { CallArgument, HistoryContext, ReturnedValue } from '../options.js';
import { reasonOf } from './reasons.js';

/** A failed call of an invariant or an action. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly reason: string;

  constructor(subject: string, reason: string) {
    super(`${subject} failed: ${reason}`);
    this.reason = reason;
  }
}

type ContractRef = string | { readonly address: string };

/** The caller of views. */
const VIEWER = '0x0';

/** What a context has besides its branch. */
export interface ContextFacts<T> {
  readonly data: T;
  /** Addresses. */
  readonly actors: readonly string[];
  /** Draws, encodes and decodes calls of the contracts of the check. */
  readonly source: HistorySource;
  /** Addresses of these contracts. */
  readonly targets: readonly string[];
}

/** One context for all runs of a session: it moves from branch to branch. */
export class SessionContext<T> implements HistoryContext<T> {
  readonly data: T;
  readonly actors: readonly string[];
  /** Calls of invariants and actions so far. */
  views = 0;
  branch: CallBranch;
  readonly #source: HistorySource;
  readonly #targets: ReadonlySet<string>;
  /** Of contracts that histories do not call. */
  readonly #others = new Map<string, HistorySource>();
  readonly #canonical = new Map<string, string>();
  /** Calls without arguments, by contract and function. */
  readonly #plainCalls = new Map<string, Map<string, EncodedCall>>();
  #chains: LocalTestChain[] = [];

  constructor(branch: CallBranch, { data, actors, source, targets }: ContextFacts<T>) {
    this.branch = branch;
    this.data = data;
    this.actors = actors;
    this.#source = source;
    this.#targets = new Set(targets);
    // Invariants take functions out of the context.
    this.call = this.call.bind(this);
    this.send = this.send.bind(this);
    this.storage = this.storage.bind(this);
    this.increaseTime = this.increaseTime.bind(this);
    this.chain = this.chain.bind(this);
    this.onChain = this.onChain.bind(this);
  }

  get time(): number {
    return this.branch.time;
  }

  get blockNumber(): number {
    return this.branch.blockNumber;
  }

  call<V extends ReturnedValue = bigint>(
    contract: ContractRef,
    name: string,
    args?: readonly CallArgument[],
  ): Promise<V>;
  async call(
    contract: ContractRef,
    name: string,
    args: readonly CallArgument[] = [],
  ): Promise<ReturnedValue> {
    const address = this.#addressOf(contract);
    const source = this.#targets.has(address) ? this.#source : await this.#otherSource(address);
    const encoded =
      args.length === 0
        ? this.#plainCall(source, address, name)
        : source.encodeCall(VIEWER, address, name, args.map(valueOf));
    this.views += 1;
    const pending = this.branch.view(encoded);
    const result = pending instanceof Promise ? await pending : pending;
    return decoded(source, address, name, result);
  }

  send<V extends ReturnedValue = bigint>(
    from: string,
    contract: ContractRef,
    name: string,
    args?: readonly CallArgument[],
  ): Promise<V>;
  async send(
    from: string,
    contract: ContractRef,
    name: string,
    args: readonly CallArgument[] = [],
  ): Promise<ReturnedValue> {
    const address = this.#addressOf(contract);
    const source = this.#targets.has(address) ? this.#source : await this.#otherSource(address);
    const encoded = source.encodeCall(this.#addressOf(from), address, name, args.map(valueOf));
    this.views += 1;
    return decoded(source, address, name, await this.branch.call(encoded));
  }

  async storage(contract: ContractRef, key: string | bigint): Promise<bigint> {
    const slot = typeof key === 'bigint' ? `0x${key.toString(16)}` : key;
    return BigInt(await this.branch.storageAt(this.#addressOf(contract), slot));
  }

  increaseTime(seconds: number): void {
    this.branch.increaseTime(seconds);
  }

  chain(): LocalTestChain {
    const chain = new LocalTestChain(this.branch.chain(), { isReported: false });
    this.#chains.push(chain);
    return chain;
  }

  onChain<R>(run: (chain: LocalTestChain) => Promise<R>): Promise<R> {
    return this.branch.onChain((chain) => run(new LocalTestChain(chain, { isReported: false })));
  }

  get hasChains(): boolean {
    return this.#chains.length > 0;
  }

  /** Closes the chains that a function has opened. */
  async closeChains(): Promise<void> {
    const chains = this.#chains;
    this.#chains = [];
    for (const chain of chains) await chain.close();
  }

  #addressOf(contract: ContractRef): string {
    const text = typeof contract === 'string' ? contract : contract.address;
    let address = this.#canonical.get(text);
    if (address === undefined) {
      address = canonicalFelt(text);
      if (address === undefined) {
        throw new TypeError(`'${text}' is not an address: pass a hex string or a contract`);
      }
      this.#canonical.set(text, address);
    }
    return address;
  }

  #plainCall(source: HistorySource, address: string, name: string): EncodedCall {
    let calls = this.#plainCalls.get(address);
    if (calls === undefined) {
      calls = new Map();
      this.#plainCalls.set(address, calls);
    }
    let call = calls.get(name);
    if (call === undefined) {
      call = source.encodeCall(VIEWER, address, name, []);
      calls.set(name, call);
    }
    return call;
  }

  /** The encoder of a contract that histories do not call, by its class at this moment. */
  async #otherSource(address: string): Promise<HistorySource> {
    const existing = this.#others.get(address);
    if (existing) return existing;
    const chain = this.branch.chain();
    try {
      const { abi } = await chain.request('starknet_getClassAt', {
        block_id: 'pre_confirmed',
        contract_address: address,
      });
      const target = { name: 'contract', address, abi: readAbi(abi) };
      const source = new Histories({ targets: [target], actors: [], depth: 0 });
      this.#others.set(address, source);
      return source;
    } finally {
      await chain.close();
    }
  }
}

function decoded(
  source: HistorySource,
  address: string,
  name: string,
  { failure, result }: DirectResult,
): ReturnedValue {
  if (failure) throw new CallFailed(`${name} of ${address}`, reasonOf(failure));
  return source.decode(address, name, result);
}

function valueOf(argument: CallArgument): StepValue {
  if (typeof argument === 'number') return BigInt(argument);
  if (typeof argument !== 'object') return argument;
  if (isList(argument)) return argument.map(valueOf);
  const entries = Object.entries(argument).map(([name, value]) => [name, valueOf(value)] as const);
  return Object.fromEntries(entries);
}

const isList = (argument: CallArgument): argument is readonly CallArgument[] =>
  Array.isArray(argument);
