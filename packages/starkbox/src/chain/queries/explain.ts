// Explanations of transactions and calls: included, refused or only estimated.

import type { Explanation, Sources, Subject } from '@starkbox/abi';
import { membersOf, trust } from '@starkbox/abi/basics';
import type { FrameStack } from '@starkbox/abi/internal';
import {
  Class,
  type Retrace,
  type RetracedFrame,
  type State,
  starknetKeccak,
  type Transaction,
} from '@starkbox/engine';
import type { BLOCK_ID, CLASS_OF_CONTRACT, EXECUTED_FILE, OVERRIDES } from '@starkbox/spec';
import { BoundedMap } from '../../bounded-map.js';
import { ADD_DEBUG_INFO } from '../../debug-info/artifact.js';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import { withExcerpts } from '../../debug-info/excerpts.js';
import { GivenTexts, MAX_TEXT_LENGTH } from '../../debug-info/source-texts.js';
import { fail, reasonOf, refuse } from '../../errors.js';
import { type JsonText, parse, stringify } from '../../json/json.js';
import type { Log } from '../../log.js';
import type { Chain } from '../chain.js';
import { readBroadcasted } from '../execution/prepare-transaction.js';
import type { Broadcasted } from '../history/stored-texts.js';
import { cairoStack, failedPath } from '../retrace/cairo-stack.js';
import {
  contextAt,
  type RetraceLocation,
  retraceAttempt,
  retraceCall,
  retraceTransaction,
} from '../retrace/retrace.js';
import type { VariableRequest } from '../storage-names/variable-slot.js';
import { findBlock, keptState, pendingNumber, stateBefore } from '../world/find-block.js';
import { findTransaction, nextTime, type World } from '../world/world.js';
import type { Abis } from './abis.js';
import type { NameSources } from './call-names.js';
import type { ContractNames } from './contract-names.js';
import { listStorage } from './list-contracts.js';
import type { NamedStorage, SlotNamer } from './name-storage.js';
import type { BranchLocation } from './overrides.js';

/** Refused transactions that can still be asked for. */
const MAX_REFUSED = 100;
/** Slots that an explanation reads of a contract. */
const MAX_STORED = 200;

/** Explains what happened on one chain. The decoder is loaded when it is first needed. */
export class Explainer {
  readonly #chain: Chain;
  readonly #infos: DebugInfos;
  readonly #abis: Abis;
  readonly #log: Log;
  #slots: Promise<SlotNamer> | undefined;
  #names: Promise<ContractNames> | undefined;
  readonly #refused = new BoundedMap<string, RefusedTransaction>(MAX_REFUSED);

  /** @param infos debug information, for lines of the source */
  constructor(chain: Chain, infos: DebugInfos, abis: Abis, log: Log) {
    this.#log = log;
    this.#chain = chain;
    this.#infos = infos;
    this.#abis = abis;
  }

  /**
   * Takes the debug information of a class as a compiler wrote it, declared or not.
   *
   * @param sources texts of the files that it names, by their names; no file is opened
   */
  async addArtifact(
    artifact: object,
    sources: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly class_hash: string; readonly files: readonly string[] }> {
    const hash = await Class.hashOf(stringify(artifact)).catch((error: unknown) =>
      // A place in our own text of it would mean nothing to its sender.
      refuse(
        `The artifact is not a class: ${reasonOf(error).replace(/ at line \d+ column \d+$/, '')}`,
      ),
    );
    for (const [file, { length }] of Object.entries(sources)) {
      if (length <= MAX_TEXT_LENGTH) continue;
      refuse(`The source ${file} has more than ${MAX_TEXT_LENGTH} characters: leave it out.`);
    }
    try {
      const info = this.#infos.add(
        hash,
        artifact,
        (files, earlier) => new GivenTexts(sources, files, earlier),
      );
      if (info) return { class_hash: hash, files: [...info.files].sort() };
    } catch (error) {
      refuse(`The debug information of the artifact is malformed: ${reasonOf(error)}`);
    }
    return refuse(`The artifact carries no debug information. ${ADD_DEBUG_INFO}`);
  }

  /** A transaction of a block, or one that was refused not long ago. */
  async transaction(hash: string, { signal }: ExplainOptions = {}): Promise<Explanation> {
    const { world } = this.#chain;
    const located = findTransaction(world, hash);
    if (!located) return this.#refused.get(hash)?.explained ?? this.#ofOrigin(hash);
    const { transaction, receipt, trace } = located.record;
    const subject = subjectOf(parse(transaction), parse(receipt), parse(trace));
    const run = (): Promise<Retrace | undefined> =>
      retraceTransaction(this.#chain, hash, { signal });
    const traced = await this.#traceRun(run, subject.reason, world.pendingState);
    const state = stateBefore(world, located.block);
    const location = state && { world, number: located.block - 1, state };
    return this.#explain({ ...subject, ...traced }, location, { signal });
  }

  /** Where names of contracts, functions and lines come from. */
  get nameSources(): NameSources {
    return { infos: this.#infos, abis: this.#abis, names: () => this.names() };
  }

  /** The names of slots; what is learnt of a class is kept for the next call. */
  async nameStorage(
    contracts: readonly { readonly contract_address: string; readonly keys: readonly string[] }[],
    transaction: string | undefined,
    felts: readonly string[] = [],
  ): Promise<NamedStorage> {
    const namer = await this.#slotNamer();
    const requests = contracts.map(({ contract_address: contract, keys }) => ({
      contract,
      slots: keys,
      transaction,
      felts,
    }));
    return namer.name(requests);
  }

  /** The names of contracts and classes; what is learnt is kept for the next call. */
  names(): Promise<ContractNames> {
    this.#names ??= import('./contract-names.js').then(
      ({ ContractNames }) => new ContractNames(this.#chain, this.#infos, this.#abis),
    );
    return this.#names;
  }

  /** ABIs of classes and of the current classes of contracts, each once. */
  async abis(
    classHashes: readonly string[],
    addresses: readonly string[],
  ): Promise<{
    readonly classes: readonly { readonly class_hash: string; readonly abi: JsonText }[];
    readonly contracts: readonly CLASS_OF_CONTRACT[];
  }> {
    const { listAbis } = await import('./list-abis.js');
    return listAbis(this.#chain.world, this.#abis, { classHashes, addresses });
  }

  #slotNamer(): Promise<SlotNamer> {
    this.#slots ??= import('./name-storage.js').then(
      ({ SlotNamer }) => new SlotNamer(this.#chain, this.#infos, () => this.names()),
    );
    return this.#slots;
  }

  /** The first slot of a storage variable of a contract, in the block under construction. */
  async variableSlot(contract: string, request: VariableRequest): Promise<string> {
    const { pendingState } = this.#chain.world;
    const hash = await pendingState.classHashAt(contract);
    if (hash === '0x0') fail('CONTRACT_NOT_FOUND');
    const { variableSlot } = await import('../storage-names/variable-slot.js');
    const variables = await (await this.#slotNamer()).variablesOf(hash, pendingState);
    return variableSlot(request, variables, 'params');
  }

  /** Where to execute: after a block, with overrides. */
  async locateOverridden(
    id: BLOCK_ID,
    overrides: OVERRIDES,
    signal?: AbortSignal,
  ): Promise<BranchLocation> {
    // Loaded when first used: a node starts faster without.
    const { overriddenLocation } = await import('./overrides.js');
    const variablesOf = async (hash: string, state: State) =>
      (await this.#slotNamer()).variablesOf(hash, state);
    return overriddenLocation(this.#chain, id, overrides, { variablesOf, signal });
  }

  /** Which lines of its source a transaction of a block ran, run again. */
  async executedLines(
    hash: string,
    signal?: AbortSignal,
  ): Promise<{ readonly files: readonly EXECUTED_FILE[] }> {
    const chain = this.#chain;
    if (!findTransaction(chain.world, hash)) {
      return chain.options.fork ? { files: [] } : fail('TXN_HASH_NOT_FOUND');
    }
    const traced = await retraceTransaction(chain, hash, { visited: true, signal });
    if (!traced) return { files: [] };
    const { executedLines } = await import('../retrace/executed-lines.js');
    return { files: await executedLines(traced, chain.world, this.#infos) };
  }

  /** Something that was not included, on the state that it was refused on. */
  async attempt(
    { transaction, ...rest }: Subject,
    attempted: Attempted = {},
  ): Promise<Explanation> {
    const { id = 'pre_confirmed', overrides, signal } = attempted;
    const location =
      attempted.location ??
      (overrides
        ? await this.locateOverridden(id, overrides, signal)
        : attemptLocation(this.#chain.world, id));
    const subject = { transaction, ...rest };
    const traced = hasRun(rest) ? await this.#traceAttempt(subject, attempted, location) : {};
    const isDeployed = transaction.type === 'DEPLOY_ACCOUNT';
    const address = isDeployed
      ? (await this.#readBroadcasted(trust(transaction)))?.address
      : undefined;
    const transactionHash =
      address === undefined ? transaction : { ...transaction, contract_address: address };
    return this.#explain({ transaction: transactionHash, ...rest, ...traced }, location, attempted);
  }

  #traceAttempt(
    { transaction, reason }: Subject,
    { earlier = [], validate = true, signal }: Attempted,
    location: RetraceLocation,
  ): Promise<Traced> {
    const chain = this.#chain;
    return this.#traceRun(
      () =>
        transaction.type === 'CALL'
          ? retraceCall(chain, trust(transaction), location, { signal })
          : retraceAttempt(chain, [...earlier, trust(transaction)], location, {
              validate,
              signal,
            }),
      reason,
      location.state,
    );
  }

  /** What a second run shows. An explanation without it is better than none. */
  async #traceRun(
    run: () => Promise<Retrace | undefined>,
    reason: string | undefined,
    state: State,
  ): Promise<Traced> {
    const traced = await this.#orNothing('the second run', run);
    if (!traced) return {};
    const { readFailure } = await import('@starkbox/abi');
    const path = failedPath(traced.frames, readFailure(reason ?? '').path.at(-1));
    const stacks: FrameStack[] = [];
    for (const frame of path) stacks.push(await this.#stackOf(frame, state));
    return {
      stack: stacks.at(-1)?.stack ?? [],
      outerStacks: stacks.slice(0, -1),
      printed: traced.printed.map(({ contract_address, text }) => ({
        contract: contract_address,
        text,
      })),
    };
  }

  async #stackOf(frame: RetracedFrame, state: State): Promise<FrameStack> {
    const stack = await cairoStack(frame, this.#infos, state);
    const texts = this.#infos.texts(frame.class_hash);
    return {
      contract: frame.contract_address,
      selector: frame.entry_point_selector,
      stack: await withExcerpts(stack, texts),
    };
  }

  /** A transaction as the engine reads it; undefined for one that it refuses. */
  #readBroadcasted(transaction: Broadcasted): Promise<Transaction | undefined> {
    const { options } = this.#chain;
    return this.#orNothing('the transaction', async () =>
      readBroadcasted(transaction, options.chainId, {}),
    );
  }

  /** Leaves what fails out of an explanation; the log has the cause. */
  async #orNothing<T>(subject: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#log.debug(`${subject} is left out of an explanation: ${reasonOf(error)}`);
      return undefined;
    }
  }

  /**
   * Keeps the explanation of a refused transaction for those who ask by its hash, which is returned. That of a
   * declaration is not known: its class would have to be compiled again.
   */
  async keep(transaction: Broadcasted, explained: Explanation): Promise<string | undefined> {
    if (transaction.type === 'DECLARE') return undefined;
    const hash = (await this.#readBroadcasted(transaction))?.hash;
    const block = pendingNumber(this.#chain.world);
    if (hash !== undefined) this.#refused.set(hash, { transaction, block, explained });
    return hash;
  }

  /** A transaction that was refused not long ago. */
  getRefused(hash: string): RefusedTransaction | undefined {
    return this.#refused.get(hash);
  }

  async #ofOrigin(hash: string): Promise<Explanation> {
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
    location: RetraceLocation | undefined,
    { signal }: ExplainOptions = {},
  ): Promise<Explanation> {
    const { explain } = await import('@starkbox/abi');
    const contractNames = await this.names();
    const { pendingState } = this.#chain.world;
    // An override may bring a class that the chain lacks.
    const classes = location?.context ? location.state : pendingState;
    const sources: Sources = {
      names: contractNames.own,
      namesOf: (addresses, classHashes) => contractNames.readGivenNames(addresses, classHashes),
      abi: (hash) => this.#abis.of(hash, classes),
      ...(location ? this.#reads(location, signal) : {}),
    };
    return explain(subject, sources);
  }

  /** Reads of a state. */
  #reads(
    location: RetraceLocation,
    signal: AbortSignal | undefined,
  ): Omit<Sources, 'names' | 'abi'> {
    const { executions, options } = this.#chain;
    const { state, world, number } = location;
    return {
      ...(location.context
        ? {}
        : { time: world.history.header(number + 1)?.timestamp ?? nextTime(world) }),
      l2GasPrice: world.gas.current.l2_gas_price_fri,
      storedAt: async (contract) => {
        const request = { cursor: undefined, limit: MAX_STORED, isPending: true };
        const page = await this.#orNothing(`the storage of ${contract}`, () =>
          listStorage(world, contract, request),
        );
        return page?.rows.map(({ value }) => value) ?? [];
      },
      classAt: async (address) => {
        const hash = await this.#orNothing(`the class of ${address}`, () =>
          state.classHashAt(address),
        );
        return hash === '0x0' ? undefined : hash;
      },
      nonceAt: (address) =>
        this.#orNothing(`the nonce of ${address}`, () => state.nonceAt(address)),
      read: async (contract, name, calldata) => {
        const request = {
          contract_address: contract,
          entry_point_selector: starknetKeccak(name),
          calldata,
        };
        const outcome = await this.#orNothing(`the result of ${name} of ${contract}`, () =>
          executions.call(state, contextAt(location, options), request, { signal }),
        );
        return outcome?.result;
      },
    };
  }
}

/** A transaction that was refused, and the number of the pending block at that time. */
export interface RefusedTransaction {
  readonly transaction: Broadcasted;
  readonly block: number;
  readonly explained: Explanation;
}

interface ExplainOptions {
  /** Ends the second run and the calls; the explanation is then made without them. */
  readonly signal?: AbortSignal | undefined;
}

type Traced = Pick<Subject, 'stack' | 'outerStacks' | 'printed'>;

/** Facts about what was not included. */
export interface Attempted {
  /** Transactions that were run before it. */
  readonly earlier?: readonly Broadcasted[];
  /** The block on whose state it was run; the pending one by default. */
  readonly id?: BLOCK_ID | undefined;
  readonly overrides?: OVERRIDES | undefined;
  /** Instead of a block. */
  readonly location?: RetraceLocation | undefined;
  readonly validate?: boolean;
  /** Ends the second run; the explanation is then made without it. */
  readonly signal?: AbortSignal | undefined;
}

/** Whether contracts ran, so that one of them may have failed. */
function hasRun({ status, reason = '' }: Omit<Subject, 'transaction'>): boolean {
  return status === 'REVERTED' || /contract address: 0x/i.test(reason);
}

/** The state of a block of this chain, or else the newest one. */
function attemptLocation(world: World, id: BLOCK_ID = 'pre_confirmed'): RetraceLocation {
  const number = findBlock(world, id) ?? pendingNumber(world);
  const state = keptState(world, number);
  return state
    ? { world, number, state }
    : { world, number: pendingNumber(world), state: world.pendingState };
}

/** From the answers of the three methods that show a transaction. */
function subjectOf(transaction: unknown, receipt: unknown, trace: unknown): Subject {
  const { execution_status, revert_reason } = membersOf(receipt);
  const isReverted = execution_status === 'REVERTED';
  return {
    // A DEPLOY_ACCOUNT does not say which address it deploys.
    transaction: trust({
      contract_address: membersOf(receipt)['contract_address'],
      ...membersOf(transaction),
    }),
    trace: trust(trace),
    status: isReverted ? 'REVERTED' : 'SUCCEEDED',
    ...(isReverted ? { reason: String(revert_reason) } : {}),
  };
}
