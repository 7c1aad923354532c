// Options of a chain, and the config that `devnet_getConfig` shows.
import type { CONFIG } from '@starkbox/spec';
import { showBlockGeneration } from '../block-settings.js';
import type { ChainOptions } from '../chain/chain.js';
import type { Genesis } from '../chain/genesis/genesis.js';
import {
  generationOf,
  MARKET_ONLY,
  type NetworkConditions,
  readConditions,
} from '../chain/network/conditions.js';
import { marketConstants } from '../chain/network/market.js';
import { networkRules } from '../chain/steps/network-rules.js';
import { type Config, type ConfigKey, queueTimeoutOf } from '../config/options.js';
import type { Fork } from '../fork/fork.js';
import { shownNetwork } from '../fork/open-fork.js';

/**
 * The config with defaults that follow from the network: its lowest price, so that fees that tools estimate are within
 * its rules, and its blocks.
 */
export function withNetworkDefaults(config: Config, givenKeys: ReadonlySet<ConfigKey>): Config {
  const rules = networkRules(config);
  const conditions = conditionsOf(config);
  const floor =
    rules?.limits.min_gas_price ??
    (conditions?.gas_market ? marketConstants(config.starknetVersion).floor : undefined);
  const generation = conditions && generationOf(conditions);
  return Object.freeze({
    ...config,
    ...(floor === undefined || givenKeys.has('l2GasPriceFri') ? {} : { l2GasPriceFri: floor }),
    ...(generation === undefined || givenKeys.has('blockGenerationOn')
      ? {}
      : { blockGenerationOn: generation }),
  });
}

export function chainOptionsOf(
  config: Config,
  genesis: Genesis,
  fork: Fork | undefined,
  keepsJournal: boolean,
): ChainOptions {
  return {
    genesis,
    chainId: config.chainId,
    lite: config.liteMode,
    blockGeneration: config.blockGenerationOn,
    l1Acceptance: config.l1Acceptance,
    mempoolOrder: { kind: config.mempoolOrder, seed: config.seed },
    chargesFee: config.chargeFee,
    funding: config.fundAccounts,
    keepsHistory: config.stateArchive === 'full',
    starknetVersion: config.starknetVersion,
    conditions: conditionsOf(config),
    startTime: config.startTime ?? fork?.start?.timestamp ?? (fork && fork.block.timestamp + 1),
    prices: {
      gas_price_wei: config.gasPriceWei,
      data_gas_price_wei: config.dataGasPriceWei,
      gas_price_fri: config.gasPriceFri,
      data_gas_price_fri: config.dataGasPriceFri,
      l2_gas_price_wei: config.l2GasPriceWei,
      l2_gas_price_fri: config.l2GasPriceFri,
    },
    recordsCalls: config.recordCalls,
    queueTimeout: queueTimeoutOf(config),
    maximumExecutions: config.maximumExecutions,
    maximumReportBytes: config.maximumResponseSize,
    proofMode: config.proofMode,
    rules: networkRules(config),
    classLimits: {
      compiledBytes: config.maximumContractClassSize,
      bytecodeFelts: config.maximumContractBytecodeSize,
      sierraFelts: config.maximumSierraLength,
    },
    keepsJournal,
  };
}

function conditionsOf(config: Config): NetworkConditions | undefined {
  const { gasMarket, seed } = config;
  const networkConditions = config.networkConditions && readConditions(config.networkConditions);
  if (!gasMarket) return networkConditions;
  const { gas_market, capacity } = MARKET_ONLY;
  return networkConditions
    ? {
        ...networkConditions,
        gas_market: networkConditions.gas_market || gas_market,
        capacity:
          networkConditions.capacity === 'unlimited' ? capacity : networkConditions.capacity,
      }
    : { ...MARKET_ONLY, seed };
}

/** The config as `devnet_getConfig` shows it; only a restart on another network changes it. */
export function showConfig(config: Config, genesis: Genesis, fork: Fork | undefined): CONFIG {
  return {
    // Hidden with the private keys, which follow from it.
    seed: config.restrictedMethods?.includes('devnet_getPredeployedAccounts') ? null : config.seed,
    total_accounts: config.accounts,
    account_contract_class_hash: genesis.accountClass.hash,
    predeployed_accounts_initial_balance: config.initialBalance.toString(),
    start_time: config.startTime ?? null,
    gas_price_wei: config.gasPriceWei,
    gas_price_fri: config.gasPriceFri,
    data_gas_price_wei: config.dataGasPriceWei,
    data_gas_price_fri: config.dataGasPriceFri,
    l2_gas_price_wei: config.l2GasPriceWei,
    l2_gas_price_fri: config.l2GasPriceFri,
    chain_id: config.chainId,
    dump_on: config.dumpOn ?? null,
    dump_path: config.dumpPath ?? null,
    block_generation_on: showBlockGeneration(config.blockGenerationOn),
    lite_mode: config.liteMode,
    proof_mode: config.proofMode,
    state_archive: config.stateArchive,
    ...(config.rules === 'off' ? {} : { rules: config.rules }),
    ...(config.l1Acceptance === 'off' ? {} : { l1_acceptance: String(config.l1Acceptance) }),
    fork_config: {
      url: shownNetwork(config),
      block_number: fork?.block.number ?? null,
      caching_enabled: fork ? config.forkUpstreamCaching !== false : null,
    },
    eth_erc20_class_hash: genesis.eth.classHash,
    strk_erc20_class_hash: genesis.strk.classHash,
    class_size_config: {
      maximum_contract_class_size: config.maximumContractClassSize,
      maximum_contract_bytecode_size: config.maximumContractBytecodeSize,
      maximum_sierra_length: config.maximumSierraLength,
    },
    server_config: {
      host: config.host,
      port: config.port,
      timeout: config.timeout,
      request_body_size_limit: config.requestBodySizeLimit,
      restricted_methods: config.restrictedMethods ?? null,
      ui_enabled: config.ui,
    },
  };
}
