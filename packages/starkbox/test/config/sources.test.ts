import { describe, expect, test } from 'vitest';
import { helpOn, optionFacts } from '../../src/cli/help.js';
import { environmentNames, RESTRICTED_BY_DEFAULT, UsageError } from '../../src/config/option.js';
import {
  CONFIG_KEYS,
  type ConfigKey,
  defaultConfig,
  givenIn,
  OPTIONS,
} from '../../src/config/options.js';
import { OTHER_VARIABLES } from '../../src/config/variables.js';
import { createChain } from '../../src/index.js';
import { stringify } from '../../src/json/json.js';
import { createLog } from '../../src/log.js';
import { painter } from '../../src/terminal.js';
import { read, refusal, useConfigFolder, warnings, write } from './config-folder.js';

useConfigFolder();

describe('sources', () => {
  test('an argument counts before a variable, a variable before the file', async () => {
    write('starkbox.config.json', '{ "accounts": 1, "seed": 1, "port": 1 }');
    const config = await read('--accounts 3', { ACCOUNTS: '2', SEED: '2' });
    expect(config).toMatchObject({ accounts: 3, seed: 2, port: 1, timeout: 120 });
  });

  test('a variable of a flag holds true or false, whatever the file says', async () => {
    write('starkbox.config.json', '{ "liteMode": true, "banner": false }');
    expect(await read()).toMatchObject({ liteMode: true, banner: false });
    const config = await read('', { LITE_MODE: 'false', STARKBOX_BANNER: 'true' });
    expect(config).toMatchObject({ liteMode: false, banner: true });
    expect((await refusal('', { STARKBOX_LITE_MODE: '1' })).message).toMatch(
      /^invalid value '1' for '--lite-mode' .*LITE_MODE/,
    );
  });

  test('a variable may begin with STARKBOX_, and then counts first', async () => {
    const env = { STARKBOX_SEED: '7', SEED: '8', STARKBOX_PORT: '', PORT: '9' };
    expect(await read('', env)).toMatchObject({ seed: 7, port: 9 });
    expect((await refusal('', { STARKBOX_SEED: 'x' })).message).toMatch(/variable STARKBOX_SEED: /);
    expect(await read('--seed 6', env)).toMatchObject({ seed: 6 });
  });

  // Most options refuse the text and name the variable that they read; paths and names keep the text.
  const outcome = (key: ConfigKey, env: object): Promise<unknown> =>
    read('', env).then(
      (config) => config[key],
      (error: unknown) => String(error),
    );
  const WITH_TWO = CONFIG_KEYS.filter((key) => OPTIONS[key].hasShortVariable);

  test.each(CONFIG_KEYS)('%s has a variable that begins with STARKBOX_', async (key) => {
    const [long = ''] = environmentNames(OPTIONS[key]);
    expect(long).toMatch(/^STARKBOX_/);
    expect(await outcome(key, { [long]: 'one two' })).not.toEqual(await outcome(key, {}));
  });

  /** Values that each of these options takes, and that differ from the default. */
  const OTHER_VALUES: Readonly<Partial<Record<ConfigKey, string>>> = {
    accountClass: 'cairo0',
    proofMode: 'none',
    blockGenerationOn: '7',
    stateArchive: 'none',
    dumpOn: 'request',
    forkNetwork: 'http://127.0.0.7:7/',
    forkUpstreamCaching: 'false',
    host: '127.0.0.7',
    metricsHost: '127.0.0.7',
    predeclareArgent: 'true',
    liteMode: 'true',
    ui: 'true',
  };

  test.each(WITH_TWO)('%s has two variables, and the one with STARKBOX_ wins', async (key) => {
    const [long = '', short = ''] = environmentNames(OPTIONS[key]);
    const value = OTHER_VALUES[key] ?? '7';
    const fromShort = await outcome(key, { [short]: value });
    expect(fromShort).not.toEqual(await outcome(key, { SEED: '0' }));
    const fromLong = await outcome(key, { [long]: value });
    expect(String(fromLong).replaceAll(long, short)).toBe(String(fromShort));
    const both = await outcome(key, { [short]: value, [long]: 'one two' });
    expect(both).toEqual(await outcome(key, { [long]: 'one two' }));
  });

  test.each([
    [{ UI: '1' }, /^Ignored UI=1: it must be true or false\. To set the option, use STARKBOX_UI$/],
    [{ HOST: 'mybox' }, /^Ignored HOST=mybox: it must be an IP address or localhost\. .*_HOST$/],
    [{ TIMEOUT: '30s' }, /^Ignored TIMEOUT=30s: it must be a whole number from 1 to 65535\. /],
    [{ ACCOUNTS: 'alice' }, /^Ignored ACCOUNTS=alice: /],
    [{ FORK_NETWORK: 'goerli' }, /^Ignored FORK_NETWORK=goerli: it must be mainnet, sepolia, /],
  ])('%o of another program is ignored with a warning', async (env, message) => {
    expect(await read('--seed 0', env)).toEqual(await read('--seed 0'));
    expect(await warnings(env)).toEqual([expect.stringMatching(message)]);
  });

  test('HOST may be an address, and STARKBOX_HOST also a name', async () => {
    expect(await read('', { HOST: 'localhost' })).toMatchObject({ host: '127.0.0.1' });
    expect(await read('', { HOST: '::1' })).toMatchObject({ host: '::1' });
    expect(await read('', { STARKBOX_HOST: 'mybox' })).toMatchObject({ host: 'mybox' });
    expect(await warnings({ HOST: '0.0.0.0', STARKBOX_HOST: 'mybox' })).toEqual([]);
  });

  test.each([
    [{ STARKBOX_ACOUNTS: '3' }, 'did you mean STARKBOX_ACCOUNTS?'],
    [{ STARKBOX_CONFG: 'x' }, 'did you mean STARKBOX_CONFIG?'],
    [{ STARKBOX_FROBNICATE: '' }, "'starkbox --help all' lists the variables"],
  ])('the unknown variable of %o is reported', async (env, hint) => {
    const [name = ''] = Object.keys(env);
    expect(await warnings(env)).toEqual([`Ignored the unknown variable ${name}: ${hint}`]);
  });

  test('variables that other parts read, or a container sets for a service, are no news', async () => {
    const others = Object.fromEntries(Object.keys(OTHER_VARIABLES).map((name) => [name, '']));
    const links = {
      STARKBOX_SERVICE_HOST: '10.0.0.1',
      STARKBOX_PORT_5050_TCP: 'tcp://10.0.0.1:5050',
    };
    expect(others).toHaveProperty('STARKBOX_ENGINE');
    expect(await warnings({ ...others, ...links })).toEqual([]);
  });

  test('a config file of a wrong name is reported with the right one', async () => {
    write('starkbox.config.js', 'export default { seed: 1 };');
    write('starkbox.config.yaml', 'seed: 1');
    expect(await warnings()).toEqual([
      'Ignored starkbox.config.js: a config file is named starkbox.config.mjs and holds an object as the default export',
      'Ignored starkbox.config.yaml: a config file is named starkbox.config.json and holds JSON',
    ]);
    write('starkbox.config.json', '{}');
    expect(await warnings()).toEqual([]);
  });

  test.each(CONFIG_KEYS)('the documented key %s is accepted in a config file', async (key) => {
    expect(optionFacts(key).key).toBe(key);
    const help = helpOn('all', { width: 120, paint: painter(false) });
    expect(help).toMatch(new RegExp(`Config key: ${key}$`, 'm'));
    write('starkbox.config.json', JSON.stringify({ [key]: null }));
    expect(await read()).toHaveProperty(key);
  });

  test('variables of other programs are left alone', async () => {
    const others = CONFIG_KEYS.filter((key) => !OPTIONS[key].hasShortVariable);
    const names = others.flatMap((key) => environmentNames(OPTIONS[key]));
    const env = Object.fromEntries(names.map((name) => [name.replace('STARKBOX_', ''), 'x']));
    expect(env).toMatchObject({ DATA_DIR: 'x', AUTH_TOKEN: 'x', OFFLINE: 'x', INIT: 'x' });
    expect(await read('--seed 0', env)).toEqual(await read('--seed 0'));
  });

  test('an error names the variable or the file that set the option', async () => {
    expect((await refusal('', { RESTRICTIVE_MODE: 'none_such' })).message).toMatch(
      /: none_such\. --restrictive-mode is set by the variable RESTRICTIVE_MODE$/,
    );
    expect((await refusal('--fork-network http://localhost:1', { CHAIN_ID: 'x' })).message).toMatch(
      /'--chain-id <CHAIN_ID>' \(from the variable CHAIN_ID\) cannot be used with/,
    );
    expect((await refusal('', { DUMP_ON: 'exit' })).message).toMatch(
      /\n {2}--dump-path <DUMP_PATH>, for '--dump-on <EVENT>' \(from the variable DUMP_ON\)$/,
    );
    write('starkbox.config.json', '{ "proofMode": "full" }');
    expect((await refusal('')).message).toMatch(
      /\. --proof-mode is set by starkbox\.config\.json$/,
    );
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
    write('config.yaml', 'seed: 1');
    expect((await refusal('--config config.yaml')).message).toBe(
      "the config file 'config.yaml' must be JSON, with a name that ends in .json, or a module in .mjs or .js",
    );
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

describe('the options of createChain', () => {
  const wrong = async (options: object): Promise<unknown> =>
    createChain(options).then(
      () => 'accepted',
      (error: unknown) => error,
    );

  test.each([
    [[], 'createChain takes an object with options, such as { seed: 0 }; got a list'],
    [{ sed: 0 }, "unknown key 'sed' in the options of createChain: did you mean 'seed'?"],
    [{ 'gas-price': 1 }, /'gas-price'.*'gasPriceWei'/],
    [{ nonsense: 1 }, "unknown key 'nonsense' in the options of createChain"],
    [{ seed: -1 }, /^invalid value '-1' for 'seed' in the options of createChain: /],
    [{ blockGenerationOn: 'foo' }, /^invalid value 'foo' for 'blockGenerationOn' /],
    [{ networkConditions: { sed: 1 } }, /: conditions: unknown member 'sed'; expected seed, /],
    [{ initialBalance: -5 }, /^invalid value '-5' for 'initialBalance' /],
    [
      { initialBalance: 1e21 },
      /'initialBalance'.*: write a number of this size as a string or a BigInt$/,
    ],
    [{ accounts: -5 }, /^invalid value '-5' for 'accounts' /],
    [{ accounts: 300 }, /^invalid value '300' for 'accounts' /],
    [{ accounts: Number.NaN }, /^invalid value 'NaN' for 'accounts' /],
    [{ accounts: [1] }, /^invalid value for 'accounts' in the options of createChain: /],
    [
      { allowedHosts: {} },
      /^invalid value for 'allowedHosts' .*: must be a string or a list of strings$/,
    ],
    [
      { allowedHosts: ['a', 1] },
      /^invalid value for 'allowedHosts' .*: must be a string or a list/,
    ],
    [
      { restrictedMethods: [null] },
      /^invalid value for 'restrictedMethods' .*: must be true or a list/,
    ],
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
    const node = await createChain({ initialBalance, accounts: 1 });
    expect(node.config.initialBalance).toBe(5n);
    await node.close();
  });

  test.each(['500ms', 0.5])('an interval may be %o', async (blockGenerationOn) => {
    const options: object = { blockGenerationOn, accounts: 0 };
    const node = await createChain(options);
    expect(node.config.blockGenerationOn).toBe(0.5);
    await node.close();
  });

  test.each([
    ['a preset', 'calm', { seed: 0, order: 'tip' }],
    ['an object', { seed: 3, gas_market: true }, { seed: 3, order: null, congestion: null }],
    ['JSON', '{ "seed": 3, "reorgs": { "probability": 0.1 } }', { seed: 3, gas_market: false }],
  ] as const)('network conditions may be %s', async (_form, networkConditions, expected) => {
    const node = await createChain({ networkConditions, accounts: 0 });
    expect(node.config.networkConditions).toMatchObject(expected);
    // A chain takes the options that another one shows.
    const same = await createChain(node.config);
    expect(same.config.networkConditions).toEqual(node.config.networkConditions);
    await node.close();
    await same.close();
  });

  test('a chain id means what it means to the command', async () => {
    for (const [chainIdOption, chainId] of [
      ['my_chain', 'my_chain'],
      ['mainnet', 'SN_MAIN'],
    ]) {
      const node = await createChain({
        ...(chainIdOption ? { chainId: chainIdOption } : {}),
        accounts: 0,
      });
      expect(node.config.chainId).toBe(chainId);
      await node.close();
    }
  });

  test('settings without effect are reported', async () => {
    const lines: string[] = [];
    const log = createLog(
      { level: 'warn', format: 'pretty' },
      { write: (text) => lines.push(text) },
    );
    const node = await createChain({ accounts: 0, metricsPort: 1 }, { log });
    await node.close();
    expect(lines).toEqual([
      expect.stringContaining('--metrics-port has no effect without --metrics-host'),
    ]);
  });

  test('may be a whole config, of which only what was chosen counts as given', async () => {
    const config = defaultConfig({ accounts: 1, seed: 3, restrictedMethods: [] });
    expect(givenIn(config)).toEqual(new Set(['accounts', 'seed', 'restrictedMethods']));
    const node = await createChain(config);
    expect(node.config).toMatchObject({ accounts: 1, seed: 3, timeout: 120 });
    expect(await node.request('devnet_snapshot')).toBeDefined();
    await node.close();
  });
});
