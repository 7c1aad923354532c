// Facts of a token as its contract reports them: name, symbol, decimals, supply.
import { type Abi, selectorOf } from '@starkbox/abi';
import { decodeShortString } from '@starkbox/abi/basics';
import type { Unit } from '../../../format/amount.js';
import { escapeText } from '../../../format/untrusted-text.js';
import { call, RpcFailure } from '../../../rpc/client.js';
import { useCurrent } from '../../../rpc/queries.js';
import { unitOfContract } from '../../../rpc/tokens.js';

export interface TokenFacts {
  readonly name: string | undefined;
  readonly unit: Unit;
  /** Undefined where the contract has no such function. */
  readonly supply: bigint | undefined;
}

const MAX_DECIMALS = 77;
const MAX_NAME_LENGTH = 60;
const DECIMALS = selectorOf('decimals');
const BALANCES = [selectorOf('balance_of'), selectorOf('balanceOf')];

/** Whether the class has the functions of an ERC-20. */
export function isToken(abi: Abi): boolean {
  return abi.functions.has(DECIMALS) && BALANCES.some((selector) => abi.functions.has(selector));
}

/** Codes of a contract that does not exist, has no such function, or fails in it. */
const NO_RESULT: ReadonlySet<number> = new Set([20, 21, 40]);

/** Empty where the contract has no result. */
async function ask(contract_address: string, name: string): Promise<readonly string[]> {
  try {
    return await call('starknet_call', {
      request: { contract_address, entry_point_selector: selectorOf(name), calldata: [] },
      block_id: 'pre_confirmed',
    });
  } catch (error) {
    if (error instanceof RpcFailure && NO_RESULT.has(error.code)) return [];
    throw error;
  }
}

/** A short string, or a byte array: its number of words, the words, the rest, and the length of the rest. */
export function textIn(answer: readonly string[]): string | undefined {
  const words = answer.length === 1 ? answer : answer.slice(1, -1);
  const texts = words.flatMap((word) => (word === '0x0' ? [] : (decodeShortString(word) ?? '?')));
  return texts.length === 0 ? undefined : texts.join('');
}

/** A u256 in two felts, or any number in one. */
export function numberIn(answer: readonly string[]): bigint | undefined {
  const [low, high = '0x0'] = answer;
  return low === undefined ? undefined : BigInt(low) + (BigInt(high) << 128n);
}

/** Null where the contract is not a token. */
async function readToken(address: string): Promise<TokenFacts | null> {
  const [name, symbol, decimals, supply, camelSupply] = await Promise.all([
    ask(address, 'name'),
    ask(address, 'symbol'),
    ask(address, 'decimals'),
    ask(address, 'total_supply'),
    ask(address, 'totalSupply'),
  ]);
  const places = Number(decimals[0] ?? 'NaN');
  if (!(places <= MAX_DECIMALS)) return null;
  const writtenName = textIn(name);
  const token = { decimals: places, symbol: textIn(symbol) ?? '' };
  const unit = unitOfContract(address, { token });
  if (!unit) return null;
  return {
    name: writtenName === undefined ? undefined : escapeText(writtenName, MAX_NAME_LENGTH).text,
    unit,
    supply: numberIn(supply) ?? numberIn(camelSupply),
  };
}

/** Read again after each change of the chain. */
export function useTokenFacts(address: string) {
  return useCurrent(['token facts', address], () => readToken(address));
}
