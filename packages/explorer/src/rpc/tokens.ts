// Symbols and decimals of tokens, as the node reads them from their contracts.
import { ETH_ADDRESS, STRK_ADDRESS } from '@starkbox/abi/internal';
import { ETH, STRK, type Unit } from '../format/amount.js';
import { contractNames, type LoadedName, useContractFacts, useNamesOf } from '../format/names.js';
import { escapeText } from '../format/untrusted-text.js';

const MAX_DECIMALS = 77;
const MAX_SYMBOL_LENGTH = 12;
/** A symbol that reads as a word of its own. */
const PLAIN_SYMBOL = /^[A-Za-z][A-Za-z0-9.$-]*$/;
/** Symbols of tokens that any contract could claim. */
const RESERVED = new Set(['strk', 'eth', 'fri', 'wei', 'tokens']);

/** Tokens of every chain. */
const FIXTURES: ReadonlyMap<string, Unit> = new Map([
  [STRK_ADDRESS, STRK],
  [ETH_ADDRESS, ETH],
]);

type Facts = Pick<LoadedName, 'token'>;

const units = new WeakMap<Facts, Unit>();

/** The unit of a token, from what the node says about its contract. */
export function unitOfContract(address: string, facts: Facts | undefined): Unit | undefined {
  return FIXTURES.get(address) ?? unitIn(facts);
}

function unitIn(facts: Facts | undefined): Unit | undefined {
  if (!facts?.token || facts.token.decimals > MAX_DECIMALS) return undefined;
  const { symbol, decimals } = facts.token;
  const unit = units.get(facts) ?? { symbol: shownSymbol(symbol), base: 'base units', decimals };
  units.set(facts, unit);
  return unit;
}

/** In quotes where it could be read as another token or as a part of the sentence. */
function shownSymbol(symbol: string | undefined): string {
  if (symbol === undefined || symbol === '') return 'tokens';
  const { text, cutFrom } = escapeText(symbol, MAX_SYMBOL_LENGTH);
  const isPlain = PLAIN_SYMBOL.test(text) && !RESERVED.has(text.toLowerCase());
  return isPlain && cutFrom === undefined ? text : `“${text}”`;
}

/** The unit of a token, loaded with the other names of the page; undefined for a contract that is no token. */
export function useToken(address: string): Unit | undefined {
  const facts = useContractFacts(address);
  return FIXTURES.get(address) ?? unitIn(facts);
}

/** The units of those contracts that are tokens. */
export function useTokens(addresses: readonly string[]): ReadonlyMap<string, Unit> {
  useNamesOf(addresses);
  const found = new Map<string, Unit>();
  for (const address of addresses) {
    const unit = FIXTURES.get(address) ?? unitIn(contractNames.get(address));
    if (unit) found.set(address, unit);
  }
  return found;
}
