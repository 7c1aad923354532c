// Symbol and decimals of tokens, as their contracts report them.
import { type Abi, decodeShortString, selectorOf } from '@starkbox/abi';
import { useQueries } from '@tanstack/react-query';
import type { Unit } from '../../format/amount.js';
import { escapeText } from '../../format/untrusted-text.js';
import { tokenOf } from '../../parts/transaction/decoded-value.js';
import { call } from '../../rpc/client.js';

const DECIMALS = selectorOf('decimals');
const SYMBOL = selectorOf('symbol');
const MOST_DECIMALS = 77;
const LONGEST_SYMBOL = 12;

/** A contract whose class has `decimals`. */
export interface Candidate {
  readonly address: string;
  readonly abi: Abi | undefined;
}

async function ask(contract_address: string, entry_point_selector: string) {
  return call('starknet_call', {
    request: { contract_address, entry_point_selector, calldata: [] },
    block_id: 'latest',
  });
}

/** A short string, or the start of a byte array; names from contracts are shown in quotes. */
function symbolIn(answer: readonly string[]): string | undefined {
  const word = decodeShortString(answer.length === 1 ? (answer[0] ?? '') : (answer.at(-2) ?? ''));
  return word === undefined ? undefined : `“${escapeText(word, LONGEST_SYMBOL).text}”`;
}

async function readUnit(address: string): Promise<Unit | null> {
  const [decimals, symbol] = await Promise.allSettled([
    ask(address, DECIMALS),
    ask(address, SYMBOL),
  ]);
  if (decimals.status === 'rejected') return null;
  const places = Number(decimals.value[0] ?? 'NaN');
  if (!(places <= MOST_DECIMALS)) return null;
  const word = symbol.status === 'fulfilled' ? symbolIn(symbol.value) : undefined;
  return { symbol: word ?? 'tokens', base: 'base units', decimals: places };
}

export function isToken({ address, abi }: Candidate): boolean {
  return tokenOf(address) !== undefined || abi?.functions.has(DECIMALS) === true;
}

export function useTokens(candidates: readonly Candidate[]): ReadonlyMap<string, Unit> {
  const unknown = candidates.filter(
    ({ address, abi }) => tokenOf(address) === undefined && abi?.functions.has(DECIMALS) === true,
  );
  return useQueries({
    queries: unknown.map(({ address }) => ({
      queryKey: ['token', address],
      queryFn: () => readUnit(address),
      retry: false,
    })),
    combine: (results) => {
      const units = new Map<string, Unit>();
      for (const { address } of candidates) {
        const unit = tokenOf(address);
        if (unit) units.set(address, unit);
      }
      results.forEach(({ data }, at) => {
        const address = unknown[at]?.address;
        if (data && address !== undefined) units.set(address, data);
      });
      return units;
    },
  });
}
