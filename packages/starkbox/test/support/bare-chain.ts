// A chain without a node around it, with default options.
import { Chain, type ChainOptions } from '../../src/chain/chain.js';
import { createGenesis } from '../../src/chain/genesis/genesis.js';
import { defaultConfig } from '../../src/config/options.js';

export async function bareChain(
  blockGeneration: 'transaction' | 'demand',
  changes: Partial<ChainOptions> = {},
): Promise<Chain> {
  const config = defaultConfig({ seed: 0, accounts: 2 });
  return Chain.create({
    genesis: await createGenesis(config),
    chainId: config.chainId,
    lite: true,
    blockGeneration,
    keepsHistory: true,
    startTime: 1_700_000_000,
    prices: {
      gas_price_wei: config.gasPriceWei,
      data_gas_price_wei: config.dataGasPriceWei,
      gas_price_fri: config.gasPriceFri,
      data_gas_price_fri: config.dataGasPriceFri,
      l2_gas_price_wei: config.l2GasPriceWei,
      l2_gas_price_fri: config.l2GasPriceFri,
    },
    proofMode: config.proofMode,
    classLimits: {},
    ...changes,
  });
}
