// What options exist, where their values may come from, and which values are refused.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/cli/arguments.js';
import {
  environmentName,
  longName,
  RESTRICTED_BY_DEFAULT,
  UsageError,
} from '../../src/config/option.js';
import {
  CONFIG_KEYS,
  type Config,
  defaultConfig,
  givenIn,
  OPTIONS,
} from '../../src/config/options.js';
import { ConfigError, checkConfig } from '../../src/config/rules.js';
import { createNode } from '../../src/index.js';
import { stringify } from '../../src/json/json.js';
import { createLog } from '../../src/log.js';
import { METHODS } from '../../src/spec.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'starkbox-config-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);

async function read(argv: string | readonly string[] = [], env = {}): Promise<Config> {
  const words = typeof argv === 'string' ? argv.split(' ').filter(Boolean) : argv;
  const line = await readConfig(words, { env, directory, coloured: false });
  if (line.kind !== 'start') throw new Error('nothing to start');
  return line.config;
}

async function refusal(argv: string | readonly string[], env = {}): Promise<Error> {
  const outcome: unknown = await read(argv, env).catch((error: unknown) => error);
  if (outcome instanceof UsageError || outcome instanceof ConfigError) return outcome;
  throw new Error(`was not refused: ${JSON.stringify(outcome)}`);
}

describe('without options', () => {
  test('the documented defaults hold', async () => {
    const { seed, ...config } = await read();
    expect(seed).toBeGreaterThanOrEqual(0);
    expect(seed).toBeLessThan(2 ** 32);
    expect(config).toEqual({
      accounts: 10,
      accountClass: 'cairo1',
      accountClassCustom: undefined,
      predeclareArgent: false,
      initialBalance: 1000000000000000000000n,
      chainId: 'SN_SEPOLIA',
      liteMode: false,
      proofMode: 'devnet',
      blockGenerationOn: 'transaction',
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
      forkTimeout: 10,
      dataDir: undefined,
      recentBlocks: 2048,
      l1: undefined,
      l1Port: 8545,
      l1AutoRelay: undefined,
      host: '127.0.0.1',
      port: 5050,
      timeout: 120,
      restrictedMethods: undefined,
      allowedHosts: undefined,
      allowedOrigins: undefined,
      authToken: undefined,
      ui: false,
      exitWithParent: false,
      requestBodySizeLimit: 16 * 1024 * 1024,
      maximumAnswerSize: 64 * 1024 * 1024,
      memoryBudget: 256 * 1024 * 1024,
      maximumContractClassSize: 4089446,
      maximumContractBytecodeSize: 81920,
      maximumSierraLength: 81920,
      maximumSubscriptions: 1024,
      maximumWaitingExecutions: 4096,
      maximumFilterAddresses: 1024,
      maximumFilterKeys: 1024,
      maximumQueuedMessages: 4096,
      maximumQueuedBytes: 64 * 1024 * 1024,
      maximumConnections: 10_000,
      maximumSockets: 4096,
      maximumBatchLength: 1000,
      maximumJsonDepth: 1000,
      maximumJsonValues: 600_000,
      maximumCalldataLength: 10_000,
      maximumChunkSize: 10_000,
      maximumSimulationBatch: 1000,
      maximumExecutions: undefined,
      maximumSnapshots: 10_000,
      metricsHost: undefined,
      metricsPort: 9090,
      logLevel: 'info',
      logFormat: 'pretty',
      traceRequests: undefined,
      banner: true,
    });
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
    Object.entries(value).flatMap(([name, one]): [string, unknown][] =>
      typeof one === 'object' && one !== null && !Array.isArray(one)
        ? leaves(one, `${prefix}${name}.`)
        : [[`${prefix}${name}`, one]],
    );

  test('names the place in devnet_getConfig of each option that is shown there', async () => {
    const chosen: Partial<Config> = {
      accounts: 2,
      initialBalance: 3n,
      seed: 4,
      chainId: 'mine',
      liteMode: true,
      proofMode: 'none',
      blockGenerationOn: 'demand',
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
    const node = await createNode(chosen);
    const shown = new Map(leaves(Object(await node.request('devnet_getConfig'))));
    await node.close();
    const fields = CONFIG_KEYS.flatMap((key) => OPTIONS[key].field ?? []);
    // Classes that come with the node.
    const others = ['eth_erc20_class_hash', 'strk_erc20_class_hash'];
    expect(new Set([...fields, ...others])).toEqual(new Set(shown.keys()));
    for (const key of CONFIG_KEYS.filter((one) => one in chosen)) {
      expect(`${key} ${shown.get(OPTIONS[key].field ?? '')}`).toBe(`${key} ${chosen[key]}`);
    }
  });

  test('has every variable that the incumbent reads', () => {
    const names =
      `ACCOUNTS ACCOUNT_CLASS ACCOUNT_CLASS_CUSTOM PREDECLARE_ARGENT INITIAL_BALANCE SEED HOST
      PORT START_TIME TIMEOUT GAS_PRICE GAS_PRICE_FRI DATA_GAS_PRICE DATA_GAS_PRICE_FRI L2_GAS_PRICE
      L2_GAS_PRICE_FRI CHAIN_ID DUMP_ON DUMP_PATH LITE_MODE PROOF_MODE BLOCK_GENERATION_ON
      STATE_ARCHIVE_CAPACITY FORK_NETWORK FORK_BLOCK FORK_UPSTREAM_CACHING RESTRICTIVE_MODE
      MAXIMUM_CONTRACT_CLASS_SIZE MAXIMUM_CONTRACT_BYTECODE_SIZE MAXIMUM_SIERRA_LENGTH METRICS_HOST
      METRICS_PORT UI`.split(/\s+/);
    const ours = CONFIG_KEYS.map((key) => environmentName(OPTIONS[key]));
    expect(ours).toEqual(expect.arrayContaining(names));
    expect(new Set(ours).size).toBe(ours.length);
  });

  test('has no name twice', () => {
    expect(new Set(CONFIG_KEYS.map((key) => longName(OPTIONS[key]))).size).toBe(CONFIG_KEYS.length);
  });

  test('restricts by default only methods that exist', () => {
    expect(RESTRICTED_BY_DEFAULT.filter((name) => !Object.hasOwn(METHODS, name))).toEqual([]);
  });
});

describe('sources', () => {
  test('an argument counts before a variable, a variable before the file', async () => {
    write('starkbox.config.json', '{ "accounts": 1, "seed": 1, "port": 1 }');
    const config = await read('--accounts 3', { ACCOUNTS: '2', SEED: '2' });
    expect(config).toMatchObject({ accounts: 3, seed: 2, port: 1, timeout: 120 });
  });

  test('a variable of a flag holds true or false, whatever the file says', async () => {
    write('starkbox.config.json', '{ "liteMode": true, "banner": false }');
    expect(await read()).toMatchObject({ liteMode: true, banner: false });
    const config = await read('', { LITE_MODE: 'false', BANNER: 'true' });
    expect(config).toMatchObject({ liteMode: false, banner: true });
    expect((await refusal('', { LITE_MODE: '1' })).message).toMatch(
      /^invalid value '1' for '--lite-mode' .*LITE_MODE/,
    );
  });

  test('a variable may begin with STARKBOX_, and then counts first', async () => {
    const env = { STARKBOX_SEED: '7', SEED: '8', STARKBOX_PORT: '', PORT: '9' };
    expect(await read('', env)).toMatchObject({ seed: 7, port: 9 });
    expect((await refusal('', { STARKBOX_SEED: 'x' })).message).toMatch(/variable STARKBOX_SEED: /);
  });

  test('an empty variable counts as unset', async () => {
    expect(await read('', { PORT: '', LITE_MODE: '' })).toMatchObject({ port: 5050 });
  });

  test('a flag needs no value, and --no-banner switches off', async () => {
    const config = await read('--lite-mode --predeclare-argent --no-banner -e 5');
    expect(config).toMatchObject({ liteMode: true, predeclareArgent: true, banner: false });
    expect(config.initialBalance).toBe(5n);
  });

  test('values may stand behind an equals sign', async () => {
    expect(await read('--port=0 --chain-id=MAINNET')).toMatchObject({
      port: 0,
      chainId: 'SN_MAIN',
    });
  });
});

describe('a config file', () => {
  test('holds what a config holds: writing one and reading it gives the same', async () => {
    const config = defaultConfig({
      initialBalance: 2n ** 200n + 1n,
      gasPriceWei: 2n ** 127n,
      blockGenerationOn: 7,
      restrictedMethods: ['devnet_mint', 'starknet_call'],
      seed: 5,
    });
    write('starkbox.config.json', stringify({ ...config, accountClass: undefined }));
    expect(await read()).toEqual(config);
  });

  test('may be a module', async () => {
    write('starkbox.config.mjs', 'export default { initialBalance: 3n, chainId: "testnet" };');
    expect(await read()).toMatchObject({ initialBalance: 3n, chainId: 'SN_SEPOLIA' });
  });

  test('may be named, by an argument or a variable', async () => {
    write('starkbox.config.json', '{ "seed": 1 }');
    write('other.json', '{ "seed": 2 }');
    expect((await read('--config other.json')).seed).toBe(2);
    expect((await read('', { STARKBOX_CONFIG: 'other.json' })).seed).toBe(2);
  });

  test('may ask for the default list of restricted methods', async () => {
    write('starkbox.config.json', '{ "restrictedMethods": true, "seed": null }');
    expect((await read()).restrictedMethods).toEqual(RESTRICTED_BY_DEFAULT);
  });

  test.each([
    ['{ "accouns": 1 }', /'accouns' in starkbox\.config\.json: did you mean 'accounts'\?$/],
    ['{ "gas-price": 1 }', /'gas-price'.*'gasPriceWei'/],
    ['{ "Accounts": 1 }', /'Accounts'.*'accounts'/],
    ['{ "accounts": 300 }', /'300' for 'accounts' in starkbox\.config\.json/],
    ['{ "accounts": 1.5 }', /'1\.5' for 'accounts'/],
    ['{ "accounts": [1] }', /'accounts' in starkbox\.config\.json/],
    ['{ "restrictedMethods": [1] }', /'restrictedMethods' in starkbox\.config\.json/],
    ['[]', /starkbox\.config\.json/],
    ['{', /starkbox\.config\.json/],
  ])('is refused with %s', async (text, message) => {
    write('starkbox.config.json', text);
    const error = await refusal('');
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(message);
  });

  test('is refused if it is not there, if there are two, or if it cannot be loaded', async () => {
    expect((await refusal('--config none.json')).message).toContain("'none.json'");
    write('throws.mjs', 'throw new Error("oh");');
    expect((await refusal('--config throws.mjs')).message).toMatch(/'throws\.mjs': oh/);
    write('rounded.mjs', 'export default { initialBalance: 1e21 };');
    expect((await refusal('--config rounded.mjs')).message).toContain(
      "'initialBalance' in rounded.mjs",
    );
    write('none.mjs', 'export const a = 1;');
    expect((await refusal('--config none.mjs')).message).toContain("'none.mjs'");
    write('starkbox.config.json', '{}');
    write('starkbox.config.mjs', 'export default {};');
    expect(await refusal('')).toBeInstanceOf(UsageError);
  });
});

describe('the options of createNode', () => {
  const wrong = async (options: object): Promise<unknown> =>
    createNode(options).then(
      () => 'accepted',
      (error: unknown) => error,
    );

  test.each([
    [{ sed: 0 }, "unknown key 'sed' in the options of createNode: did you mean 'seed'?"],
    [{ 'gas-price': 1 }, /'gas-price'.*'gasPriceWei'/],
    [{ nonsense: 1 }, "unknown key 'nonsense' in the options of createNode"],
    [{ seed: -1 }, /^invalid value '-1' for 'seed' in the options of createNode: /],
    [{ blockGenerationOn: 'foo' }, /^invalid value 'foo' for 'blockGenerationOn' /],
    [{ initialBalance: -5 }, /^invalid value '-5' for 'initialBalance' /],
    [
      { initialBalance: 1e21 },
      /'initialBalance'.*: write so large a number as a string or a BigInt$/,
    ],
    [{ accounts: -5 }, /^invalid value '-5' for 'accounts' /],
    [{ accounts: 300 }, /^invalid value '300' for 'accounts' /],
    [{ accounts: Number.NaN }, /^invalid value 'NaN' for 'accounts' /],
    [{ accounts: [1] }, /^invalid value for 'accounts' in the options of createNode: /],
    [{ authToken: 'a b' }, /^invalid value '…' for 'authToken' /],
    [
      { chainId: 'A', forkNetwork: 'http://a' },
      "the argument 'chainId' cannot be used with 'forkNetwork'",
    ],
    [{ dumpOn: 'exit' }, /were not provided:\n {2}dumpPath$/],
  ])('%o are refused in the same words', async (options, message) => {
    const error = await wrong(options);
    expect(error).toBeInstanceOf(UsageError);
    const said = error instanceof Error ? error.message : '';
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  test.each([5, 5n, '5'])('a balance may be %o', async (initialBalance) => {
    const node = await createNode({ initialBalance, accounts: 1 });
    expect(node.config.initialBalance).toBe(5n);
    await node.close();
  });

  test.each(['500ms', 0.5])('an interval may be %o', async (blockGenerationOn) => {
    const options: object = { blockGenerationOn, accounts: 0 };
    const node = await createNode(options);
    expect(node.config.blockGenerationOn).toBe(0.5);
    await node.close();
  });

  test('a chain id means what it means to the command', async () => {
    for (const [given, chainId] of [
      ['my_chain', 'my_chain'],
      ['mainnet', 'SN_MAIN'],
    ]) {
      const node = await createNode({ ...(given ? { chainId: given } : {}), accounts: 0 });
      expect(node.config.chainId).toBe(chainId);
      await node.close();
    }
  });

  test('what has no effect is told', async () => {
    const lines: string[] = [];
    const log = createLog(
      { level: 'warn', format: 'pretty' },
      { write: (text) => lines.push(text) },
    );
    const node = await createNode({ accounts: 0, metricsPort: 1 }, { log });
    await node.close();
    expect(lines).toEqual([
      expect.stringContaining('--metrics-port has no effect without --metrics-host'),
    ]);
  });

  test('may be a whole config, of which only what was chosen counts as given', async () => {
    const config = defaultConfig({ accounts: 1, seed: 3, restrictedMethods: [] });
    expect(givenIn(config)).toEqual(new Set(['accounts', 'seed', 'restrictedMethods']));
    const node = await createNode(config);
    expect(node.config).toMatchObject({ accounts: 1, seed: 3, timeout: 120 });
    expect(await node.request('devnet_snapshot')).toBeDefined();
    await node.close();
  });
});

describe('values', () => {
  test.each([
    ['--chain-id mainnet', { chainId: 'SN_MAIN' }],
    ['--chain-id my_chain', { chainId: 'my_chain' }],
    ['--chain-id sn_sepolia', { chainId: 'SN_SEPOLIA' }],
    ['--chain-id Testnet', { chainId: 'SN_SEPOLIA' }],
    ['--allowed-hosts my.host,[::1],*', { allowedHosts: ['my.host', '[::1]', '*'] }],
    ['--host localhost', { host: '127.0.0.1' }],
    ['--host ::1', { host: '::1' }],
    ['--host [::]', { host: '::' }],
    ['--host 0.0.0.0', { host: '0.0.0.0' }],
    ['--host my-machine.local', { host: 'my-machine.local' }],
    ['--block-generation-on demand', { blockGenerationOn: 'demand' }],
    ['--block-generation-on 10', { blockGenerationOn: 10 }],
    ['--block-generation-on 500ms', { blockGenerationOn: 0.5 }],
    ['--block-generation-on 2000MS', { blockGenerationOn: 2 }],
    ['--state-archive-capacity none', { stateArchive: 'none' }],
    ['--proof-mode none', { proofMode: 'none' }],
    ['--dump-on request', { dumpOn: 'request' }],
    ['--account-class cairo0', { accountClass: 'cairo0' }],
    ['--account-class-custom a.json', { accountClassCustom: 'a.json' }],
    ['--gas-price 340282366920938463463374607431768211455', { gasPriceWei: 2n ** 128n - 1n }],
    ['--log-level TRACE --log-format json', { logLevel: 'trace', logFormat: 'json' }],
    ['--seed 4294967295', { seed: 2 ** 32 - 1 }],
    ['--accounts 0', { accounts: 0 }],
  ])('%s', async (argv, expected) => {
    expect(await read(argv)).toMatchObject(expected);
  });

  test.each([
    ['--accounts <NUMBER>', ['300', '-1', '1.0', '', ' 1', '0x1', '1e2']],
    ['--account-class <ACCOUNT_CLASS>', ['cairo2', '']],
    ['--initial-balance <DECIMAL_VALUE>', ['-1', '0x10', '1e21', '1_000']],
    ['--seed <SEED>', ['4294967296', 'a']],
    ['--host <HOST>', ['', '300.1.1.1', 'a b', 'http://a', ':::1', 'a/b', '127.0.0.1:5050']],
    ['--port <PORT>', ['65536', 'abc', '-1']],
    ['--start-time <SECONDS>', ['-1', '9007199254740992']],
    ['--timeout <SECONDS>', ['65536', '1.5', '0']],
    ['--allowed-hosts <NAMES...>', ['https://x', 'x:80', 'a/b']],
    ['--gas-price <WEI_PER_GAS_UNIT>', ['0', '340282366920938463463374607431768211456']],
    ['--l2-gas-price-fri <FRI_PER_GAS_UNIT>', ['0']],
    ['--chain-id <CHAIN_ID>', ['', 'é', 'A'.repeat(32), 'A B']],
    ['--dump-on <EVENT>', ['e', '']],
    ['--dump-path <DUMP_PATH>', ['']],
    ['--proof-mode <PROOF_MODE>', ['half']],
    [
      '--block-generation-on <BLOCK_GENERATION_ON>',
      ['', '0', '-1', 'mempool', '1.5', '99999999999', '9ms', 'ms', '1.5ms', '5s', '99999999999ms'],
    ],
    ['--state-archive-capacity <STATE_ARCHIVE_CAPACITY>', ['some']],
    ['--fork-network <URL>', ['abc', '', 'http://', 'ftp://a.b']],
    ['--fork-block <BLOCK>', ['latest', '1.5', '0x', '0xg', '- 3']],
    ['--fork-timeout <SECONDS>', ['0', 'soon']],
    ['--fork-upstream-caching <BOOL>', ['yes']],
    ['--request-body-size-limit <BYTES>', ['0', '1MB']],
    ['--maximum-sierra-length <FELTS>', ['-1']],
    ['--metrics-host <METRICS_HOST>', ['?']],
    ['--metrics-port <METRICS_PORT>', ['70000']],
    ['--log-level <LEVEL>', ['loud']],
    ['--log-format <FORMAT>', ['xml']],
  ])('%s refuses what it cannot use', async (flag, values) => {
    for (const value of values) {
      const error = await refusal([flag.replace(/ .*/, ''), value]);
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message.startsWith(`invalid value '${value}' for '${flag}': `)).toBe(true);
    }
  });
});

describe('options that do not go together', () => {
  test.each([
    [
      '--account-class cairo1 --account-class-custom a.json',
      /^the argument '--account-class <ACCOUNT_CLASS>' cannot be used with '--account-class-custom <PATH>'$/,
    ],
    [
      '--chain-id A --fork-network http://a',
      /^the argument '--chain-id <CHAIN_ID>' cannot be used with '--fork-network <URL>'$/,
    ],
    ['--dump-on exit', /^the following required arguments were not provided:\n {2}--dump-path /],
    ['--dump-on block', /^the following required arguments were not provided:\n {2}--dump-path /],
    ['--fork-block 1', /^the following required arguments were not provided:\n {2}--fork-network /],
    ['--fork-upstream-caching true', /^the following required arguments were not provided:/],
    ['--fork-cache-dir a', /^the following required arguments were not provided:/],
    ['--l1-port 1', /^the following required arguments were not provided:\n {2}--l1 /],
    ['--recent-blocks 1', /^the following required arguments were not provided:\n {2}--data-dir /],
    [
      '--l1 http://a --l1-port 1',
      /^the argument '--l1-port <PORT>' is the port of an Anvil that this node starts: it needs '--l1 anvil'$/,
    ],
    ['--offline', /^the following required arguments were not provided:\n {2}--fork-lock /],
  ])('%s', async (argv, message) => {
    const error = await refusal(argv);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(message);
  });
});

describe('words that mean nothing', () => {
  test.each([
    ['--mempool-size 5', /'--mempool-size'/],
    ['--acounts 5', /'--acounts'\n.*--accounts/],
    ['something', /'something'/],
    ['--port', /'--port <PORT>'/],
    ['--lite-mode yes', /'yes'/],
  ])('%s', async (argv, message) => {
    const error = await refusal(argv);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(message);
  });
});

describe('what a node cannot do', () => {
  test('verify real proofs', async () => {
    const error = await refusal('--proof-mode full');
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(/^--proof-mode full is not available yet: .*devnet.*none$/);
  });

  test('balances whose sum no token can hold', () => {
    const most = { accounts: 1, initialBalance: 2n ** 255n - 1n };
    expect(() => checkConfig(defaultConfig(most))).not.toThrow();
    expect(() => checkConfig(defaultConfig({ ...most, accounts: 2 }))).toThrow(ConfigError);
    const over = { accounts: 1, initialBalance: 2n ** 255n };
    expect(() => checkConfig(defaultConfig(over))).toThrow(
      /^Total balance supply in ERC20 contract exceeded\. /,
    );
    expect(() => checkConfig(defaultConfig({ ...over, accounts: 0 }))).not.toThrow();
  });
});

describe('restrictive mode', () => {
  test('forbids the default list if no method is named', async () => {
    expect((await read('--restrictive-mode')).restrictedMethods).toEqual(RESTRICTED_BY_DEFAULT);
    const config = await read('--restrictive-mode --port 0');
    expect(config).toMatchObject({ restrictedMethods: RESTRICTED_BY_DEFAULT, port: 0 });
    for (const value of ['', 'true']) {
      const { restrictedMethods } = await read('', { RESTRICTIVE_MODE: value });
      expect(restrictedMethods).toEqual(RESTRICTED_BY_DEFAULT);
    }
  });

  test('forbids the methods that are named, under any prefix', async () => {
    const expected = ['devnet_mint', 'starknet_call', 'devnet_load', 'starknet_getNonce'];
    const names = ['sandbox_mint', 'chain_call', 'devnet_load', 'starknet_getNonce'];
    const config = await read(['--restrictive-mode', ...names, '--seed', '3']);
    expect(config).toMatchObject({ restrictedMethods: expected, seed: 3 });
    for (const between of [' ', ',', ', ', '\n']) {
      const { restrictedMethods } = await read('', { RESTRICTIVE_MODE: names.join(between) });
      expect(restrictedMethods).toEqual(expected);
    }
  });

  test('is off if a variable says so', async () => {
    expect((await read('', { RESTRICTIVE_MODE: 'false' })).restrictedMethods).toBeUndefined();
  });

  test('refuses names of no method, in the order given', async () => {
    const error = await refusal(
      '--restrictive-mode b devnet_mint toString a starknet_subscribeNewHeads',
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toBe(
      'Restricted methods contain unsupported JSON-RPC methods: b, toString, a, starknet_subscribeNewHeads',
    );
  });
});
