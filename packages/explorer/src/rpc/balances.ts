// Balances of accounts in tokens other than STRK and ETH.
import { selectorOf } from '@starkbox/abi';
import { ETH_ADDRESS, STRK_ADDRESS } from '@starkbox/abi/internal';
import { useMemo } from 'react';
import type { Unit } from '../format/amount.js';
import { call } from './client.js';
import { useContractIndex } from './contract-index.js';
import { useCurrent } from './queries.js';

export interface Balance {
  readonly token: string;
  readonly unit: Unit;
  readonly amount: bigint;
}

type Token = Omit<Balance, 'amount'>;

/** Calls of one refresh, over all accounts. */
const MAX_CALLS = 200;
const SPELLINGS = [selectorOf('balance_of'), selectorOf('balanceOf')];
const FEE_TOKENS = new Set([STRK_ADDRESS, ETH_ADDRESS]);

/** The spelling that each token has responded to. */
const spellings = new Map<string, string>();
const MAX_SPELLINGS = 1_000;

/** Zero where the token does not respond. */
async function readBalance(token: string, account: string): Promise<bigint> {
  const known = spellings.get(token);
  for (const selector of known === undefined ? SPELLINGS : [known]) {
    try {
      const [low = '0x0', high = '0x0'] = await call('starknet_call', {
        request: { contract_address: token, entry_point_selector: selector, calldata: [account] },
        block_id: 'pre_confirmed',
      });
      if (spellings.size >= MAX_SPELLINGS) spellings.clear();
      spellings.set(token, selector);
      return BigInt(low) + (BigInt(high) << 128n);
    } catch {
      // The token may have the other spelling.
    }
  }
  return 0n;
}

export interface Balances {
  /** By account, without zeros. */
  readonly byAccount: ReadonlyMap<string, readonly Balance[]>;
  /** Tokens among the newest contracts, and how many of them were read. */
  readonly tokenCount: number;
  readonly readCount: number;
}

const NO_TOKENS: readonly Token[] = [];

/** Read again after each change of the chain; undefined until then. */
export function useBalances(accounts: readonly string[]): Balances | undefined {
  const index = useContractIndex();
  const tokens = useMemo(
    () =>
      index.data?.contracts.flatMap(({ contract_address: token, unit }) =>
        unit && !FEE_TOKENS.has(token) ? [{ token, unit }] : [],
      ) ?? NO_TOKENS,
    [index.data],
  );
  const { data } = useCurrent(
    ['balances', accounts, tokens.map(({ token }) => token)],
    () => readBalances(accounts, tokens),
    { isWanted: index.data !== undefined && accounts.length > 0 },
  );
  return data;
}

async function readBalances(
  accounts: readonly string[],
  tokens: readonly Token[],
): Promise<Balances> {
  const readTokens = tokens.slice(0, Math.max(1, Math.floor(MAX_CALLS / accounts.length)));
  const entries = await Promise.all(
    accounts.map(async (account) => {
      const balances = await Promise.all(
        readTokens.map(
          async (token): Promise<Balance> => ({
            ...token,
            amount: await readBalance(token.token, account),
          }),
        ),
      );
      return [account, balances.filter(({ amount }) => amount > 0n)] as const;
    }),
  );
  return {
    byAccount: new Map(entries),
    tokenCount: tokens.length,
    readCount: readTokens.length,
  };
}
