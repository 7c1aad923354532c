// `starkbox rpc` against a node: parameters, output, errors and help.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { starknetKeccak } from '@starkbox/engine';
import { METHODS } from '@starkbox/spec';
import { startNode } from '@starkbox/test-support';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { runCommandLine } from '@starkbox/test-support/command-line';
import { listen } from '@starkbox/test-support/listen';
import { afterAll, describe, expect, test } from 'vitest';
import type { RunOptions } from '../../../starkbox/src/cli/cli.js';

const { node, client, url, close } = await startNode({ listen: true, accounts: 2 });
afterAll(close);
const [{ address } = { address: '' }] = node.accounts;

async function rpc(words: readonly string[], options: Partial<RunOptions> = {}) {
  const env = { STARKBOX_URL: url, ...options.env };
  const { outcome, stdout, stderr } = await runCommandLine(['rpc', ...words], { ...options, env });
  return { exitCode: 'exitCode' in outcome ? outcome.exitCode : undefined, stdout, stderr };
}

const result = async (...words: readonly string[]): Promise<unknown> => {
  const { exitCode, stdout, stderr } = await rpc(words);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
};

describe('parameters', () => {
  test('go by position, by name, both, or as JSON', async () => {
    const nonce = await client.call('starknet_getNonce', {
      block_id: 'latest',
      contract_address: address,
    });
    for (const words of [
      ['latest', address],
      [`contract_address=${address}`, 'block_id=latest'],
      [`contract_address=${address}`, 'latest'],
      [JSON.stringify({ block_id: 'latest', contract_address: address })],
      [JSON.stringify(['latest', address])],
      ['{"block_number":0}', address],
      ['0', address],
    ]) {
      expect(await result('starknet_getNonce', ...words)).toBe(nonce);
    }
  });

  test('come from stdin for -', async () => {
    const readInput = async () => JSON.stringify({ address: '0x1', amount: 5 });
    const { stdout } = await rpc(['devnet_mint', '-'], { readInput });
    expect(JSON.parse(stdout)).toMatchObject({ new_balance: '5', unit: 'FRI' });
    const wrong = await rpc(['devnet_mint', '-'], { readInput: async () => '5' });
    expect(wrong.stderr).toContain('stdin must hold a JSON object or array');
    expect((await rpc(['devnet_mint', '-'])).stderr).toContain('stdin must be JSON');
  });

  test('are numbers, booleans and strings as the specification says', async () => {
    const large = '1208925819614629174706176';
    expect(await result('mint', '0x2', `amount=${large}`)).toMatchObject({ new_balance: large });
    expect(await result('mint', '0x3', '1.5e18')).toMatchObject({
      new_balance: '1500000000000000000',
    });
    expect(await result('devnet_setLabel', '0x7', '42')).toEqual({});
    expect(await result('getLabels')).toMatchObject({ labels: [{ label: '42' }] });
    const accounts = await result('devnet_getPredeployedAccounts', 'with_balance=true');
    expect(accounts).toEqual([
      expect.objectContaining({ balance: expect.anything() }),
      expect.objectContaining({ balance: expect.anything() }),
    ]);
    expect(await result('getClassHashAt', 'latest', String(BigInt(address)))).toMatch(/^0x/);
  });

  test.each([
    [
      ['devnet_mint', 'adress=0x1'],
      /devnet_mint has no parameter 'adress': did you mean 'address'/,
    ],
    [['devnet_mint', 'unit=FRI', 'unit=WEI'], /the parameter 'unit' of devnet_mint is given twice/],
    [['blockNumber', '1'], /starknet_blockNumber takes 0 parameters: .*--help/],
    [['devnet_mint', '{'], /the parameters must be JSON: /],
    [['anvil_setBalance'], /unknown method 'anvil_setBalance': did you mean devnet_deal\?/],
    [['mnt'], /unknown method 'mnt': did you mean devnet_mint\?/],
    [['frobnicate'], /unknown method 'frobnicate': 'starkbox rpc --list' lists the methods/],
    [
      ['block'],
      /unknown method 'block': methods with this word are (\w+, ){4}\w+; 'starkbox rpc --list block' lists all/,
    ],
    [['balance'], /unknown method 'balance': .*devnet_getAccountBalance/],
    [['chainId', '--url', 'foo'], /'foo' is not a URL: write http:\/\/127\.0\.0\.1:5050/],
    [[], /METHOD is missing\nUsage: starkbox rpc METHOD \[PARAMS\.\.\.\] \[options\]/],
  ])('%j is a mistake that is explained', async (words, message) => {
    const { exitCode, stdout, stderr } = await rpc(words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('output', () => {
  test('is JSON on one line for other programs', async () => {
    const { stdout } = await rpc(['devnet_getConfig']);
    expect(stdout).toMatch(/^\{.*\}\n$/);
  });

  test('is indented and coloured on a terminal, around the same value', async () => {
    let text = '';
    const write = (part: string): void => {
      text += part;
    };
    const stdout = { isTTY: true, columns: 80, hasColors: () => true, write };
    await rpc(['devnet_getConfig'], { stdout });
    expect(text).toContain('\n  \u001b[36m"seed"\u001b[0m: \u001b[33m0\u001b[0m,\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours begin with one
    const plain = text.replaceAll(/\u001b\[\d+m/g, '');
    expect(JSON.parse(plain)).toEqual(await result('devnet_getConfig'));
    text = '';
    await rpc(['devnet_getConfig', '--json'], { stdout });
    expect(JSON.parse(text)).toEqual(JSON.parse(plain));
    expect(text.split('\n')).toHaveLength(2);
  });

  test('is the whole response with --raw', async () => {
    const { stdout } = await rpc(['chainId', '--raw']);
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x534e5f5345504f4c4941' });
    const refused = await rpc(['getNonce', 'latest', '0x1', '--raw']);
    expect(refused).toMatchObject({ exitCode: 1, stderr: '' });
    expect(refused.stdout).toMatch(/^\{.*\}\n$/);
    expect(refused.stdout).toContain('{"jsonrpc":"2.0","id":1,"error":{"code":20,');
  });
});

describe('an error', () => {
  test('has its code, name, reason and hint on stderr', async () => {
    const { exitCode, stdout, stderr } = await rpc(['getNonce', 'latest', '0x1']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(
      /^error: starknet_getNonce failed with 20 \(CONTRACT_NOT_FOUND\): Contract not found\n/,
    );
    const wrong = await rpc(['getNonce', 'latest', 'zz']);
    expect(wrong.stderr).toMatch(/failed with -32602 \(INVALID_PARAMS\): /);
    expect(wrong.stderr).toContain("hint: 'starkbox rpc starknet_getNonce --help' shows");
  });

  test('of a contract is explained instead of listing frames, which --raw prints', async () => {
    const request = {
      contract_address: node.tokens.strk.address,
      entry_point_selector: starknetKeccak('transfer'),
      calldata: ['0x0', '0x1', '0x0'],
    };
    const words = ['starknet_call', JSON.stringify({ request, block_id: 'latest' })];
    const { stderr } = await rpc(words);
    expect(stderr).toContain("STRK.transfer panicked with 'ERC20: transfer");
    expect(stderr).not.toContain('revert_error');
    expect((await rpc([...words, '--raw'])).stdout).toContain('revert_error');
  });

  test('of a connection says how to start a node', async () => {
    const { exitCode, stderr } = await rpc(['chainId', '--url', 'http://127.0.0.1:1']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: cannot reach http:\/\/127\.0\.0\.1:1: /);
    expect(stderr).toContain("Start a node with 'starkbox', or give the URL of a running node");
  });

  test('of another server has its status and type, and not its page', async () => {
    const server = createServer((_, response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html>nothing</html>');
    });
    const port = await listen(server);
    const { exitCode, stderr } = await rpc(['chainId', '--url', `http://127.0.0.1:${port}`]);
    server.close();
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `error: http://127.0.0.1:${port} does not respond as a node: it sent status 404, text/html\n`,
    );
  });

  test('of a missing token names the option; the token is sent', async () => {
    const guarded = await startNode({ authToken: 'secret' });
    const { url: guardedUrl } = await guarded.node.listen();
    const refused = await rpc(['chainId', '--url', guardedUrl]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('--auth-token');
    const words = ['chainId', '--url', guardedUrl];
    expect((await rpc([...words, '--auth-token', 'secret'])).exitCode).toBe(0);
    expect((await rpc(words, { env: { STARKBOX_AUTH_TOKEN: 'secret' } })).exitCode).toBe(0);
    await guarded.close();
  });
});

test('every command that calls a node sends the token, by option or variable', async () => {
  await using guarded = await startNode({ authToken: 'secret', listen: true });
  const { tx_hash } = await guarded.node.request('devnet_mint', { address, amount: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-token-'));
  closeAfterTest(async () => rmSync(folder, { recursive: true }));
  const out = join(folder, 'mint.bundle');
  for (const words of [
    ['rpc', 'chainId'],
    ['explain', tx_hash],
    ['gas'],
    ['coverage'],
    ['bundle', tx_hash, '--out', out],
  ]) {
    const run = async (more: readonly string[], env = {}) =>
      runCommandLine([...words, '--url', guarded.url, ...more], { env });
    const [name] = words;
    const refused = await run([]);
    expect(refused.stderr, name).toContain('give the token with --auth-token');
    expect((await run(['--auth-token', 'secret'])).stderr, name).toBe('');
    expect((await run([], { STARKBOX_AUTH_TOKEN: 'secret' })).stderr, name).toBe('');
  }
});

test('starkbox explain names a hash that is none, and one that the node does not have', async () => {
  const explain = async (hash: string): Promise<string> =>
    (await runCommandLine(['explain', hash, '--url', url])).stderr;
  expect(await explain('abc')).toMatch(
    /^error: invalid transaction hash 'abc': HASH must be 0x and hexadecimal digits\n/,
  );
  expect(await explain('0x1234')).toBe(`error: the node at ${url} has no transaction 0x1234\n`);
});

describe('help', () => {
  test('of a method has parameters, types, result, errors and an example', async () => {
    const { stdout } = await rpc(['deal', '--help']);
    expect(stdout).toMatch(
      /^Usage: starkbox rpc devnet_deal token address amount \[variable\] \[slot\]\n {7}\[adjust_supply\]\n/,
    );
    expect(stdout).toContain('amount         integer | DECIMAL. ');
    expect(stdout).toContain('slot           STORAGE_KEY, optional. ');
    expect(stdout).toMatch(/Result:\n {2}\{ new_balance: DECIMAL, /);
    expect(stdout).toMatch(/Types:\n {2}ADDRESS +string\. /);
    expect(stdout).toMatch(/Errors:\n {2}20 {2}Contract not found/);
    expect(stdout).toContain(
      'Example:\n  starkbox rpc devnet_deal token=0x1 address=0x1 amount=1\n',
    );
    expect((await rpc(['frobnicate', '--help'])).stderr).toContain('unknown method');
  });

  test('lists the methods, or those that contain a word', async () => {
    const all = await rpc(['--list']);
    const names = all.stdout.match(/^\S+/gm);
    expect(names).toEqual(Object.keys(METHODS));
    const some = await rpc(['--list', 'snapshot']);
    expect(some.stdout.match(/^\S+/gm)).toEqual([
      'devnet_snapshot',
      'devnet_deleteSnapshot',
      'devnet_listSnapshots',
    ]);
    expect((await rpc(['--list', 'frobnicate'])).exitCode).toBe(1);
  });
});
