// STRK for accounts that send a transaction and hold none.
import { type State, storageAddress, type Transaction } from '@starkbox/engine';
import { fromU256, nextSlot, u256Entries } from '../../felt.js';
import { STRK } from '../genesis/genesis.js';
import { applied } from './apply-state-diff.js';

/**
 * The state in which the sender of a transaction holds STRK; the total supply grows with it.
 *
 * @param amount in fri; undefined where no account is funded
 */
export async function fundedState(
  state: State,
  { address, type }: Transaction,
  amount: bigint | undefined,
): Promise<State> {
  if (amount === undefined || type === 'L1_HANDLER') return state;
  if ((await strkBalance(state, address)) !== 0n) return state;
  const balance = balanceSlot(address);
  const supply = storageAddress('ERC20_total_supply');
  const total = (await wideAt(state, supply)) + amount;
  const storage_entries = [...u256Entries(balance, amount), ...u256Entries(supply, total)];
  return applied(state, { storage_diffs: [{ address: STRK, storage_entries }] }, []);
}

export function strkBalance(state: State, address: string): Promise<bigint> {
  return wideAt(state, balanceSlot(address));
}

const balanceSlot = (address: string): string => storageAddress('ERC20_balances', [address]);

async function wideAt(state: State, key: string): Promise<bigint> {
  return fromU256(await state.storageAt(STRK, key), await state.storageAt(STRK, nextSlot(key)));
}
