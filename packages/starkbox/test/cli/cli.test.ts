import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Outcome, type RunOptions, run } from '../../src/cli/cli.js';
import { COMMAND_NAMES } from '../../src/cli/commands/command.js';
import { environmentExamples, optionKind } from '../../src/config/option.js';
import { CONFIG_KEYS, type Config, defaultConfig, OPTIONS } from '../../src/config/options.js';
import { TOPICS } from '../../src/config/topics.js';
import { AccountClassError } from '../../src/errors.js';
import { createChain as createRealNode } from '../../src/node/node.js';

let directory: string;
beforeEach(() => {
  directory = temporaryFolder();
});

type CreateNode = NonNullable<RunOptions['createChain']>;

/** A node with known addresses and without a chain. */
const createChain: CreateNode = async (options) => {
  const config = defaultConfig(options);
  return {
    config,
    accounts: [
      {
        address: '0x64b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691',
        privateKey: '0x71d7bb07b9a64f6f78ac4c816aff4da9',
        publicKey: '0x39d9e6ce352ad4530a0ef5d5a18fd3303c3606a7fa6ac5b620020ad681cc33b',
      },
      { address: '0x78', privateKey: '0xe', publicKey: '0x7a' },
    ].slice(0, config.accounts),
    accountClassHash: '0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564',
    tokens: {
      eth: { address: '0x49d36570d4e', classHash: '0xb45dbc' },
      strk: { address: '0x4718f5a0fc3', classHash: '0x2e77ee' },
    },
    udc: { address: '0x2ceed65', classHash: '0x1b2df6' },
    argent: config.predeclareArgent ? { regular: '0x36078', multisig: '0x7aeca' } : undefined,
    listen: async () => {
      const { host } = config;
      const authority = `${host.includes(':') ? `[${host}]` : host}:1234`;
      return { host, port: 1234, url: `http://${authority}` };
    },
    close: async () => {},
  };
};

interface Result {
  readonly outcome: Outcome;
  readonly stdout: string;
  readonly stderr: string;
}

async function start(argv: string, options: Partial<RunOptions> = {}): Promise<Result> {
  const texts = { stdout: '', stderr: '' };
  const output = (name: keyof typeof texts) => ({
    write: (text: string) => {
      texts[name] += text;
    },
  });
  const outcome = await run({
    argv: argv.split(' ').filter(Boolean),
    env: {},
    directory,
    stdout: output('stdout'),
    stderr: output('stderr'),
    createChain,
    ...options,
  });
  return { outcome, ...texts };
}

const failing = (error: Error, ...parts: ('create' | 'listen')[]): CreateNode => {
  return async (config, options) => {
    if (parts.includes('create')) throw error;
    return { ...(await createChain(config, options)), listen: () => Promise.reject(error) };
  };
};

const withCode = (code: string): Error => Object.assign(new Error(`listen ${code}`), { code });

const PLAIN_BANNER = `Chain ID: SN_SEPOLIA (0x534e5f5345504f4c4941)

Predeployed FeeToken
ETH Address: 0x49D36570D4E
Class Hash: 0xB45DBC
STRK Address: 0x4718F5A0FC3
Class Hash: 0x2E77EE

Predeployed UDC
Address: 0x2CEED65
Class Hash: 0x1B2DF6

`;

const ACCOUNTS_BANNER = `Predeployed accounts using class Custom with hash: 0x05b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564

| Account address |  0x064b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691
| Private key     |  0x0000000000000000000000000000000071d7bb07b9a64f6f78ac4c816aff4da9
| Public key      |  0x039d9e6ce352ad4530a0ef5d5a18fd3303c3606a7fa6ac5b620020ad681cc33b

| Account address |  0x0000000000000000000000000000000000000000000000000000000000000078
| Private key     |  0x000000000000000000000000000000000000000000000000000000000000000e
| Public key      |  0x000000000000000000000000000000000000000000000000000000000000007a

Initial balance of each account: 1000000000000000000000 WEI and FRI
Seed to replicate this account sequence: 42

`;

const ARGENT_BANNER = `Predeclared Argent account classes
Regular class hash: 0x36078
Multisig class hash: 0x7AECA

`;

const TERMINAL_BANNER = `chain      SN_SEPOLIA (0x534e5f5345504f4c4941)
STRK       0x4718f5a0fc3
ETH        0x49d36570d4e
UDC        0x2ceed65
accounts   2, seed 42, in full:
           starkbox rpc --url http://127.0.0.1:1234 getPredeployedAccounts
 0  0x64b48806902a367c85…d294a43793113115691  0x71d7bb07b9a64f6f78ac4c816aff4da9
 1  0x78                                      0xe
`;

const LISTENING = 'Starkbox listening on http://127.0.0.1:1234 (wallets: http://localhost:1234)\n';

describe('a start', () => {
  test('prints what tools look for on stdout, and logs to stderr', async () => {
    const { outcome, stdout, stderr } = await start('--seed 42');
    expect(outcome).toHaveProperty('node');
    expect(stdout).toBe(PLAIN_BANNER + ACCOUNTS_BANNER + LISTENING);
    expect(stderr).toMatch(
      /^ *\d+\.\d{3}s INFO {2}Starkbox listening on http:\/\/127\.0\.0\.1:1234\n$/,
    );
  });

  test('names the Argent classes if they are declared', async () => {
    const { stdout } = await start('--seed 42 --predeclare-argent');
    expect(stdout).toBe(PLAIN_BANNER + ARGENT_BANNER + ACCOUNTS_BANNER + LISTENING);
  });

  test('may have the word start', async () => {
    const { stdout } = await start('start --seed 42 --quiet');
    expect(stdout).toBe(LISTENING);
  });

  test('with --quiet prints one line, warnings and errors', async () => {
    const { stdout, stderr } = await start('-q', { env: { STARKBOX_ACOUNTS: '1', UI: '1' } });
    expect(stdout).toBe(LISTENING);
    expect(stderr.split('\n').filter(Boolean)).toEqual([
      expect.stringMatching(/WARN {2}Ignored UI=1: .*STARKBOX_UI$/),
      expect.stringMatching(/WARN {2}Ignored the unknown variable STARKBOX_ACOUNTS: did you mean/),
    ]);
  });

  test('leaves out what concerns accounts if there are none', async () => {
    expect((await start('--accounts 0')).stdout).toBe(PLAIN_BANNER + LISTENING);
  });

  test('prints no banner if none is wanted', async () => {
    const { stdout, stderr } = await start('--no-banner --log-format json');
    expect(stdout).toBe(LISTENING);
    expect(JSON.parse(stderr)).toMatchObject({
      level: 'info',
      msg: 'Starkbox listening on http://127.0.0.1:1234',
    });
  });

  test('has colours on a terminal, around the same words', async () => {
    let text = '';
    const terminal = (colours: boolean) => ({
      isTTY: true,
      hasColors: () => colours,
      write: (part: string) => {
        text += part;
      },
    });
    await start('--seed 42', { stdout: terminal(true) });
    expect(text).toContain('\u001b[1mUDC        \u001b[0m0x2ceed65\n');
    expect(stripVTControlCharacters(text)).toBe(TERMINAL_BANNER + LISTENING);
    text = '';
    await start('--seed 42', { stdout: terminal(false) });
    expect(text).toBe(TERMINAL_BANNER + LISTENING);
  });

  test('keeps the form that tools read under the name starknet-devnet, also on a terminal', async () => {
    let text = '';
    const stdout = { isTTY: true, write: (part: string) => (text += part) };
    await start('--seed 42', { stdout, env: { STARKBOX_AS: 'starknet-devnet' } });
    expect(text).toContain(PLAIN_BANNER + ACCOUNTS_BANNER);
  });

  test('has colours in a pipe only if FORCE_COLOR asks for them', async () => {
    const failure = { createChain: failing(new Error('oh'), 'create') };
    const forced = await start('', { ...failure, env: { FORCE_COLOR: '1' } });
    expect(forced.stderr).toBe('\u001b[31merror:\u001b[0m oh\n');
    const off = await start('', { ...failure, env: { FORCE_COLOR: '0' } });
    expect(off.stderr).toBe('error: oh\n');
  });

  test('says once where it listens, if both streams are one terminal', async () => {
    let text = '';
    const terminal = {
      isTTY: true,
      write: (part: string) => {
        text += part;
      },
    };
    await start('--no-banner', { stdout: terminal, stderr: terminal });
    expect(text).toBe(LISTENING);
  });

  test.each([
    ['::1', 'http://[::1]:1234 (wallets: http://localhost:1234)'],
    ['0.0.0.0', 'http://0.0.0.0:1234 (wallets: http://localhost:1234)'],
    ['192.0.2.1', 'http://192.0.2.1:1234'],
  ])('names localhost where it leads to the node: on %s', async (host, address) => {
    const { stdout } = await start(`--no-banner --log-level silent --host ${host}`);
    expect(stdout).toBe(`Starkbox listening on ${address}\n`);
  });

  test.each([
    ['127.0.0.1', '127.0.0.1:1234'],
    ['::1', '[::1]:1234'],
  ])(
    'additions.8d has the line of starknet-devnet if it is started as that: on %s',
    async (host, address) => {
      const env = { STARKBOX_AS: 'starknet-devnet' };
      const { stdout, stderr } = await start(`--seed 42 --accounts 0 --host ${host}`, { env });
      expect(stdout).toBe(`${PLAIN_BANNER}Starknet Devnet listening on ${address}\n`);
      expect(stderr).toBe('');
      expect((await start('--no-banner', { env: { STARKBOX_AS: '' } })).stdout).toBe(LISTENING);
    },
  );

  test('is refused under any other name', async () => {
    const { outcome, stderr } = await start('', { env: { STARKBOX_AS: 'katana' } });
    expect(outcome).toEqual({ exitCode: 2 });
    expect(stderr).toMatch(/^error: invalid value 'katana' .*STARKBOX_AS: must be starkbox or /);
  });

  test('hands the node what was given', async () => {
    let nodeConfig: Partial<Config> | undefined;
    await start('--port 0 --accounts 3', {
      createChain: (config, options) => {
        nodeConfig = config;
        return createChain(config, options);
      },
    });
    expect(nodeConfig).toEqual({ port: 0, accounts: 3 });
  });

  test('tells its port to a Unix socket that waits for it', async () => {
    const path = join(directory, 'port.sock');
    const server = createServer().listen(path);
    await once(server, 'listening');
    const bytes = once(server, 'connection').then(
      async ([socket]) => (await once(socket, 'data'))[0],
    );
    const { stdout } = await start('--no-banner', { env: { UNIX_SOCKET: path } });
    expect([...(await bytes)]).toEqual([1234 >> 8, 1234 & 0xff]);
    expect(stdout).toContain(path);
    server.close();
  });
});

describe('questions', () => {
  test('--version prints the version', async () => {
    const { outcome, stdout } = await start('--version');
    expect(outcome).toEqual({ exitCode: 0 });
    expect(stdout).toMatch(/^starkbox \d+\.\d+\.\d+\n$/);
    expect((await start('-V')).stdout).toBe(stdout);
  });

  const fits = (text: string, width: number): void => {
    expect(text.split('\n').filter((line) => line.length > width)).toEqual([]);
    expect(text).not.toMatch(/[^\n\x20-\x7e]/);
  };

  test('-v is the version too', async () => {
    expect(await start('-v')).toEqual(await start('--version'));
  });

  test('--help is one screen with every command and the options that people need', async () => {
    const { outcome, stdout, stderr } = await start('--help');
    expect(outcome).toEqual({ exitCode: 0 });
    expect(stderr).toBe('');
    fits(stdout, 80);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name);
    expect(listed).toEqual(['start', ...COMMAND_NAMES, 'help']);
    const options = stdout.match(/^ {2}(-\w, )?--\S+/gm) ?? [];
    expect(options.length).toBeGreaterThanOrEqual(20);
    expect(stdout).toContain('starkbox --help all');
    for (const topic of TOPICS) expect(stdout).toMatch(new RegExp(`\\b${topic}\\b`));
    for (const other of ['-h', 'help', 'start --help', 'help start']) {
      expect((await start(other)).stdout).toBe(stdout);
    }
  });

  test('--help all has every option with values, default, variables and config key', async () => {
    const { outcome, stdout } = await start('--help all');
    expect(outcome).toEqual({ exitCode: 0 });
    fits(stdout, 80);
    expect(stdout).toContain(`  --rules <NETWORK>
      Reject transactions and classes that the gateway of this network rejects.
      The default L2 gas price in fri is then the network's minimum.
      Value: mainnet, sepolia or off   Default: off   Variable: STARKBOX_RULES
      Config key: rules
`);
    for (const key of CONFIG_KEYS) {
      const [entry = ''] = stdout.split(`${OPTIONS[key].flag}`)[1]?.split(/\n {2}(?=-)/) ?? [];
      const text = entry.replaceAll(/\s+/g, ' ');
      expect(text).toContain(OPTIONS[key].help.replaceAll(/\s+/g, ' '));
      expect(text).toContain(`Config key: ${key}`);
      for (const variable of environmentExamples(OPTIONS[key])) expect(text).toContain(variable);
      if (optionKind(OPTIONS[key]) !== 'flag') {
        expect(text).toContain(`Value: ${OPTIONS[key].parse.expects}`);
      }
    }
    expect((await start('help all')).stdout).toBe(stdout);
  });

  test('a sentence of help has at most 25 words', () => {
    const long = CONFIG_KEYS.flatMap((key) =>
      OPTIONS[key].help
        .split(/(?<=[.!?;]) /)
        .filter((sentence) => sentence.split(/\s+/).length > 25),
    );
    expect(long).toEqual([]);
  });

  test.each([...TOPICS, ...COMMAND_NAMES])('help %s fits the terminal', async (word) => {
    const { outcome, stdout } = await start(`help ${word}`);
    expect(outcome).toEqual({ exitCode: 0 });
    fits(stdout, 80);
    let wide = '';
    const write = (text: string): void => {
      wide += text;
    };
    await start(`help ${word}`, { stdout: { isTTY: true, columns: 200, write } });
    fits(wide, 120);
    expect(wide.split('\n').length).toBeLessThanOrEqual(stdout.split('\n').length);
  });

  test('a topic has the options of its group and no others', async () => {
    const { stdout } = await start('help fork');
    expect(stdout).toMatch(/^Forking:\n {2}--fork-network <URL>, --fork-url\n/);
    expect(stdout).toContain('--offline');
    expect(stdout).not.toContain('--port');
    expect((await start('--help fork')).stdout).toBe(stdout);
  });

  test('help is a word too, also for a command', async () => {
    const { outcome, stdout } = await start('help inspect');
    expect(outcome).toEqual({ exitCode: 0 });
    expect(stdout).toContain('Usage: starkbox inspect');
    expect(stdout).toBe((await start('inspect --help')).stdout);
  });
});

/** The whole text about a missing argument: it names the help once. */
function missing(argument: string, usage: string): RegExp {
  const [command] = usage.split(' ');
  const text = `error: ${argument} is missing\nUsage: starkbox ${usage}\n\nFor more information, try 'starkbox ${command} --help'.\n`;
  return new RegExp(`^${text.replaceAll(/[[\].|]/g, '\\$&')}$`);
}

describe('a refusal', () => {
  test.each([
    ['--dump-on e', 2, /^error: invalid value 'e' for '--dump-on <EVENT>': /],
    ['--mempool-size 1', 2, /^error: unknown option '--mempool-size'/],
    ['--dump-on exit', 2, /^error: the following required arguments were not provided:\n/],
    ['--restrictive-mode nope', 1, /^error: Restricted methods contain .*: nope\n$/],
    ['--initial-balance 1'.padEnd(100, '0'), 1, /^error: Total balance supply in ERC20 contract/],
    ['inspct a', 2, /^error: unknown command 'inspct': did you mean 'inspect'\?\n/],
    ['node', 2, /^error: unknown command 'node': did you mean 'start'\?\n/],
    ['nonsense', 2, /^error: unknown command 'nonsense': the commands are start, .*, help\n/],
    ['help inspct', 2, /^error: no help on 'inspct': did you mean 'inspect'\?\n/],
    ['help nonsense', 2, /^error: no help on 'nonsense': the topics are accounts, /],
    ['gas --tolerence 1', 2, /^error: unknown option '--tolerence' of starkbox gas: .*--tolerance/],
    ['gas --names x', 2, /^error: unknown option '--names' of starkbox gas: /],
    ['inspect', 2, missing('FILE', 'inspect FILE [options]')],
    ['explain', 2, missing('HASH', 'explain HASH [options]')],
    ['rpc', 2, missing('METHOD', 'rpc METHOD [PARAMS...] [options]')],
    ['diff', 2, /^error: OLD and NEW are missing\nUsage: starkbox diff OLD NEW \[options\]\n/],
    ['diff a', 2, missing('NEW', 'diff OLD NEW [options]')],
    ['completions', 2, missing('bash|zsh|fish', 'completions bash|zsh|fish')],
    [
      'init a b',
      2,
      /^error: unexpected argument 'b'\nUsage: starkbox init \[FOLDER\] \[options\]\n/,
    ],
    ['gas a', 2, /^error: unexpected argument 'a'\nUsage: starkbox gas \[options\]\n/],
    ['--fork-block 1', 2, /^error: the following required arguments were not provided:\n/],
  ])('%s', async (argv, exitCode, message) => {
    const { outcome, stdout, stderr } = await start(argv);
    expect(outcome).toEqual({ exitCode });
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });

  test('of an account class names the option', async () => {
    const { outcome, stdout, stderr } = await start('--account-class-custom a.json', {
      createChain: failing(new AccountClassError('Not a valid Sierra account artifact'), 'create'),
    });
    expect(outcome).toEqual({ exitCode: 2 });
    expect(stdout).toBe('');
    expect(stderr.split('\n')[0]).toBe(
      "error: invalid value 'a.json' for '--account-class-custom <PATH>': Failed to load ContractClass: Not a valid Sierra account artifact",
    );
  });

  test('for another reason does not blame the account class', async () => {
    const missing = '/nowhere/none.json';
    const real = { createChain: createRealNode };
    const blamed = await start(`--account-class-custom ${missing}`, real);
    expect(blamed.outcome).toEqual({ exitCode: 2 });
    expect(blamed.stderr).toContain(`Failed to load ContractClass: ${missing} does not exist`);
    const { outcome, stderr } = await start('--account-class-custom a.json', {
      createChain: failing(new Error('the data directory is in use'), 'create'),
    });
    expect(outcome).toEqual({ exitCode: 1 });
    expect(stderr).toBe('error: the data directory is in use\n');
  });

  test('of the node itself ends with 1', async () => {
    const { outcome, stderr } = await start('', {
      createChain: failing(new Error('oh'), 'create'),
    });
    expect(outcome).toEqual({ exitCode: 1 });
    expect(stderr).toBe('error: oh\n');
  });

  test('comes after a line with the options that variables set', async () => {
    const env = { SEED: '7', STARKBOX_LITE_MODE: 'true', PORT: '1', DATA_DIR: '/x' };
    const { stderr } = await start('--port 80', {
      createChain: failing(new Error('oh'), 'create'),
      env,
    });
    const [line] = stderr.split('\n');
    const options = '--seed \\(SEED\\), --lite-mode \\(STARKBOX_LITE_MODE\\)';
    expect(line).toMatch(new RegExp(`Options from the environment: ${options}$`));
  });

  test('of an address names the variable or the file that it is from', async () => {
    const createFailing = failing(withCode('EADDRNOTAVAIL'), 'listen');
    const variable = await start('', { createChain: createFailing, env: { STARKBOX_HOST: 'box' } });
    expect(variable.stderr).toMatch(
      /^error: box is not an address of this machine \(from the variable STARKBOX_HOST\): /m,
    );
    writeFileSync(join(directory, 'starkbox.config.json'), '{ "host": "box" }');
    const file = await start('', { createChain: createFailing });
    expect(file.stderr).toMatch(/^error: box .* \(from starkbox\.config\.json\): /);
  });

  test('of a file that an option names also names its variable', async () => {
    const real = { createChain: createRealNode };
    for (const name of ['INIT', 'ARTIFACTS', 'DUMP_DIR']) {
      const variable = `STARKBOX_${name}`;
      const option = `--${name.toLowerCase().replace('_', '-')}`;
      const env = { [variable]: '/nowhere/at-all' };
      const { outcome, stderr } = await start('', { ...real, env });
      expect(outcome).toEqual({ exitCode: 1 });
      expect(stderr).toMatch(
        new RegExp(`^error: ${option}.*\\. ${option} is set by the variable ${variable}$`, 'm'),
      );
    }
  });

  test.each([
    ['EADDRINUSE', /^error: port 80 on 127\.0\.0\.1 is taken: .*--port, or .*--port 0\n$/],
    ['EACCES', /^error: port 80 .*--port\n$/],
    ['EADDRNOTAVAIL', /^error: 127\.0\.0\.1 .*--host\n$/],
    ['EOTHER', /^error: .*EOTHER\n$/],
  ])('of the system (%s) says what to do', async (code, message) => {
    let closed = 0;
    const createFailing = failing(withCode(code), 'listen');
    const { outcome, stdout, stderr } = await start('--port 80', {
      createChain: async (config, options) => {
        const node = await createFailing(config, options);
        return { ...node, close: async () => void closed++ };
      },
    });
    expect(outcome).toEqual({ exitCode: 1 });
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(closed).toBe(1);
  });
});
