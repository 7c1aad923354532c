// Balance of an address in any ERC-20 contract, set by writing the contract's storage.
import {
  type Block,
  pedersenPair,
  type State,
  starknetKeccak,
  storageAddress,
} from '@starkbox/engine';
import { fail, refuse } from '../errors.js';
import { ADDRESS_BOUND, fromU256, hex, u256Entries } from '../felt.js';
import { onlyOriginFailures } from '../fork/fork.js';
import type { Chain } from './chain.js';
import { applied } from './steps/apply-state-diff.js';
import { pendingContext } from './steps/block-context.js';
import { closeIfDue } from './steps/close-block.js';
import { callForWriter } from './steps/executions.js';
import type { Cause } from './world/cause.js';
import { nextTime, type World } from './world/world.js';

export interface Deal {
  readonly token: string;
  readonly address: string;
  readonly amount: bigint;
  /** Name of the map of balances; undefined where the usual names are tried. */
  readonly variable?: string;
  /** In place of its name: the address of the map, or the slot of the balance. */
  readonly slot?: string;
  /** Whether the total supply changes by the same amount. */
  readonly adjustSupply: boolean;
}

export interface Dealt {
  /** Name of the map of balances, unless its slot was given. */
  readonly variable: string | undefined;
  /** The first slot of the balance. */
  readonly slot: string;
  /** The new total supply, if it was changed. */
  readonly totalSupply: bigint | undefined;
}

const BALANCE_FUNCTIONS = ['balance_of', 'balanceOf'];
const SUPPLY_FUNCTIONS = ['total_supply', 'totalSupply'];
const BALANCES = [
  'ERC20_balances',
  'balances',
  '_balances',
  'ERC20_balances_',
  'balance',
  '_balance',
  'user_balances',
  'account_balances',
];
const SUPPLIES = ['ERC20_total_supply', 'total_supply', '_total_supply', 'totalSupply', 'supply'];

/** Sets a balance in the pending block, which is closed where each transaction has its own. */
export async function deal(chain: Chain, wanted: Deal, cause?: Cause): Promise<Dealt> {
  if (wanted.amount >= 2n ** 256n) refuse('The amount must be below 2^256, as balances are');
  if (wanted.variable !== undefined && wanted.slot !== undefined) {
    refuse('Give the variable of the balances or their slot, not both');
  }
  if (BigInt(wanted.slot ?? 0) >= ADDRESS_BOUND) {
    refuse('The slot must be below 2^251 - 256, as the addresses of variables are');
  }
  // The requests to the origin run outside of the writer, so that no change waits for them.
  if (chain.options.fork) await onlyOriginFailures(written(chain, chain.world, wanted));
  return chain.write(cause, async (world) => {
    const [state, dealt] = await written(chain, world, wanted);
    return [await closeIfDue({ ...world, pendingState: state }, chain.options), dealt];
  });
}

async function written(chain: Chain, world: World, wanted: Deal): Promise<readonly [State, Dealt]> {
  const { token, address, amount, adjustSupply } = wanted;
  const { pendingState: state } = world;
  if ((await state.classHashAt(token)) === '0x0') fail('CONTRACT_NOT_FOUND');
  const contract = new Token(token, pendingContext(world, chain.options, nextTime(world)));
  const balance = await contract.view(state, BALANCE_FUNCTIONS, [address]);
  const [dealt, { variable, key: slot }] = await contract.set(
    state,
    placesOf(wanted),
    balance,
    amount,
  );
  if (!adjustSupply) return [dealt, { variable, slot, totalSupply: undefined }];
  const supply = await contract.view(dealt, SUPPLY_FUNCTIONS, []);
  const total = supply.value + amount - balance.value;
  if (total < 0n || total >= 2n ** 256n) {
    refuse(`The total supply would be ${total}, which is no u256: it is ${supply.value} now`);
  }
  const places = SUPPLIES.map((name) => placeOf(name, []));
  const [changed] = await contract.set(dealt, places, supply, total);
  return [changed, { variable, slot, totalSupply: total }];
}

/** Where a contract may hold a u256. */
interface Place {
  readonly variable: string | undefined;
  /** Of its lower half; the upper one is in the next slot. */
  readonly key: string;
}

const placeOf = (variable: string, keys: readonly string[]): Place => ({
  variable,
  key: storageAddress(variable, keys),
});

/** Where a balance may be, the likeliest place first. */
function placesOf({ address, variable, slot }: Deal): readonly Place[] {
  if (slot === undefined) {
    const names = variable === undefined ? BALANCES : [variable];
    return names.map((name) => placeOf(name, [address]));
  }
  const hashed = hex(BigInt(pedersenPair(slot, address)) % ADDRESS_BOUND);
  return [hashed, slot].map((key) => ({ variable: undefined, key }));
}

/** A function without effects that returns a u256, and what it returned. */
interface View {
  readonly name: string;
  readonly calldata: readonly string[];
  readonly value: bigint;
}

class Token {
  readonly #address: string;
  readonly #context: Block;

  constructor(address: string, context: Block) {
    this.#address = address;
    this.#context = context;
  }

  /** The first of several functions that answers. */
  async view(state: State, names: readonly string[], calldata: readonly string[]): Promise<View> {
    for (const name of names) {
      const value = await this.#call(state, name, calldata);
      if (value !== undefined) return { name, calldata, value };
    }
    return refuse(
      `The contract ${this.#address} is no ERC-20 token: it answers to none of ${names.join(', ')}`,
    );
  }

  /** Writes to the first of several places on which the value of a function depends. */
  async set(
    state: State,
    places: readonly Place[],
    { name, calldata, value: now }: View,
    value: bigint,
  ): Promise<readonly [State, Place]> {
    // Another value than the present one, which would be read whatever is written.
    const probe = value === now ? value ^ 1n : value;
    for (const place of places) {
      const probed = await state.apply(this.#diff(place, probe));
      if ((await this.#call(probed, name, calldata)) !== probe) continue;
      return [await applied(state, this.#diff(place, value), []), place];
    }
    const tried = places.map(({ variable, key }) => variable ?? key).join(', ');
    return refuse(
      `What ${name} of ${this.#address} returns depends on none of the storage variables ${tried}. ` +
        'Name the right one, give its slot, or write its slots by devnet_applyStateDiff',
      { tried: places.map(({ variable = null, key }) => ({ variable, key })) },
    );
  }

  #diff({ key }: Place, value: bigint) {
    const storage_entries = u256Entries(key, value);
    return { storage_diffs: [{ address: this.#address, storage_entries }] };
  }

  async #call(
    state: State,
    name: string,
    calldata: readonly string[],
  ): Promise<bigint | undefined> {
    const { result } = await callForWriter(state, this.#context, {
      contract_address: this.#address,
      entry_point_selector: starknetKeccak(name),
      calldata,
    });
    const [low, high = '0x0'] = result ?? [];
    return low === undefined ? undefined : fromU256(low, high);
  }
}
