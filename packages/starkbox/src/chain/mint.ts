// Minting of tokens by a transaction, and balances.
import { fromU256, PRIME, u256 } from '@starkbox/abi/basics';
import { type CallOutcome, starknetKeccak } from '@starkbox/engine';
import type { BLOCK_ID, BROADCASTED_INVOKE_TXN, FUNCTION_CALL, PRICE_UNIT } from '@starkbox/spec';
import { RpcError, refuse } from '../errors.js';
import { ETH, STRK } from '../predeployed.js';
import type { Chain } from './chain.js';
import { contextOf, pendingContext } from './execution/block-context.js';
import { callForWriter } from './execution/executions.js';
import { balanceIn } from './execution/fund-account.js';
import { readReceipt } from './history/stored-texts.js';
import { minterInvoke } from './minter.js';
import type { Cause } from './world/cause.js';
import { findBlock, stateByNumber } from './world/find-block.js';
import { findTransaction, nextTime, type World } from './world/world.js';

const OVERFLOW = 'u256_add Overflow';
/** From 2^256 on the token refuses an amount; from here on no transaction can contain it. */
const BEYOND_CALLDATA = PRIME << 128n;

export interface Minted {
  readonly hash: string;
  readonly balance: bigint;
}

/** Mints by a transaction of the minting account. */
export async function mint(
  chain: Chain,
  address: string,
  amount: bigint,
  unit: PRICE_UNIT,
  cause?: Cause,
): Promise<Minted> {
  if (amount >= BEYOND_CALLDATA) refuse('The amount is larger than two felts can carry');
  const { hash, located, balance } = await chain.submitTo(
    (world) => mintTransaction(chain, world, address, amount, unit),
    // Read by the writer: with the queue of calls full, a completed mint must not fail.
    async (world, hash) => ({
      hash,
      located: findTransaction(world, hash),
      balance: await balanceAfter(chain, world, address, unit),
    }),
    cause,
  );
  const receipt = located && readReceipt(located.record.receipt);
  if (receipt?.execution_status === 'REVERTED') {
    const reason = receipt.revert_reason ?? '';
    throw new RpcError(-1, 'Minting reverted', {
      tx_hash: hash,
      revert_reason: reason.includes(OVERFLOW)
        ? "The requested minting amount overflows the token contract's total_supply."
        : reason,
    });
  }
  return { hash, balance: balance() };
}

/** The pending balance: read from the storage of a predeployed token, else by a call, whose failure is thrown later. */
async function balanceAfter(
  chain: Chain,
  world: World,
  address: string,
  unit: PRICE_UNIT,
): Promise<() => bigint> {
  const { pendingState: state } = world;
  const { strk, eth } = chain.options.genesis;
  const token = unit === 'FRI' ? strk : eth;
  if ((await state.classHashAt(token.address)) === token.classHash) {
    const balance = await balanceIn(state, token.address, address);
    return () => balance;
  }
  const context = pendingContext(world, chain.options, nextTime(world));
  const called = await callForWriter(state, context, balanceRequest(address, unit));
  return () => balanceFrom(called);
}

async function mintTransaction(
  chain: Chain,
  world: World,
  address: string,
  amount: bigint,
  unit: PRICE_UNIT,
): Promise<BROADCASTED_INVOKE_TXN> {
  const { low, high } = u256(amount);
  const mint = starknetKeccak('permissioned_mint');
  return minterInvoke(chain, world, [
    { to: tokenOf(unit), selector: mint, calldata: [address, low, high] },
  ]);
}

function tokenOf(unit: PRICE_UNIT): string {
  return unit === 'FRI' ? STRK : ETH;
}

/** The balance of an address at a block. */
export async function balanceOf(
  chain: Chain,
  address: string,
  unit: PRICE_UNIT,
  id: BLOCK_ID,
  signal?: AbortSignal,
): Promise<bigint> {
  const { world } = chain;
  const number = findBlock(world, id) ?? refuse('No block found');
  const context = contextOf(world, chain.options, number);
  const request = balanceRequest(address, unit);
  const state = stateByNumber(world, number, id);
  return balanceFrom(await chain.executions.call(state, context, request, { signal }));
}

function balanceRequest(address: string, unit: PRICE_UNIT): FUNCTION_CALL {
  return {
    contract_address: tokenOf(unit),
    entry_point_selector: starknetKeccak('balanceOf'),
    calldata: [address],
  };
}

function balanceFrom({ result, failure }: CallOutcome): bigint {
  if (failure) refuse(failure.message);
  const [low = '0x0', high = '0x0'] = result;
  return fromU256(low, high);
}
