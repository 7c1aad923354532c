// Queries for events: all at once, in chunks, by address and key, and what is refused.

import { ERRORS } from '@starkbox/spec';
import type { Client } from '@starkbox/test-support';
import { startFixture } from '@starkbox/test-support/fixture';
import { contract, deployment, hex, Sender, STRK, selector } from '@starkbox/test-support/signing';
import type { Methods } from 'starkbox';
import { beforeAll, describe, expect, test } from 'vitest';

type Page = Methods['starknet_getEvents']['result'];
type Event = Page['events'][number];

const emitter = await contract('emitter');

const ask = (client: Client, filter: object) =>
  client.call('starknet_getEvents', { filter: { chunk_size: 100, ...filter } });

/** Every page of a query; each but the last is full. */
async function pages(
  client: Client,
  filter: { readonly chunk_size: number; readonly address: string },
) {
  const all: (readonly Event[])[] = [];
  let token: string | undefined;
  do {
    const page: Page = await ask(client, {
      ...filter,
      ...(token && { continuation_token: token }),
    });
    all.push(page.events);
    token = page.continuation_token;
  } while (token !== undefined);
  for (const page of all.slice(0, -1)) expect(page).toHaveLength(filter.chunk_size);
  return all;
}

describe.each(['transaction', 'demand'] as const)('blocks on %s', (mode) => {
  let client: Client;
  let address: string;
  /** Hashes of ten transactions with one event each. */
  let hashes: string[];

  beforeAll(async () => {
    const { node, ...fixture } = await startFixture({ blockGenerationOn: mode });
    client = fixture.client;
    const sender = new Sender(client, node.accounts[0]);
    address = await sender.deploy(emitter);
    hashes = [];
    for (let i = 0; i < 10; i += 1) {
      const calldata = ['0x1', hex(100 + i), '0x1', hex(200 + i)];
      hashes.push(await sender.invoke([{ to: address, name: 'emit_raw', calldata }]));
    }
  });

  const expected = (block: (i: number) => object) =>
    hashes.map((transaction_hash, i) => ({
      from_address: address,
      keys: [hex(100 + i)],
      data: [hex(200 + i)],
      transaction_hash,
      event_index: 0,
      ...block(i),
    }));

  test('events.1 ten events are found at once and in chunks of three', async () => {
    const filter = { address };
    const whole = await ask(client, filter);
    expect(whole).not.toHaveProperty('continuation_token');
    if (mode === 'demand') {
      expect(whole.events).toEqual(expected((i) => ({ transaction_index: i + 2 })));
    } else {
      const number = await client.call('starknet_blockNumber');
      expect(whole.events).toMatchObject(
        expected((i) => ({ block_number: number - 9 + i, transaction_index: 0 })),
      );
    }
    const chunks = await pages(client, { ...filter, chunk_size: 3 });
    expect(chunks.map(({ length }) => length)).toEqual([3, 3, 3, 1]);
    expect(chunks.flat()).toEqual(whole.events);
    const halves = await pages(client, { ...filter, chunk_size: 5 });
    expect(halves.map(({ length }) => length)).toEqual([5, 5]);
  });

  test('events.1 a page may be asked for that is far larger than what there is', async () => {
    const whole = await ask(client, { address });
    expect(await ask(client, { address, chunk_size: 100_000_000 })).toEqual(whole);
  });

  test('events.1 the same after the block of the last ones was closed', async () => {
    const { block_hash } = await client.call('devnet_createBlock');
    const chunks = await pages(client, { address, chunk_size: 3 });
    expect(chunks.map(({ length }) => length)).toEqual([3, 3, 3, 1]);
    if (mode === 'transaction') return;
    expect(chunks.flat()).toEqual(
      expected((i) => ({ transaction_index: i + 2, block_hash, block_number: 1 })),
    );
  });

  test('events.2 a block that does not exist and a token that is none are refused', async () => {
    const failure = (filter: object) =>
      client.failure('starknet_getEvents', { filter: { chunk_size: 3, ...filter } });
    expect((await failure({ from_block: { block_number: 90_000_000 } })).code).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
    expect((await failure({ to_block: { block_number: 90_000_000 } })).code).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
    expect((await failure({ from_block: { block_hash: '0x1234' } })).code).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
    expect((await failure({ from_block: 'l1_accepted' })).code).toBe(ERRORS.BLOCK_NOT_FOUND.code);
    expect((await failure({ continuation_token: 'invalid token' })).code).toBe(
      ERRORS.INVALID_CONTINUATION_TOKEN.code,
    );
  });
});

describe('by address', () => {
  let client: Client;
  /** Three contracts that emitted 3, 5 and 2 events. */
  let addresses: string[];

  beforeAll(async () => {
    const { node, ...fixture } = await startFixture();
    client = fixture.client;
    const sender = new Sender(client, node.accounts[0]);
    await sender.declare(emitter);
    const places = ['0x1', '0x2', '0x3'].map((salt) => deployment(emitter.hash, [], { salt }));
    await sender.invoke(places.map(({ call }) => call));
    addresses = places.map(({ address }) => address);
    for (const [i, count] of [3, 5, 2].entries()) {
      const to = addresses[i] ?? '0x0';
      await sender.invoke([{ to, name: 'emit_batch', calldata: [hex(count), '0x1', '0x1'] }]);
    }
  });

  const from = async (address: unknown) => (await ask(client, { address })).events;

  test('events.3 one, several and all of them', async () => {
    const [first, second, third] = addresses;
    expect(await from(first)).toHaveLength(3);
    expect(await from([first, second])).toHaveLength(8);
    expect(await from([first, second, third])).toHaveLength(10);
    expect(await from([third])).toHaveLength(2);
    expect(await from([])).toEqual([]);
    expect(new Set((await from([first, third])).map((event) => event.from_address))).toEqual(
      new Set([first, third]),
    );
    const page = await ask(client, { address: [first, second, third], chunk_size: 4 });
    expect(page.events).toHaveLength(4);
  });

  test('events.3 together with keys and a range of blocks', async () => {
    const [first = '0x0', second] = addresses;
    const keys = [[hex(1000), hex(4000)]];
    const page = await ask(client, { address: [first, second], keys });
    expect(page.events.map((event) => [event.from_address, event.keys[0]])).toEqual([
      [first, hex(1000)],
      [second, hex(1000)],
      [second, hex(4000)],
    ]);
    const latest = await client.call('starknet_blockNumber');
    const range = { from_block: { block_number: latest - 1 }, to_block: 'latest' };
    expect((await ask(client, { address: addresses, ...range })).events).toHaveLength(7);
    const fees = await ask(client, {
      address: STRK,
      keys: [[selector('Transfer')], [], ['0x1000']],
      ...range,
    });
    expect(fees.events).toHaveLength(2);
    const turned = { from_block: 'latest', to_block: { block_number: 0 } };
    expect((await ask(client, { address: addresses, ...turned })).events).toEqual([]);
  });
});

test('a page that would have more events than the limit ends there, and its token goes on', async () => {
  const { client, node } = await startFixture();
  const sender = new Sender(client, node.accounts[0]);
  const address = await sender.deploy(emitter);
  const calldata = [hex(1000), '0x1', '0x1'];
  for (let sent = 0; sent < 11; sent += 1) {
    await sender.invoke([{ to: address, name: 'emit_batch', calldata }]);
  }
  const first = await ask(client, { address, chunk_size: 100_000_000 });
  expect(first.events).toHaveLength(10_000);
  const continuation_token = String(first.continuation_token);
  const second = await ask(client, { address, chunk_size: 100_000_000, continuation_token });
  expect(second.events).toHaveLength(1_000);
  expect(second.continuation_token).toBeUndefined();
  const small = await pages(client, { address, chunk_size: 1_000 });
  expect(small.flat()).toEqual([...first.events, ...second.events]);
});
