// Gas prices of the pending block and of the next block.
import { toFelt } from '@starkbox/abi/basics';
import type { BlockValues } from '@starkbox/engine';
import type { HeaderPrices, Price } from '../history/header.js';

export interface GasPrices {
  readonly gas_price_wei: bigint;
  readonly data_gas_price_wei: bigint;
  readonly gas_price_fri: bigint;
  readonly data_gas_price_fri: bigint;
  readonly l2_gas_price_wei: bigint;
  readonly l2_gas_price_fri: bigint;
}

export const PRICE_NAMES: readonly (keyof GasPrices)[] = [
  'gas_price_wei',
  'data_gas_price_wei',
  'gas_price_fri',
  'data_gas_price_fri',
  'l2_gas_price_wei',
  'l2_gas_price_fri',
];

/** Prices of the pending block, and of the blocks after it. */
export interface Gas {
  readonly current: GasPrices;
  readonly next: GasPrices;
}

export function startingAt(prices: GasPrices): Gas {
  return { current: prices, next: prices };
}

/** Prices in the header of a closed block: an empty block has the next prices already. */
export function sealingPrices(gas: Gas, isEmpty: boolean): GasPrices {
  return isEmpty ? gas.next : gas.current;
}

const written = new WeakMap<GasPrices, HeaderPrices>();

/** Blocks with equal prices share one object to save memory. */
export function headerPrices(prices: GasPrices): HeaderPrices {
  const cached = written.get(prices);
  if (cached) return cached;
  const headerForm = Object.freeze({
    l1_gas_price: price(prices.gas_price_fri, prices.gas_price_wei),
    l1_data_gas_price: price(prices.data_gas_price_fri, prices.data_gas_price_wei),
    l2_gas_price: price(prices.l2_gas_price_fri, prices.l2_gas_price_wei),
  });
  written.set(prices, headerForm);
  return headerForm;
}

function price(fri: bigint, wei: bigint): Price {
  return Object.freeze({ price_in_fri: toFelt(fri), price_in_wei: toFelt(wei) });
}

/** Prices in the engine's format. */
export function enginePrices(header: HeaderPrices): BlockValues['gas_prices'] {
  const both = ({ price_in_fri, price_in_wei }: Price) => ({
    fri: price_in_fri,
    wei: price_in_wei,
  });
  return {
    l1_gas: both(header.l1_gas_price),
    l1_data_gas: both(header.l1_data_gas_price),
    l2_gas: both(header.l2_gas_price),
  };
}
