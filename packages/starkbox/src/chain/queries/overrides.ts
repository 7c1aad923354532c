// State and block of an execution with overrides: a branch of the chain that is dropped with the execution.
import { ADDRESS_BOUND, membersOf, nextSlot, toFelt } from '@starkbox/abi/basics';
import type { ClassVariables } from '@starkbox/abi/internal';
import { type Block, type SourceQuestion, State, StateSource } from '@starkbox/engine';
import type { BALANCE_OVERRIDE, BLOCK_ID, OVERRIDES, SLOT_OVERRIDE } from '@starkbox/spec';
import { invalidParams } from '../../errors.js';
import { HASH_CONTRACT } from '../../fork/block-hashes.js';
import type { Fork } from '../../fork/fork.js';
import { parse } from '../../json/json.js';
import { ETH, STRK } from '../../predeployed.js';
import type { Chain } from '../chain.js';
import { withBalance } from '../deal.js';
import { applyChange, compileClass } from '../execution/apply-state-diff.js';
import { type ContextHeader, contextHeader, makeContext } from '../execution/block-context.js';
import type { HeaderPrices } from '../history/header.js';
import { classChange } from '../replace-class.js';
import { variableSlot } from '../storage-names/variable-slot.js';
import { findBlock, noBlock, stateByNumber } from '../world/find-block.js';
import type { World } from '../world/world.js';
import { originContext, originHeader } from './replay-transaction.js';
import type { ExecutionLocation } from './simulate.js';

/** The storage variables of a class; undefined for a class that cannot be read. */
export type VariablesOf = (hash: string, state: State) => Promise<ClassVariables | undefined>;

/** What overrides need besides the chain. */
export interface OverrideContext {
  readonly variablesOf: VariablesOf;
  readonly signal?: AbortSignal | undefined;
}

/** Where to execute: after a block, with overrides. Costs what the overrides write, whatever the chain holds. */
export async function overriddenLocation(
  chain: Chain,
  id: BLOCK_ID,
  overrides: OVERRIDES,
  { variablesOf, signal }: OverrideContext,
): Promise<BranchLocation> {
  checkDuplicates(overrides);
  const base = await baseAt(chain, id, signal);
  const header = overriddenHeader(base.header, overrides.block);
  const context = base.contextOf(header);
  const branch = new Branch(chain, context, variablesOf, signal);
  const state = isStateKept(overrides) ? base.state : await branch.override(base, overrides);
  return {
    world: base.world,
    number: base.number,
    state,
    context,
    prices: header.prices,
    later: (seconds) => base.contextOf({ ...header, timestamp: header.timestamp + seconds }),
    writable: () => writable({ ...base, state }, state !== base.state),
  };
}

/** A location that executions may change. */
export interface BranchLocation extends ExecutionLocation {
  /** The context so many seconds later. */
  readonly later: (seconds: number) => Block;
  /** The state, which takes writes. */
  readonly writable: () => State;
}

const PATH = 'params.overrides';

function isStateKept({ storage = [], classes = [], nonces = [], balances = [] }: OVERRIDES) {
  return [storage, classes, nonces, balances].every((list) => list.length === 0);
}

function checkDuplicates({ classes = [], nonces = [] }: OVERRIDES): void {
  const check = (name: string, list: readonly { readonly contract_address: string }[]): void => {
    const first = new Map<string, number>();
    for (const [index, { contract_address }] of list.entries()) {
      const address = toFelt(BigInt(contract_address));
      const earlier = first.get(address);
      if (earlier !== undefined) {
        invalidParams(
          `${PATH}.${name}: expected each contract once, got ${address} in [${earlier}] and [${index}]. Remove one of them`,
        );
      }
      first.set(address, index);
    }
  };
  check('classes', classes);
  check('nonces', nonces);
}

/** Values of a block that can be overridden. */
type BlockValues = Omit<ContextHeader, 'starknetVersion'>;

/** A block of this chain or of its origin, and the state after it. */
interface Base {
  readonly world: World;
  readonly number: number;
  readonly state: State;
  readonly header: BlockValues;
  readonly contextOf: (values: BlockValues) => Block;
}

async function baseAt(chain: Chain, id: BLOCK_ID, signal: AbortSignal | undefined): Promise<Base> {
  const { world, options } = chain;
  const number = findBlock(world, id);
  if (number === undefined) {
    return options.fork ? originBase(chain, options.fork, id, signal) : noBlock(world);
  }
  const header = contextHeader(world, number);
  return {
    world,
    number,
    state: stateByNumber(world, number, id),
    header,
    contextOf: (values) => makeContext(options, { ...header, ...values }),
  };
}

/** A block from before the fork point: the origin has no overrides, so that the execution is here. */
async function originBase(
  { world, options }: Chain,
  fork: Fork,
  id: BLOCK_ID,
  signal: AbortSignal | undefined,
): Promise<Base> {
  const number = await fork.find(id, world.acceptedOnL1, signal);
  const block_id = { block_number: number };
  const [origin, block] = await Promise.all([
    fork.at(number),
    fork.answer('starknet_getBlockWithTxHashes', { block_id }, world.acceptedOnL1, signal),
  ]);
  const source = new StateSource(origin.ask, fork.sourceOptions);
  const header = originHeader(membersOf(parse(block.text)));
  return {
    world,
    number,
    state: State.create({ version: number + 1, keepHistory: false, source }),
    header,
    contextOf: (values) => originContext(options, { ...header, ...values }),
  };
}

const PRICES = {
  l1_gas_price: { price_in_wei: 'gas_price_wei', price_in_fri: 'gas_price_fri' },
  l1_data_gas_price: { price_in_wei: 'data_gas_price_wei', price_in_fri: 'data_gas_price_fri' },
  l2_gas_price: { price_in_wei: 'l2_gas_price_wei', price_in_fri: 'l2_gas_price_fri' },
} as const;

function overriddenHeader(header: BlockValues, block: OVERRIDES['block'] = {}): BlockValues {
  const { block_number, timestamp, sequencer_address, gas_prices = {} } = block;
  const price = (resource: keyof HeaderPrices): HeaderPrices['l1_gas_price'] => {
    const before = header.prices[resource];
    const { price_in_wei: wei, price_in_fri: fri } = PRICES[resource];
    const [newWei, newFri] = [gas_prices[wei], gas_prices[fri]];
    return {
      price_in_wei: newWei === undefined ? before.price_in_wei : toFelt(BigInt(newWei)),
      price_in_fri: newFri === undefined ? before.price_in_fri : toFelt(BigInt(newFri)),
    };
  };
  return {
    number: block_number ?? header.number,
    timestamp: timestamp ?? header.timestamp,
    sequencer: sequencer_address ?? header.sequencer,
    prices: {
      l1_gas_price: price('l1_gas_price'),
      l1_data_gas_price: price('l1_data_gas_price'),
      l2_gas_price: price('l2_gas_price'),
    },
  };
}

/** A slot and its new value. */
interface SlotValue {
  readonly key: string;
  readonly value: string;
}

/** The overrides of a state, applied one kind after another. */
class Branch {
  readonly #chain: Chain;
  readonly #context: Block;
  readonly #variablesOf: VariablesOf;
  readonly #signal: AbortSignal | undefined;
  /** Which override set a slot, by contract and key. */
  readonly #written = new Map<string, string>();

  constructor(
    chain: Chain,
    context: Block,
    variablesOf: VariablesOf,
    signal: AbortSignal | undefined,
  ) {
    this.#chain = chain;
    this.#context = context;
    this.#variablesOf = variablesOf;
    this.#signal = signal;
  }

  async override(base: Base, overrides: OVERRIDES): Promise<State> {
    const { storage = [], classes = [], nonces = [], balances = [] } = overrides;
    let state = writable(base, false);
    for (const [index, override] of classes.entries()) {
      state = await this.#withClass(state, override, `${PATH}.classes[${index}]`);
    }
    const storage_diffs: { address: string; storage_entries: readonly SlotValue[] }[] = [];
    for (const [index, { contract_address: address, entries }] of storage.entries()) {
      const path = `${PATH}.storage[${index}]`;
      const hash = await assertExists(state, address, `${path}.contract_address`);
      const storage_entries: SlotValue[] = [];
      for (const [position, entry] of entries.entries()) {
        const entryPath = `${path}.entries[${position}]`;
        const key = await this.#keyOf(state, hash, entry, entryPath);
        storage_entries.push(...this.#slots(address, key, entry, entryPath));
      }
      storage_diffs.push({ address, storage_entries });
    }
    for (const [index, { contract_address }] of nonces.entries()) {
      await assertExists(state, contract_address, `${PATH}.nonces[${index}].contract_address`);
    }
    state = await state.apply({ storage_diffs, nonces });
    for (const [index, balance] of balances.entries()) {
      state = await this.#withBalance(state, balance, `${PATH}.balances[${index}]`);
    }
    return state;
  }

  async #withClass(
    state: State,
    { contract_address: address, class_hash, contract_class }: ClassOverride,
    path: string,
  ): Promise<State> {
    if ((class_hash === undefined) === (contract_class === undefined)) {
      const given = class_hash === undefined ? 'neither' : 'both';
      invalidParams(`${path}: expected either class_hash or contract_class, got ${given}`);
    }
    if (BigInt(address) === 0n) {
      invalidParams(`${path}.contract_address: expected an address above 0x0, got 0x0`);
    }
    const compiled = contract_class
      ? await compileClass(contract_class, this.#chain.options.classLimits)
      : undefined;
    const hash = compiled?.hash ?? class_hash ?? '0x0';
    const isDeployed = (await state.classHashAt(address)) !== '0x0';
    const change = classChange(address, hash, compiled, isDeployed);
    return applyChange(state, change, compiled ? [compiled] : []);
  }

  /** The first slot of an entry. */
  async #keyOf(
    state: State,
    hash: string,
    { key, variable, keys }: SLOT_OVERRIDE,
    path: string,
  ): Promise<string> {
    if ((key === undefined) === (variable === undefined)) {
      const given = key === undefined ? 'neither' : 'both';
      return invalidParams(`${path}: expected either key or variable, got ${given}`);
    }
    if (variable === undefined) {
      if (keys !== undefined) {
        invalidParams(`${path}.keys: expected a variable with keys, got a key. Give variable`);
      }
      return key ?? '0x0';
    }
    const variables = await this.#variablesOf(hash, state);
    return variableSlot({ variable, keys }, variables, path);
  }

  /** The slots of an entry; two overrides of a slot are a mistake. */
  #slots(address: string, key: string, { value }: SLOT_OVERRIDE, path: string) {
    const values = typeof value === 'string' ? [value] : value;
    if (BigInt(key) + BigInt(values.length) > ADDRESS_BOUND) {
      invalidParams(`${path}: expected slots below 2^251 - 256, got ${key}`);
    }
    return values.map((felt, offset): SlotValue => {
      const slot = toFelt(BigInt(key) + BigInt(offset));
      this.#claim(address, slot, path);
      return { key: slot, value: felt };
    });
  }

  #claim(address: string, key: string, path: string): void {
    const name = `${toFelt(BigInt(address))} ${toFelt(BigInt(key))}`;
    const earlier = this.#written.get(name);
    if (earlier !== undefined) {
      invalidParams(
        `${path}: expected each slot once, but ${earlier} sets slot ${key} of ${address} as well. Remove one of them`,
      );
    }
    this.#written.set(name, path);
  }

  async #withBalance(
    state: State,
    { address, amount, unit, token, variable }: BALANCE_OVERRIDE,
    path: string,
  ): Promise<State> {
    if (unit !== undefined && token !== undefined) {
      invalidParams(`${path}: expected either unit or token, got both`);
    }
    if (BigInt(amount) >= 2n ** 256n) {
      invalidParams(`${path}.amount: expected less than 2^256, got ${amount}`);
    }
    const contract = token ?? (unit === 'WEI' ? ETH : STRK);
    await assertExists(state, contract, `${path}.token`);
    const deal = { token: contract, address, amount: BigInt(amount), adjustSupply: false };
    const { executions } = this.#chain;
    const [next, { slot }] = await withBalance(
      state,
      variable === undefined ? deal : { ...deal, variable },
      (probed, call) => executions.call(probed, this.#context, call, { signal: this.#signal }),
    );
    this.#claim(contract, slot, path);
    this.#claim(contract, nextSlot(slot), path);
    return next;
  }
}

type ClassOverride = NonNullable<OVERRIDES['classes']>[number];

/** The class hash of a contract. The contract of block hashes has none. */
async function assertExists(state: State, address: string, path: string): Promise<string> {
  const hash = await state.classHashAt(address);
  if (hash !== '0x0' || address === HASH_CONTRACT) return hash;
  return invalidParams(
    `${path}: expected a deployed contract, got ${address}. Add it to ${PATH}.classes to assume a contract there`,
  );
}

/** A state that takes writes: older ones are views, above which an empty state is written. */
function writable({ world, state, number }: Base, isWritten: boolean): State {
  const isNewest = state === world.pendingState || state === world.latestState;
  if (isNewest || isWritten) return state;
  const source = new StateSource((question) => answerFrom(state, question));
  return State.create({ version: number + 1, keepHistory: false, source });
}

async function answerFrom(
  state: State,
  question: SourceQuestion,
): Promise<string | Uint8Array | null> {
  switch (question.kind) {
    case 'storage':
      return state.storageAt(question.address, question.key);
    case 'nonce':
      return state.nonceAt(question.address);
    case 'class_hash':
      return state.classHashAt(question.address);
    case 'class':
      return (await (await state.class(question.class_hash))?.pack()) ?? null;
  }
}
