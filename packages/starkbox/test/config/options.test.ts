import { join } from 'node:path';
import { METHODS } from '@starkbox/spec';
import { describe, expect, test } from 'vitest';
import {
  environmentName,
  environmentNames,
  longName,
  RESTRICTED_BY_DEFAULT,
} from '../../src/config/option.js';
import { CONFIG_KEYS, type Config, defaultConfig, OPTIONS } from '../../src/config/options.js';
import { createChain } from '../../src/index.js';
import { directory, read, useConfigFolder } from './config-folder.js';

useConfigFolder();

const DEFAULTS: Omit<Config, 'seed'> = {
  accounts: 10,
  accountClass: 'cairo1',
  accountClassCustom: undefined,
  moreAccounts: undefined,
  predeclareArgent: false,
  initialBalance: 1000000000000000000000n,
  chainId: 'SN_SEPOLIA',
  liteMode: false,
  proofMode: 'devnet',
  starknetVersion: undefined,
  rules: 'off',
  blockGenerationOn: 'transaction',
  mempoolOrder: 'fifo',
  l1Acceptance: 'off',
  networkConditions: undefined,
  gasMarket: false,
  artifacts: undefined,
  chargeFee: true,
  configOut: undefined,
  forkHeader: undefined,
  forkTransaction: undefined,
  fundAccounts: undefined,
  init: undefined,
  startTime: undefined,
  gasPriceWei: 1000000000n,
  gasPriceFri: 1000000000n,
  dataGasPriceWei: 1000000000n,
  dataGasPriceFri: 1000000000n,
  l2GasPriceWei: 1000000000n,
  l2GasPriceFri: 1000000000n,
  stateArchive: 'full',
  dumpOn: undefined,
  dumpPath: undefined,
  dumpFormat: 'journal',
  dumpDir: undefined,
  forkNetwork: undefined,
  forkBlock: undefined,
  forkUpstreamCaching: undefined,
  forkCacheDir: undefined,
  forkLock: undefined,
  offline: false,
  paymaster: false,
  forkTimeout: 10,
  dataDir: undefined,
  recentBlocks: 2048,
  l1: undefined,
  l1AutoRelay: undefined,
  host: '127.0.0.1',
  port: 5050,
  timeout: 120,
  restrictedMethods: undefined,
  allowedHosts: undefined,
  allowedOrigins: undefined,
  authToken: undefined,
  wallet: false,
  ui: false,
  exitWithParent: false,
  requestBodySizeLimit: 16 * 1024 * 1024,
  maximumResponseSize: 64 * 1024 * 1024,
  maximumContractClassSize: 4089446,
  maximumContractBytecodeSize: 81920,
  maximumSierraLength: 81920,
  maximumExecutions: undefined,
  maximumInstances: 10_000,
  instanceIdleSeconds: 3600,
  metricsHost: undefined,
  metricsPort: 9090,
  logLevel: 'info',
  logFormat: 'pretty',
  logBodies: 'none',
  printTraces: false,
  recordCalls: false,
  banner: true,
  quiet: false,
};

describe('without options', () => {
  test('the documented defaults hold', async () => {
    const { seed, ...config } = await read();
    expect(seed).toBeGreaterThanOrEqual(0);
    expect(seed).toBeLessThan(2 ** 32);
    expect(config).toEqual(DEFAULTS);
  });

  test('every config gets a seed of its own', () => {
    const seeds = new Set(Array.from({ length: 8 }, () => defaultConfig().seed));
    expect(seeds.size).toBeGreaterThan(1);
  });

  test('overrides count unless they are undefined, and nothing can be changed later', () => {
    // @ts-expect-error callers in JavaScript may pass it
    const config = defaultConfig({ port: 0, host: undefined });
    expect(config).toMatchObject({ port: 0, host: '127.0.0.1' });
    expect(Object.isFrozen(config)).toBe(true);
  });
});

describe('the table', () => {
  /** The leaves of an object by their paths. */
  const leaves = (value: object, prefix = ''): [string, unknown][] =>
    Object.entries(value).flatMap(([name, member]): [string, unknown][] =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? leaves(member, `${prefix}${name}.`)
        : [[`${prefix}${name}`, member]],
    );

  test('names the place in devnet_getConfig of each option that is shown there', async () => {
    const chosen: Partial<Config> = {
      accounts: 2,
      initialBalance: 3n,
      seed: 4,
      chainId: 'mine',
      liteMode: true,
      proofMode: 'none',
      rules: 'sepolia',
      blockGenerationOn: 'demand',
      l1Acceptance: '600s',
      startTime: 1_900_000_000,
      gasPriceWei: 11n,
      gasPriceFri: 12n,
      dataGasPriceWei: 13n,
      dataGasPriceFri: 14n,
      l2GasPriceWei: 15n,
      l2GasPriceFri: 16n,
      stateArchive: 'none',
      dumpOn: 'request',
      dumpPath: join(directory, 'dump'),
      host: '127.0.0.2',
      port: 1234,
      timeout: 17,
      restrictedMethods: ['devnet_mint'],
      ui: true,
      requestBodySizeLimit: 18,
      maximumContractClassSize: 19,
      maximumContractBytecodeSize: 20,
      maximumSierraLength: 21,
    };
    const node = await createChain(chosen);
    const reported = new Map(leaves(Object(await node.request('devnet_getConfig'))));
    await node.close();
    const fields = CONFIG_KEYS.flatMap((key) => OPTIONS[key].field ?? []);
    // Classes that come with the node.
    const others = ['eth_erc20_class_hash', 'strk_erc20_class_hash'];
    expect(new Set([...fields, ...others])).toEqual(new Set(reported.keys()));
    for (const key of CONFIG_KEYS.filter((name) => name in chosen)) {
      expect(`${key} ${reported.get(OPTIONS[key].field ?? '')}`).toBe(`${key} ${chosen[key]}`);
    }
  });

  test('reads the variables of starknet-devnet, and no others without STARKBOX_', () => {
    const names =
      `ACCOUNTS ACCOUNT_CLASS ACCOUNT_CLASS_CUSTOM PREDECLARE_ARGENT INITIAL_BALANCE SEED HOST
      PORT START_TIME TIMEOUT GAS_PRICE GAS_PRICE_FRI DATA_GAS_PRICE DATA_GAS_PRICE_FRI L2_GAS_PRICE
      L2_GAS_PRICE_FRI CHAIN_ID DUMP_ON DUMP_PATH LITE_MODE PROOF_MODE BLOCK_GENERATION_ON
      STATE_ARCHIVE_CAPACITY FORK_NETWORK FORK_BLOCK FORK_UPSTREAM_CACHING RESTRICTIVE_MODE
      MAXIMUM_CONTRACT_CLASS_SIZE MAXIMUM_CONTRACT_BYTECODE_SIZE MAXIMUM_SIERRA_LENGTH METRICS_HOST
      METRICS_PORT UI`.split(/\s+/);
    const ours = CONFIG_KEYS.flatMap((key) => environmentNames(OPTIONS[key]));
    expect(new Set(ours).size).toBe(ours.length);
    const short = ours.filter((name) => !name.startsWith('STARKBOX_'));
    expect(short.toSorted()).toEqual(names.toSorted());
  });

  test('leaves the variables with another meaning alone', () => {
    const ours = CONFIG_KEYS.map((key) => environmentName(OPTIONS[key]));
    expect(ours).not.toContain('STARKBOX_CONFIG');
    expect(ours).not.toContain('STARKBOX_AS');
  });

  test('has no name twice', () => {
    expect(new Set(CONFIG_KEYS.map((key) => longName(OPTIONS[key]))).size).toBe(CONFIG_KEYS.length);
  });

  test('restricts by default only methods that exist', () => {
    expect(RESTRICTED_BY_DEFAULT.filter((name) => !Object.hasOwn(METHODS, name))).toEqual([]);
  });
});
