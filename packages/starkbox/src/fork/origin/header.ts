// Reader of the block that a fork begins at, for all versions of the specification.
import { membersOf } from '@starkbox/abi/basics';
import { fail } from '../../errors.js';
import { OriginFailure } from './failure.js';
import { canonical, isFelt } from './reads.js';

export interface ForkPrice {
  readonly price_in_fri: string;
  readonly price_in_wei: string;
}

/** Fork point: the last block of the origin. */
export interface ForkBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: number;
  /** Old blocks lack some prices. */
  readonly prices: {
    readonly l1_gas_price: ForkPrice | undefined;
    readonly l1_data_gas_price: ForkPrice | undefined;
    readonly l2_gas_price: ForkPrice | undefined;
  };
  readonly starknetVersion: string;
  readonly l1DaMode: string | undefined;
}

/** A block in the origin's format, without its status, which may change, and its transactions. */
export function headerOf(answer: unknown): object {
  const { status: _status, transactions: _transactions, ...header } = membersOf(answer);
  return header;
}

export function readForkBlock(header: object): ForkBlock {
  const members = membersOf(header);
  const { block_number: number, block_hash: hash, parent_hash: parentHash, timestamp } = members;
  if (hash === undefined) fail('BLOCK_NOT_FOUND', 'only closed blocks can be forked');
  if (
    typeof number !== 'number' ||
    typeof timestamp !== 'number' ||
    !isFelt(hash) ||
    !isFelt(parentHash)
  ) {
    throw new OriginFailure('malformed', '', 'the block to fork has an unexpected format');
  }
  const { starknet_version: version, l1_da_mode: mode } = members;
  return {
    number,
    hash: canonical(hash),
    parentHash: canonical(parentHash),
    timestamp,
    prices: {
      l1_gas_price: price(members['l1_gas_price']),
      l1_data_gas_price: price(members['l1_data_gas_price']),
      l2_gas_price: price(members['l2_gas_price']),
    },
    starknetVersion: typeof version === 'string' ? version : '',
    l1DaMode: typeof mode === 'string' ? mode : undefined,
  };
}

function price(value: unknown): ForkPrice | undefined {
  const { price_in_fri: fri, price_in_wei: wei } = membersOf(value);
  if (!isFelt(fri) || !isFelt(wei)) return undefined;
  return { price_in_fri: canonical(fri), price_in_wei: canonical(wei) };
}
