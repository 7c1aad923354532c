// Balance of an address in any ERC-20 contract, set by writing the contract's storage.
import { ADDRESS_BOUND, fromU256, toFelt, u256Entries } from '@starkbox/abi/basics';
import {
  type CallOutcome,
  pedersenPair,
  type State,
  starknetKeccak,
  storageAddress,
} from '@starkbox/engine';
import type { FUNCTION_CALL } from '@starkbox/spec';
import { failContract, refuse } from '../errors.js';
import { onlyOriginFailures } from '../fork/fork.js';
import type { Chain } from './chain.js';
import { applyDiff } from './execution/apply-state-diff.js';
import { pendingContext } from './execution/block-context.js';
import { callForWriter } from './execution/executions.js';
import { closeIfDue } from './steps/close-block.js';
import type { Cause } from './world/cause.js';
import { withDirectWrite } from './world/direct-writes.js';
import { nextTime, type World } from './world/world.js';

export interface Deal {
  readonly token: string;
  readonly address: string;
  readonly amount: bigint;
  /** Name of the map of balances; undefined where the usual names are tried. */
  readonly variable?: string;
  /** In location of its name: the address of the map, or the slot of the balance. */
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
const SUPPLY_VARIABLES = [
  'ERC20_total_supply',
  'total_supply',
  '_total_supply',
  'totalSupply',
  'supply',
];

/** Sets a balance in the pending block, which is closed where each transaction has its own. */
export async function deal(chain: Chain, request: Deal, cause?: Cause): Promise<Dealt> {
  if (request.amount >= 2n ** 256n) refuse('The amount must be below 2^256');
  if (request.variable !== undefined && request.slot !== undefined) {
    refuse('Give either the variable or the slot of the balances, not both');
  }
  if (BigInt(request.slot ?? 0) >= ADDRESS_BOUND) {
    refuse('The slot must be below 2^251 - 256, the limit of storage addresses');
  }
  // The requests to the origin run outside of the writer, so that no change waits for them.
  if (chain.options.fork) await onlyOriginFailures(writeBalance(chain, chain.world, request));
  return chain.write(cause, async (world) => {
    const [state, dealt] = await writeBalance(chain, world, request);
    return [await closeIfDue(withDirectWrite(world, state), chain.options), dealt];
  });
}

async function writeBalance(
  chain: Chain,
  world: World,
  request: Deal,
): Promise<readonly [State, Dealt]> {
  const { pendingState: state } = world;
  if ((await state.classHashAt(request.token)) === '0x0') failContract(request.token);
  const context = pendingContext(world, chain.options, nextTime(world));
  return withBalance(state, request, (probed, call) => callForWriter(probed, context, call));
}

/** Calls a function on a state. */
export type CallOn = (state: State, call: FUNCTION_CALL) => Promise<CallOutcome>;

/** The state with a balance of a deployed token. */
export async function withBalance(
  state: State,
  request: Deal,
  call: CallOn,
): Promise<readonly [State, Dealt]> {
  const { token, address, amount, adjustSupply } = request;
  const contract = new Token(token, call);
  const balance = await contract.view(state, BALANCE_FUNCTIONS, [address]);
  const [dealt, { variable, key: slot }] = await contract.set(
    state,
    locationsOf(request),
    balance,
    amount,
  );
  if (!adjustSupply) return [dealt, { variable, slot, totalSupply: undefined }];
  const supply = await contract.view(dealt, SUPPLY_FUNCTIONS, []);
  const total = supply.value + amount - balance.value;
  if (total < 0n || total >= 2n ** 256n) {
    refuse(`The total supply would be ${total}, which exceeds a u256: it is ${supply.value} now`);
  }
  const locations = SUPPLY_VARIABLES.map((name) => locationOf(name, []));
  const [changed] = await contract.set(dealt, locations, supply, total);
  return [changed, { variable, slot, totalSupply: total }];
}

/** Where a contract may hold a u256. */
interface StorageLocation {
  readonly variable: string | undefined;
  /** Of its lower half; the upper one is in the next slot. */
  readonly key: string;
}

const locationOf = (variable: string, keys: readonly string[]): StorageLocation => ({
  variable,
  key: storageAddress(variable, keys),
});

/** Where a balance may be, the likeliest location first. */
function locationsOf({ address, variable, slot }: Deal): readonly StorageLocation[] {
  if (slot === undefined) {
    const names = variable === undefined ? BALANCES : [variable];
    return names.map((name) => locationOf(name, [address]));
  }
  const hashed = toFelt(BigInt(pedersenPair(slot, address)) % ADDRESS_BOUND);
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
  readonly #callOn: CallOn;

  constructor(address: string, callOn: CallOn) {
    this.#address = address;
    this.#callOn = callOn;
  }

  /** The first of several functions that answers. */
  async view(state: State, names: readonly string[], calldata: readonly string[]): Promise<View> {
    for (const name of names) {
      const value = await this.#call(state, name, calldata);
      if (value !== undefined) return { name, calldata, value };
    }
    return refuse(
      `The contract ${this.#address} is not an ERC-20 token: it has none of the functions ${names.join(', ')}`,
    );
  }

  /** Writes to the first of several locations on which the value of a function depends. */
  async set(
    state: State,
    locations: readonly StorageLocation[],
    { name, calldata, value: now }: View,
    value: bigint,
  ): Promise<readonly [State, StorageLocation]> {
    // Another value than the present one, which would be read whatever is written.
    const probe = value === now ? value ^ 1n : value;
    for (const location of locations) {
      const probed = await state.apply(this.#diff(location, probe));
      if ((await this.#call(probed, name, calldata)) !== probe) continue;
      return [await applyDiff(state, this.#diff(location, value), []), location];
    }
    const tried = locations.map(({ variable, key }) => variable ?? key).join(', ');
    return refuse(
      `The function ${name} of ${this.#address} reads none of the storage variables ${tried}. ` +
        'Name the right variable, give its slot, or write the slots with devnet_applyStateDiff',
      { tried: locations.map(({ variable = null, key }) => ({ variable, key })) },
    );
  }

  #diff({ key }: StorageLocation, value: bigint) {
    const storage_entries = u256Entries(key, value);
    return { storage_diffs: [{ address: this.#address, storage_entries }] };
  }

  async #call(
    state: State,
    name: string,
    calldata: readonly string[],
  ): Promise<bigint | undefined> {
    const { result } = await this.#callOn(state, {
      contract_address: this.#address,
      entry_point_selector: starknetKeccak(name),
      calldata,
    });
    const [low, high = '0x0'] = result ?? [];
    return low === undefined ? undefined : fromU256(low, high);
  }
}
