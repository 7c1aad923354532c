// STRK for accounts that send a transaction and hold none.
import { fromU256, nextSlot, u256Entries } from '@starkbox/abi/basics';
import { type State, storageAddress, type Transaction } from '@starkbox/engine';
import { STRK } from '../../predeployed.js';
import { applyDiff } from './apply-state-diff.js';

/**
 * The state in which the sender of a transaction holds STRK; the total supply grows with it.
 *
 * @param amount in fri; undefined where no account is funded
 */
export async function fundAccount(
  state: State,
  { address, type }: Transaction,
  amount: bigint | undefined,
): Promise<State> {
  if (amount === undefined || type === 'L1_HANDLER') return state;
  if ((await balanceIn(state, STRK, address)) !== 0n) return state;
  const balance = balanceSlot(address);
  const supply = storageAddress('ERC20_total_supply');
  const total = (await wideAt(state, STRK, supply)) + amount;
  const storage_entries = [...u256Entries(balance, amount), ...u256Entries(supply, total)];
  return applyDiff(state, { storage_diffs: [{ address: STRK, storage_entries }] }, []);
}

/** What an address holds of a token with the storage of the predeployed ones. */
export function balanceIn(state: State, token: string, address: string): Promise<bigint> {
  return wideAt(state, token, balanceSlot(address));
}

const balanceSlot = (address: string): string => storageAddress('ERC20_balances', [address]);

async function wideAt(state: State, token: string, key: string): Promise<bigint> {
  return fromU256(await state.storageAt(token, key), await state.storageAt(token, nextSlot(key)));
}
