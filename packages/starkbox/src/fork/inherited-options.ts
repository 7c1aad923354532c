// Options that a fork inherits from its fork point: the chain id, the prices and the version of Starknet.

import type { Config, ConfigKey } from '../config/options.js';
import { feltBytes } from '../felt.js';
import { nearestVersion } from '../starknet-versions.js';
import type { Fork } from './fork.js';

type Inherited = Pick<
  Config,
  | 'chainId'
  | 'starknetVersion'
  | 'gasPriceWei'
  | 'gasPriceFri'
  | 'dataGasPriceWei'
  | 'dataGasPriceFri'
  | 'l2GasPriceWei'
  | 'l2GasPriceFri'
>;

/**
 * The config with the origin's values for options that were not given.
 *
 * @param givenKeys keys that were given a value, which may be the default
 */
export function withInherited<C extends Inherited>(
  config: C,
  givenKeys: ReadonlySet<ConfigKey>,
  fork: Fork,
): C {
  const { prices } = fork.block;
  const price = (
    key: Exclude<keyof Inherited, 'chainId' | 'starknetVersion'>,
    of: keyof typeof prices,
    unit: 'price_in_fri' | 'price_in_wei',
  ): bigint => {
    const theirs = BigInt(prices[of]?.[unit] ?? '0x0');
    // Old blocks lack some prices, and a price of zero is invalid.
    return !givenKeys.has(key) && theirs > 0n ? theirs : config[key];
  };
  return {
    ...config,
    chainId: nameOf(fork.chainId),
    starknetVersion: givenKeys.has('starknetVersion')
      ? config.starknetVersion
      : nearestVersion(fork.starknetVersion).version,
    gasPriceWei: price('gasPriceWei', 'l1_gas_price', 'price_in_wei'),
    gasPriceFri: price('gasPriceFri', 'l1_gas_price', 'price_in_fri'),
    dataGasPriceWei: price('dataGasPriceWei', 'l1_data_gas_price', 'price_in_wei'),
    dataGasPriceFri: price('dataGasPriceFri', 'l1_data_gas_price', 'price_in_fri'),
    l2GasPriceWei: price('l2GasPriceWei', 'l2_gas_price', 'price_in_wei'),
    l2GasPriceFri: price('l2GasPriceFri', 'l2_gas_price', 'price_in_fri'),
  };
}

/** The text that a chain id spells. */
function nameOf(chainId: string): string {
  return feltBytes(chainId).toString('latin1');
}
