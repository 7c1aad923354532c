// The chain in the middle of a history: fast calls by the ABI, for invariants and actions.
import { type Abi, readAbi } from '@starkbox/abi';
import { canonicalFelt } from '@starkbox/abi/basics';
import { type FunctionCodec, functionCodec } from '@starkbox/abi/internal';
import type { CallBranch } from 'starkbox';
import { LocalTestChain } from '../../test-chain.js';
import type { DirectCall, DirectResult } from '../model/direct-call.js';
import type { StepValue } from '../model/history.js';
import type { Action, CallArgument, HistoryContext, ReturnedValue } from '../model/options.js';
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

/** A call that no chain can perform, so that it says nothing about an invariant. */
export class MistakenCall extends TypeError {}

type ContractRef = string | { readonly address: string };

/** The caller of views. */
const VIEWER = '0x0';
/** Encoded views of a contract. */
const MAX_VIEWS = 1_000;

/** The parts of a context besides its branch. */
export interface ContextFacts<T> {
  readonly data: T;
  /** Addresses. */
  readonly actors: readonly string[];
  /** The contracts of the check. */
  readonly targets: readonly {
    readonly name: string;
    readonly address: string;
    readonly abi: Abi;
  }[];
}

/** Functions of a contract, compiled when they are first called. */
class ContractCodecs {
  readonly #name: string;
  readonly #address: string;
  readonly #abi: Abi;
  readonly #functions = new Map<string, FunctionCodec>();
  readonly #views = new Map<string, DirectCall>();

  constructor(name: string, address: string, abi: Abi) {
    this.#name = name;
    this.#address = address;
    this.#abi = abi;
  }

  /** @throws MistakenCall if the contract has no such function */
  functionOf(name: string): FunctionCodec {
    const compiled = this.#functions.get(name);
    if (compiled) return compiled;
    const entries = [...this.#abi.functions.values()];
    const entry = entries.find((of) => of.name === name);
    if (!entry) {
      const names = entries.map((of) => of.name).join(', ');
      throw new MistakenCall(`${this.#name} has no function '${name}': it has ${names}`);
    }
    const codec = functionCodec(entry, this.#abi);
    this.#functions.set(name, codec);
    return codec;
  }

  /** Views without arguments or with one address come after every step: they are encoded once. */
  viewOf(codec: FunctionCodec, args: readonly CallArgument[]): DirectCall {
    const [argument = ''] = args;
    if (args.length > 1 || typeof argument !== 'string') {
      return callOf(VIEWER, this.#address, codec, args);
    }
    const key = args.length === 0 ? codec.name : `${codec.name} ${argument}`;
    let view = this.#views.get(key);
    if (!view) {
      view = callOf(VIEWER, this.#address, codec, args);
      if (this.#views.size < MAX_VIEWS) this.#views.set(key, view);
    }
    return view;
  }
}

function callOf(
  caller: string,
  contract: string,
  codec: FunctionCodec,
  args: readonly CallArgument[],
): DirectCall {
  return {
    caller,
    contract,
    selector: codec.selector,
    calldata: codec.encode(args.map(stepValueOf)),
  };
}

/** One context for all runs of a session: it moves from branch to branch. */
export class SessionContext<T> implements HistoryContext<T> {
  readonly data: T;
  readonly actors: readonly string[];
  /** Calls of invariants and actions so far. */
  views = 0;
  branch: CallBranch;
  readonly #contracts: Map<string, ContractCodecs>;
  readonly #canonical = new Map<string, string>();
  #chains: LocalTestChain[] = [];

  constructor(branch: CallBranch, { data, actors, targets }: ContextFacts<T>) {
    this.branch = branch;
    this.data = data;
    this.actors = actors;
    this.#contracts = new Map(
      targets.map(({ name, address, abi }) => [address, new ContractCodecs(name, address, abi)]),
    );
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
    const contractCodecs = this.#contracts.get(address) ?? (await this.#otherContract(address));
    const codec = contractCodecs.functionOf(name);
    this.views += 1;
    const pending = this.branch.view(contractCodecs.viewOf(codec, args));
    return decodeOutcome(codec, address, 'then' in pending ? await pending : pending);
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
    const contractCodecs = this.#contracts.get(address) ?? (await this.#otherContract(address));
    const codec = contractCodecs.functionOf(name);
    this.views += 1;
    const call = callOf(this.#addressOf(from), address, codec, args);
    return decodeOutcome(codec, address, await this.branch.call(call));
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

  /**
   * Performs an action as a whole or not at all.
   *
   * @returns the failed call that ended it
   * @throws any other error of the action
   */
  async perform(action: Action<T>, args: readonly CallArgument[]): Promise<CallFailed | undefined> {
    const before = this.branch;
    this.branch = before.branch();
    try {
      await Reflect.apply(action.run, action, [this, ...args]);
      return undefined;
    } catch (error) {
      this.branch = before;
      if (error instanceof CallFailed) return error;
      throw error;
    } finally {
      await this.closeChains();
    }
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
        throw new MistakenCall(`'${text}' is not an address: pass a hex string or a contract`);
      }
      this.#canonical.set(text, address);
    }
    return address;
  }

  /** A contract that histories do not call, by its class at this moment. */
  async #otherContract(address: string): Promise<ContractCodecs> {
    const chain = this.branch.chain();
    try {
      const { abi } = await chain.request('starknet_getClassAt', {
        block_id: 'pre_confirmed',
        contract_address: address,
      });
      const contract = new ContractCodecs(address, address, readAbi(abi));
      this.#contracts.set(address, contract);
      return contract;
    } finally {
      await chain.close();
    }
  }
}

function decodeOutcome(
  codec: FunctionCodec,
  address: string,
  outcome: DirectResult,
): ReturnedValue {
  const { failure } = outcome;
  if (failure) throw new CallFailed(`${codec.name} of ${address}`, reasonOf(failure));
  return codec.decode(outcome.result);
}

function stepValueOf(argument: CallArgument): StepValue {
  if (typeof argument === 'number') return BigInt(argument);
  if (typeof argument !== 'object') return argument;
  if (isList(argument)) return argument.map(stepValueOf);
  const entries = Object.entries(argument).map(
    ([name, value]) => [name, stepValueOf(value)] as const,
  );
  return Object.fromEntries(entries);
}

const isList = (argument: CallArgument): argument is readonly CallArgument[] =>
  Array.isArray(argument);
