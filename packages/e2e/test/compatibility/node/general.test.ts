// Basics for clients: envelope, version, errors, configuration, tokens.
import { storageAddress } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { optionsOf } from '@starkbox/test-support/command-line';
import { FIXTURE, startFixture } from '@starkbox/test-support/fixture';
import { ACCOUNT_CLASS, ETH, hex, read, STRK, short } from '@starkbox/test-support/signing';
import { describe, expect, test } from 'vitest';

const fixture = await startFixture();
const { url } = await fixture.node.listen();

const JSON_HEADERS = { 'content-type': 'application/json' };

async function post(path: string, body: string, headers: Record<string, string> = JSON_HEADERS) {
  // Bytes, because fetch names a content type for a text by itself.
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers,
    body: new TextEncoder().encode(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

describe('requests', () => {
  test.each([
    ['a call', '{"jsonrpc":"2.0","id":7,"method":"starknet_chainId"}'],
    ['a batch', '[{"jsonrpc":"2.0","id":"a","method":"starknet_blockNumber","params":[]}]'],
    ['an error', '{"jsonrpc":"2.0","id":7,"method":"starknet_getNonce","params":["latest","0x1"]}'],
    ['null', 'null'],
    ['nonsense', '{ nonsense'],
  ])('general.1 both paths answer alike: %s', async (_, body) => {
    const answer = await post('/', body);
    expect(answer.status).toBe(200);
    expect(await post('/rpc', body)).toEqual(answer);
  });

  test('general.1 null is no request', async () => {
    expect((await post('/rpc', 'null')).body).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: ERRORS.INVALID_REQUEST.code, message: 'Invalid request' },
    });
  });

  test.each(['invalid_method', 'starknet_specVersion_butWrong', 'devnet_invalid'])(
    'general.3 there is no method %s',
    async (method) => {
      const { body } = await post('/', JSON.stringify({ jsonrpc: '2.0', id: 1, method }));
      const error = { code: ERRORS.METHOD_NOT_FOUND.code, message: 'Method not found' };
      expect(body).toEqual({ jsonrpc: '2.0', id: 1, error });
    },
  );

  test.each([[[1]], [{ block_id: 'latest' }]])(
    'general.4 a method without parameters refuses %j',
    async (params) => {
      const error = await fixture.client.failure('starknet_specVersion', params);
      expect(error).toMatchObject({ code: ERRORS.INVALID_PARAMS.code, data: undefined });
    },
  );

  test('general.7a malformed JSON is answered with the reason', async () => {
    expect(await post('/rpc', '{ this is not valid JSON }')).toEqual({
      status: 200,
      body: {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: ERRORS.PARSE_ERROR.code,
          message: 'Parse error',
          data: { reason: expect.any(String) },
        },
      },
    });
  });

  test('general.8 a call without a method is refused under its id', async () => {
    const data = { reason: expect.stringContaining('method') };
    const error = { code: ERRORS.INVALID_REQUEST.code, message: 'Invalid request', data };
    expect(await post('/rpc', '{"jsonrpc":"2.0","id":"the one","params":{}}')).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', id: 'the one', error },
    });
  });

  test('general.9 a request must say that it is JSON', async () => {
    const call = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}';
    const refusal = (reason: string): object => {
      const error = {
        code: ERRORS.INVALID_REQUEST.code,
        message: 'Invalid request',
        data: { reason },
      };
      return { status: 200, body: { jsonrpc: '2.0', id: null, error } };
    };
    expect(await post('/rpc', call, {})).toEqual(refusal('Missing content type'));
    expect(await post('/rpc', call, { 'content-type': 'text/plain' })).toEqual(
      refusal('Content-Type must be application/json, got text/plain'),
    );
    const { body } = await post('/rpc', call, {
      'content-type': 'application/json; charset=utf-8',
    });
    expect(body).toHaveProperty('result');
  });
});

describe('the service', () => {
  test('general.2 the version of the specification is asked for with an empty list', async () => {
    expect(await fixture.client.call('starknet_specVersion', [])).toBe('0.10.2');
  });

  test('general.5 a chain of one node is never behind', async () => {
    expect(await fixture.client.call('starknet_syncing', [])).toBe(false);
  });

  test('general.6a storage proofs need a block', async () => {
    const error = await fixture.client.failure('starknet_getStorageProof', {});
    expect(error).toMatchObject({ code: ERRORS.INVALID_PARAMS.code, data: undefined });
    expect(error.message).toContain('block_id');
  });

  test.each(['latest', { block_number: 0 }])(
    'general.6b there are no storage proofs at %j',
    async (block_id) => {
      const error = await fixture.client.failure('starknet_getStorageProof', { block_id });
      expect(error).toMatchObject({
        code: ERRORS.STORAGE_PROOF_NOT_SUPPORTED.code,
        data: undefined,
      });
      expect(error.message).toMatch(/^This node has no storage proofs/);
    },
  );

  test.each([{ block_number: 1 }, { block_hash: '0x123' }, 'l1_accepted'])(
    'general.6c storage proofs of an unknown block: %j',
    async (block_id) => {
      const error = await fixture.client.failure('starknet_getStorageProof', { block_id });
      const data = 'The newest block is 0.';
      expect(error).toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code, data });
    },
  );

  test('general.10 two nodes on free ports do not meet', async () => {
    const other = await (await startFixture()).node.listen();
    expect(other.url).not.toBe(url);
    expect(new URL(url).port).not.toBe('0');
    for (const nodeUrl of [url, other.url]) {
      const alive = await fetch(`${nodeUrl}/is_alive`);
      expect([alive.status, await alive.text()]).toEqual([200, 'Alive!!!']);
    }
  });
});

describe('the configuration', () => {
  const FRESH = {
    seed: 42,
    total_accounts: 3,
    account_contract_class_hash: ACCOUNT_CLASS,
    predeployed_accounts_initial_balance: '500000000000000000000',
    start_time: null,
    gas_price_wei: 1_000_000_000,
    gas_price_fri: 1_000_000_000,
    data_gas_price_wei: 1_000_000_000,
    data_gas_price_fri: 1_000_000_000,
    l2_gas_price_wei: 1_000_000_000,
    l2_gas_price_fri: 1_000_000_000,
    chain_id: 'SN_SEPOLIA',
    dump_on: null,
    dump_path: null,
    block_generation_on: 'transaction',
    lite_mode: false,
    proof_mode: 'devnet',
    state_archive: 'full',
    fork_config: { url: null, block_number: null, caching_enabled: null },
    eth_erc20_class_hash: '0xb45dbc3714180381c5680e41931172d67194d77d504413465390e0bef194ec',
    strk_erc20_class_hash: '0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc',
    class_size_config: {
      maximum_contract_class_size: 4_089_446,
      maximum_contract_bytecode_size: 81_920,
      maximum_sierra_length: 81_920,
    },
    server_config: {
      host: '127.0.0.1',
      port: 0,
      timeout: 120,
      restricted_methods: null,
      ui_enabled: false,
      request_body_size_limit: 16 * 1024 * 1024,
    },
  };

  async function configOf(argv: string): Promise<unknown> {
    const { client } = await startFixture(await optionsOf(...argv.split(/\s+/).filter(Boolean)));
    return client.call('devnet_getConfig');
  }

  test('general.11a it shows what is so by default', async () => {
    const { port } = new URL(url);
    expect(await fixture.client.call('devnet_getConfig')).toEqual({
      ...FRESH,
      server_config: { ...FRESH.server_config, port: Number(port) },
    });
    const { accounts, seed, initialBalance } = FIXTURE;
    const words = `--seed ${seed} --accounts ${accounts} -e ${initialBalance} --port 0`;
    expect(await configOf(words)).toEqual(FRESH);
  });

  test('general.11a it shows every option of the command line', async () => {
    const config = await configOf(`
      --seed 7 --accounts 2 --account-class cairo0 --initial-balance 123 --start-time 42
      --gas-price 1 --gas-price-fri 2 --data-gas-price 3 --data-gas-price-fri 4
      --l2-gas-price 5 --l2-gas-price-fri 6 --chain-id mainnet --dump-on request
      --block-generation-on demand --lite-mode --proof-mode none --state-archive-capacity none
      --maximum-contract-class-size 8 --maximum-contract-bytecode-size 9 --maximum-sierra-length 10
      --host 0.0.0.0 --port 0 --timeout 11 --request-body-size-limit 12
      --restrictive-mode devnet_mint devnet_load`);
    expect(config).toEqual({
      ...FRESH,
      seed: 7,
      total_accounts: 2,
      account_contract_class_hash:
        '0x4d07e40e93398ed3c76981e72dd1fd22557a78ce36c0515f679e27f0bb5bc5f',
      predeployed_accounts_initial_balance: '123',
      start_time: 42,
      gas_price_wei: 1,
      gas_price_fri: 2,
      data_gas_price_wei: 3,
      data_gas_price_fri: 4,
      l2_gas_price_wei: 5,
      l2_gas_price_fri: 6,
      chain_id: 'SN_MAIN',
      dump_on: 'request',
      block_generation_on: 'demand',
      lite_mode: true,
      proof_mode: 'none',
      state_archive: 'none',
      class_size_config: {
        maximum_contract_class_size: 8,
        maximum_contract_bytecode_size: 9,
        maximum_sierra_length: 10,
      },
      server_config: {
        host: '0.0.0.0',
        port: 0,
        timeout: 11,
        restricted_methods: ['devnet_mint', 'devnet_load'],
        ui_enabled: false,
        request_body_size_limit: 12,
      },
    });
  });

  test('general.11b an interval is its decimal string', async () => {
    expect(await configOf('--seed 42 --accounts 0 --block-generation-on 3600')).toMatchObject({
      block_generation_on: '3600',
    });
  });

  test('general.11a the port is shown that the node listens on, also when any free one was asked for', async () => {
    const { client, node } = await startFixture({ port: 0 });
    const initialConfig = await client.call('devnet_getConfig');
    expect(initialConfig.server_config.port).toBe(0);
    const { url, port } = await node.listen();
    expect(port).toBeGreaterThan(0);
    const config = { ...initialConfig, server_config: { ...initialConfig.server_config, port } };
    expect(await client.call('devnet_getConfig')).toEqual(config);
    expect(await (await fetch(`${url}/config`)).json()).toEqual(config);
  });
});

describe('the fee tokens', () => {
  const TOKENS = [
    [ETH, 'Ether', 'ETH'],
    [STRK, 'StarkNet Token', 'STRK'],
  ] as const;

  test.each(TOKENS)(
    'general.12a %s keeps the lengths of %j and %j',
    async (token, name, symbol) => {
      const stored = (variable: string) =>
        fixture.client.call('starknet_getStorageAt', [token, storageAddress(variable), 'latest']);
      expect(await stored('ERC20_name')).toBe(hex(name.length));
      expect(await stored('ERC20_symbol')).toBe(hex(symbol.length));
    },
  );

  test.each(TOKENS)('general.12b %s tells %j and %j', async (token, name, symbol) => {
    const text = (words: string) => ['0x0', short(words), hex(words.length)];
    expect(await read(fixture.client, token, 'name')).toEqual(text(name));
    expect(await read(fixture.client, token, 'symbol')).toEqual(text(symbol));
  });
});
