import { join } from 'node:path';
import { METHODS } from '@starkbox/spec';
import { constants } from 'starknet';
import { describe, expect, test } from 'vitest';
import { FOREIGN_OPTIONS } from '../../src/cli/foreign-options.js';
import { childEnvironment } from '../../src/config/environment.js';
import { anvilPort } from '../../src/config/l1-options.js';
import {
  longName,
  type Option,
  RESTRICTED_BY_DEFAULT,
  UsageError,
} from '../../src/config/option.js';
import {
  CONFIG_KEYS,
  type Config,
  type ConfigKey,
  defaultConfig,
  FIXED_KEYS,
  OPTIONS,
} from '../../src/config/options.js';
import { ConfigError, checkConfig, withoutEffect } from '../../src/config/rules.js';
import { directory, read, refusal, useConfigFolder, write } from './config-folder.js';

useConfigFolder();

describe('values', () => {
  test.each([
    ['--chain-id mainnet', { chainId: 'SN_MAIN' }],
    ['--chain-id my_chain', { chainId: 'my_chain' }],
    ['--chain-id sn_sepolia', { chainId: 'SN_SEPOLIA' }],
    ['--chain-id Testnet', { chainId: 'SN_SEPOLIA' }],
    ['--allowed-hosts my.host,[::1],*', { allowedHosts: ['my.host', '[::1]', '*'] }],
    [
      '--allowed-origins *,null,https://a.org,http://a.org:8080/,chrome-extension://abc',
      {
        allowedOrigins: [
          '*',
          'null',
          'https://a.org',
          'http://a.org:8080',
          'chrome-extension://abc',
        ],
      },
    ],
    ['--host localhost', { host: '127.0.0.1' }],
    ['--host ::1', { host: '::1' }],
    ['--host [::]', { host: '::' }],
    ['--host 0.0.0.0', { host: '0.0.0.0' }],
    ['--host my-machine.local', { host: 'my-machine.local' }],
    ['--block-generation-on demand', { blockGenerationOn: 'demand' }],
    ['--block-generation-on Mempool', { blockGenerationOn: 'mempool' }],
    ['--mempool-order TIP', { mempoolOrder: 'tip' }],
    ['--block-generation-on 10', { blockGenerationOn: 10 }],
    ['--block-generation-on 500ms', { blockGenerationOn: 0.5 }],
    ['--block-generation-on 2000MS', { blockGenerationOn: 2 }],
    ['--block-generation-on mempool:2', { blockGenerationOn: 'mempool:2' }],
    ['--block-generation-on mempool:0.5', { blockGenerationOn: 'mempool:500ms' }],
    ['--l1 anvil --l1-auto-relay 0.25', { l1: 'anvil', l1AutoRelay: 0.25 }],
    ['--l1 Anvil:0', { l1: 'anvil:0' }],
    ['--block-generation-on 1.5', { blockGenerationOn: 1.5 }],
    ['--block-time 3', { blockGenerationOn: 3 }],
    ['--l1-acceptance 5', { l1Acceptance: 5 }],
    ['--l1-acceptance 600S', { l1Acceptance: '600s' }],
    ['--l1-acceptance OFF', { l1Acceptance: 'off' }],
    ['--block-time=0.5', { blockGenerationOn: 0.5 }],
    ['--fork-url http://localhost:1', { forkNetwork: 'http://localhost:1/' }],
    ['--fork-network=http://a,http://b', { forkNetwork: 'http://a/,http://b/' }],
    ['--quiet', { quiet: true, banner: false, logLevel: 'warn' }],
    ['-q --log-level debug', { banner: false, logLevel: 'debug' }],
    ['-e5 --lite-mode', { initialBalance: 5n, liteMode: true }],
    ['-qe 6', { quiet: true, initialBalance: 6n }],
    ['--lite-mode=false --no-fee', { liteMode: false, chargeFee: false }],
    ['--allowed-hosts a b --seed 1 --allowed-hosts c', { allowedHosts: ['a', 'b', 'c'], seed: 1 }],
    ['--fork-network sepolia --fork-block -3', { forkBlock: -3 }],
    ['--state-archive-capacity none', { stateArchive: 'none' }],
    ['--rules Mainnet', { rules: 'mainnet' }],
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
      ['', '0', '-1', 'pool', '1.5555', '99999999999', '9ms', 'ms', '1.5ms', '5s', '99999999999ms'],
    ],
    ['--mempool-order <MEMPOOL_ORDER>', ['', 'lifo']],
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

describe('an option of one value', () => {
  test.each([
    ['--block-time', "the option '--block-time' needs a value: "],
    ['--port', "the option '--port <PORT>' needs a value: "],
  ])('%s without it is called as it was typed', async (option, message) => {
    expect((await refusal(option)).message).toContain(message);
  });

  test('--l1 lists both of its forms', async () => {
    expect((await refusal('--l1 anvill')).message).toBe(
      "invalid value 'anvill' for '--l1 <anvil|URL>': must be anvil, anvil: and a port up to 65535, or a URL that begins with http:// or https://",
    );
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
    ['--recent-blocks 1', /^the following required arguments were not provided:\n {2}--data-dir /],
    ['--offline', /^the following required arguments were not provided:\n {2}--fork-lock /],
  ])('%s', async (argv, message) => {
    const error = await refusal(argv);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(message);
  });
});

test.each(['https://a.org/path', 'a.org', 'file:///'])('%s is no site', async (word) => {
  expect(await refusal(`--allowed-origins ${word}`)).toBeInstanceOf(UsageError);
});

test('gas prices and the balance of funded accounts are at least 1 and have 128 bits', async () => {
  const most = 2n ** 128n - 1n;
  for (const flag of [
    '--gas-price',
    '--data-gas-price-fri',
    '--l2-gas-price-fri',
    '--fund-accounts',
  ]) {
    const option = Object.values(OPTIONS).find((other) => longName(other) === flag);
    expect(option?.parse('1')).toBe(1n);
    expect(option?.parse(String(most))).toBe(most);
    for (const value of ['0', String(most + 1n)]) {
      expect(await refusal(`${flag} ${value}`)).toBeInstanceOf(UsageError);
    }
  }
});

test('reorganisations need older states', async () => {
  const conditions = (probability: number) =>
    `--state-archive-capacity none --network-conditions {"reorgs":{"probability":${probability}}}`;
  expect(await refusal(conditions(0.5))).toBeInstanceOf(ConfigError);
  expect(await read(conditions(0))).toMatchObject({ stateArchive: 'none' });
});

test('a data directory keeps what the state depends on', () => {
  expect([...FIXED_KEYS].sort()).toEqual([
    'accountClass',
    'accountClassCustom',
    'accounts',
    'chainId',
    'initialBalance',
    'liteMode',
    'moreAccounts',
    'predeclareArgent',
    'seed',
    'starknetVersion',
    'stateArchive',
  ]);
});

test('conditions may be in a file', async () => {
  write('conditions.json', '{ "seed": 3 }');
  expect(await read(['--network-conditions', join(directory, 'conditions.json')])).toMatchObject({
    networkConditions: { seed: 3 },
  });
});

test('the environment of another program has no variables of this one', () => {
  const env = { PATH: '/bin', Home: '/root', STARKBOX_AUTH_TOKEN: 'secret', LANG: undefined };
  expect(childEnvironment(env)).toEqual({ PATH: '/bin', Home: '/root' });
});

describe('the ends of ranges', () => {
  const RANGES: [flag: string, least: number, most?: number][] = [
    ['--metrics-port', 0, 65_535],
    ['--recent-blocks', 1, 10 ** 6],
    ['--accounts', 0, 255],
    ['--seed', 0, 2 ** 32 - 1],
    ['--start-time', 0],
    ['--fork-timeout', 1, 65_535],
    ['--request-body-size-limit', 1],
    ['--maximum-response-size', 1024, 2 ** 29 - 2 ** 16],
    ['--maximum-contract-class-size', 0],
    ['--maximum-contract-bytecode-size', 0],
    ['--maximum-sierra-length', 0],
    ['--maximum-executions', 1],
    ['--maximum-instances', 0],
    ['--instance-idle-seconds', 0, 2 ** 31],
    ['--port', 0, 65_535],
    ['--timeout', 1, 65_535],
  ];

  test('are known of every number', () => {
    const flags = Object.values(OPTIONS).flatMap((option) =>
      /^a whole number/.test(option.parse.expects) ? longName(option) : [],
    );
    const prices = flags.filter((flag) => flag.includes('gas-price'));
    const listed = [
      ...RANGES.map(([flag]) => flag),
      ...prices,
      '--initial-balance',
      '--fund-accounts',
    ];
    expect(flags.toSorted()).toEqual(listed.toSorted());
  });

  test('of the relay and of the port of Anvil', () => {
    const { l1, l1AutoRelay } = OPTIONS;
    expect(['0.001', '2147483'].map((text) => l1AutoRelay.parse(text))).toEqual([0.001, 2147483]);
    for (const text of ['0', '0.000', '2147484', '2147483.001', '0.0001', '99999999']) {
      expect(() => l1AutoRelay.parse(text)).toThrow();
    }
    expect(['anvil:65535', 'anvil:0'].map((text) => l1.parse(text))).toEqual([
      'anvil:65535',
      'anvil:0',
    ]);
    for (const text of ['anvil:65536', 'anvil:', 'anvil:-1', 'anvil:000001']) {
      expect(() => l1.parse(text)).toThrow();
    }
    expect(['anvil', 'ANVIL:7', 'http://a'].map(anvilPort)).toEqual([8545, 7, undefined]);
  });

  test.each<[string, number, number?]>(RANGES)('%s', async (flag, least, most) => {
    const option = Object.values(OPTIONS).find((other) => longName(other) === flag);
    expect(option?.parse(String(least))).toBe(least);
    const outside = least === 0 ? [] : [least - 1];
    if (most !== undefined) {
      expect(option?.parse(String(most))).toBe(most);
      outside.push(most + 1);
    }
    for (const value of outside) {
      expect(await refusal(`${flag} ${value}`)).toBeInstanceOf(UsageError);
    }
  });
});

describe('words that mean nothing', () => {
  test.each([
    ['--mempool-size 5', /'--mempool-size'/],
    ['--acounts 5', /^unknown option '--acounts': did you mean '--accounts'\?$/],
    ['--frobnicate', /^unknown option '--frobnicate': 'starkbox --help all' lists the options$/],
    ['-z', /^unknown option '-z': /],
    ['--', /^unknown option '--': /],
    ['something', /'something'/],
    ['--port', /^the option '--port <PORT>' needs a value: a whole number from 0 to 65535$/],
    ['--lite-mode yes', /'yes'/],
  ])('%s', async (argv, message) => {
    const error = await refusal(argv);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(message);
  });
});

describe('options of other tools', () => {
  test.each([
    ['--fork', 'Hardhat', '--fork-network URL'],
    ['--fork-block-number', 'Anvil, Hardhat and Katana', '--fork-block BLOCK'],
    ['--mnemonic', 'Anvil', '--seed NUMBER'],
    ['--no-mining', 'Anvil and Katana', '--block-generation-on demand'],
    ['--dev.seed', 'Katana', '--seed NUMBER'],
    ['--silent', 'Anvil and Katana', '--quiet'],
    ['--hostname', 'Hardhat', '--host ADDRESS'],
    ['--json', 'Anvil', '--log-format json'],
    ['--verbosity', 'Anvil', '--log-level LEVEL'],
    ['--no-cors', 'Anvil', '--allowed-origins SITES'],
    ['--order', 'Anvil', '--block-generation-on mempool --mempool-order tip'],
  ])('%s of %s is answered with %s', async (option, tools, ours) => {
    const { message } = await refusal([option, '1']);
    expect(message).toMatch(new RegExp(`^unknown option '${option}' of ${tools}: use '${ours}'`));
  });

  test.each([
    ['--gas-limit', 'Anvil'],
    ['--number', 'Anvil'],
    ['--hardfork', 'Anvil'],
    ['--mixed-mining', 'Anvil'],
    ['--retries', 'Anvil'],
    ['--invoke-max-steps', 'Katana'],
  ])('%s of %s can be left out', async (option, tool) => {
    const { message } = await refusal([option, '1']);
    expect(message).toMatch(new RegExp(`^unknown option '${option}' of ${tool}: leave it out: `));
  });

  test('a state file is replaced by an image', async () => {
    const { message } = await refusal('--state a');
    expect(message).toMatch(/or --dump-path FILE --dump-on exit --dump-format image$/);
  });

  const namesOf = (option: Option<unknown>): readonly string[] => [
    longName(option),
    ...(option.short === undefined ? [] : [option.short]),
    ...(option.aliases ?? []),
  ];

  test.each(Object.entries(FOREIGN_OPTIONS))('%s is replaced by what exists', (option, entry) => {
    const advice = `${entry.use ?? ''} ${entry.advice ?? ''}`;
    const names = new Set(CONFIG_KEYS.flatMap((key) => namesOf(OPTIONS[key])));
    expect(advice.trim()).not.toBe('');
    expect(names).not.toContain(option);
    const options = advice.match(/--[a-z0-9-]+/g) ?? [];
    expect(options.filter((name) => !names.has(name))).toEqual([]);
    const methods = advice.match(/devnet_\w+/g) ?? [];
    expect(methods.filter((name) => !Object.hasOwn(METHODS, name))).toEqual([]);
  });
});

describe('a network by its name', () => {
  test.each([
    ['mainnet', constants.RPC_DEFAULT_NODES.SN_MAIN],
    ['Sepolia', constants.RPC_DEFAULT_NODES.SN_SEPOLIA],
  ])('%s is a default node of starknet.js', async (name, [url]) => {
    expect((await read(`--fork-network ${name}`)).forkNetwork).toBe(`${url}v0_10`);
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
    const { restrictedMethods } = await read('', { RESTRICTIVE_MODE: 'true' });
    expect(restrictedMethods).toEqual(RESTRICTED_BY_DEFAULT);
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

  test('is off if a variable says so, or is empty', async () => {
    for (const name of ['RESTRICTIVE_MODE', 'STARKBOX_RESTRICTIVE_MODE']) {
      for (const value of ['false', '']) {
        expect((await read('', { [name]: value })).restrictedMethods).toBeUndefined();
      }
    }
    const both = { STARKBOX_RESTRICTIVE_MODE: '', RESTRICTIVE_MODE: 'devnet_mint' };
    expect((await read('', both)).restrictedMethods).toEqual(['devnet_mint']);
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

describe('an automatic relay without an L1 node', () => {
  const sentences = (options: Partial<Config>): readonly string[] =>
    withoutEffect(
      new Set<ConfigKey>(['l1AutoRelay']),
      defaultConfig({ l1AutoRelay: 9, ...options }),
    );

  test('has no effect until one is connected', () => {
    expect(sentences({})).toEqual([expect.stringMatching(/^--l1-auto-relay .*devnet_postmanLoad/)]);
  });

  test('may follow the L1 node of the arguments or of a stored chain', () => {
    expect(sentences({ l1: 'anvil' })).toEqual([]);
    expect(sentences({ dataDir: 'a' })).toEqual([]);
  });
});
