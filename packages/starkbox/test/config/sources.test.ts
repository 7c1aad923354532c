import { describe, expect, test } from 'vitest';
import { environmentNames, RESTRICTED_BY_DEFAULT, UsageError } from '../../src/config/option.js';
import {
  CONFIG_KEYS,
  type ConfigKey,
  defaultConfig,
  givenIn,
  OPTIONS,
} from '../../src/config/options.js';
import { createChain } from '../../src/index.js';
import { stringify } from '../../src/json/json.js';
import { createLog } from '../../src/log.js';
import { read, refusal, useConfigFolder, write } from './config-folder.js';

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
    expect((await refusal('', { LITE_MODE: '1' })).message).toMatch(
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

  test.each(WITH_TWO)('%s has two variables, and the one with STARKBOX_ wins', async (key) => {
    const [long = '', short = ''] = environmentNames(OPTIONS[key]);
    const outcomes = {
      short: await outcome(key, { [short]: 'one two' }),
      long: await outcome(key, { [long]: 'one two' }),
      both: await outcome(key, { [short]: 'three four', [long]: 'one two' }),
    };
    expect(outcomes.short).not.toEqual(await outcome(key, {}));
    expect(outcomes.both).toEqual(outcomes.long);
    expect(String(outcomes.long).replaceAll(long, short)).toBe(String(outcomes.short));
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
    [{ sed: 0 }, "unknown key 'sed' in the options of createChain: did you mean 'seed'?"],
    [{ 'gas-price': 1 }, /'gas-price'.*'gasPriceWei'/],
    [{ nonsense: 1 }, "unknown key 'nonsense' in the options of createChain"],
    [{ seed: -1 }, /^invalid value '-1' for 'seed' in the options of createChain: /],
    [{ blockGenerationOn: 'foo' }, /^invalid value 'foo' for 'blockGenerationOn' /],
    [{ initialBalance: -5 }, /^invalid value '-5' for 'initialBalance' /],
    [
      { initialBalance: 1e21 },
      /'initialBalance'.*: write a number of this size as a string or a BigInt$/,
    ],
    [{ accounts: -5 }, /^invalid value '-5' for 'accounts' /],
    [{ accounts: 300 }, /^invalid value '300' for 'accounts' /],
    [{ accounts: Number.NaN }, /^invalid value 'NaN' for 'accounts' /],
    [{ accounts: [1] }, /^invalid value for 'accounts' in the options of createChain: /],
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
