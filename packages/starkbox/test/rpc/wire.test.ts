// Forms on the wire and answers to batches, from values alone.
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../src/errors.js';
import { discovery } from '../../src/rpc/discover.js';
import { answerBatch, type Batch } from '../../src/rpc/protocol/batch.js';
import { poolStatus, wireHeader, wireTransaction } from '../../src/rpc/wire-format.js';

describe('a transaction', () => {
  const record = (type: string, proofFacts?: readonly string[]) => ({
    ...{ transaction: `{"type":"${type}","nonce":"0x1"}`, hash: '0x7', proofFacts },
  });
  const shown = (...of: Parameters<typeof wireTransaction>) =>
    JSON.parse(wireTransaction(...of).text);

  test('has its hash and its finality where they are asked for', () => {
    const invoke = record('INVOKE', ['0x5']);
    expect(shown(invoke, undefined, { hash: false })).toEqual({ type: 'INVOKE', nonce: '0x1' });
    expect(shown(invoke, [], { hash: true, finality_status: 'RECEIVED' })).toEqual({
      ...{ type: 'INVOKE', nonce: '0x1', transaction_hash: '0x7', finality_status: 'RECEIVED' },
    });
  });

  test('has the facts of its proof if it can have one', () => {
    const flags = ['INCLUDE_PROOF_FACTS'] as const;
    expect(shown(record('INVOKE', ['0x5']), flags, { hash: false })).toMatchObject({
      proof_facts: ['0x5'],
    });
    expect(shown(record('INVOKE'), flags, { hash: false })).toMatchObject({ proof_facts: [] });
    expect(shown(record('DECLARE', ['0x5']), flags, { hash: false })).not.toHaveProperty(
      'proof_facts',
    );
    expect([
      poolStatus({ ...POOLED, position: undefined }),
      poolStatus({ ...POOLED, position: 0 }),
    ]).toEqual([...['RECEIVED', 'CANDIDATE']]);
  });

  const POOLED = {
    ...{ hash: '0x1', type: 'INVOKE' as const, sender: '0x2', nonce: 0n, tip: 0n, maxPrice: 0n },
    ...{ transaction: '{}', proofFacts: undefined, contractClass: undefined, arrival: 1 },
  };
});

test('a header has the sequencer and the version that it was closed with', () => {
  const price = { price_in_fri: '0x1', price_in_wei: '0x2' };
  const header = {
    ...{
      number: 3,
      hash: '0x3',
      parentHash: '0x2',
      timestamp: 5,
      transactionCount: 1,
      eventCount: 2,
    },
    ...{ stateDiffLength: 4, transactionCommitment: '0xa', eventCommitment: '0xb' },
    ...{ receiptCommitment: '0xc', stateDiffCommitment: '0xd' },
    prices: { l1_gas_price: price, l1_data_gas_price: price, l2_gas_price: price },
  };
  expect(wireHeader(header)).toMatchObject({
    ...{ block_hash: '0x3', parent_hash: '0x2', block_number: 3, timestamp: 5, event_count: 2 },
    ...{ starknet_version: '0.14.4', l1_gas_price: price, state_diff_length: 4 },
  });
  expect(wireHeader({ ...header, sequencer: '0x9', starknetVersion: '0.13.5' })).toMatchObject({
    ...{ sequencer_address: '0x9', starknet_version: '0.13.5' },
  });
  expect(wireHeader(header).sequencer_address).not.toBe('0x9');
});

test('the document of a node has the methods that are served, in one file', () => {
  const documents = new Map<string, unknown>([
    [
      'a.json',
      {
        methods: [
          {
            name: 'devnet_mint',
            params: [{ schema: { $ref: './b.json#/components/schemas/X' } }],
            'x-writes': true,
            'x-journalled': true,
          },
          { name: 'devnet_gone', params: [] },
        ],
        components: { schemas: { Y: { type: 'string' } } },
      },
    ],
    ['b.json', { components: { schemas: { X: { type: 'string' } }, errors: { E: { code: 1 } } } }],
    ['c.json', 5],
  ]);
  const served = JSON.parse(discovery(documents, new Set(['devnet_mint']), '1.2.3'));
  expect(served).toEqual({
    ...{ openrpc: '1.3.2', info: { title: 'Starkbox', version: '1.2.3' } },
    methods: [
      {
        ...{ name: 'devnet_mint', params: [{ schema: { $ref: '#/components/schemas/X' } }] },
        ...{ 'x-writes': true, 'x-alias': 'sandbox_mint' },
      },
    ],
    components: {
      schemas: { Y: { type: 'string' }, X: { type: 'string' } },
      errors: { E: { code: 1 } },
    },
  });
});

describe('a batch', () => {
  const calls = [1, 2, 3].map((id) => ({ id }));
  const batch = (changes: Partial<Batch> = {}): Batch => ({
    ...{ calls, limit: 1_000_000, delivery: undefined, signal: undefined },
    make: (call) => JSON.stringify(call),
    skip: (call, { code }) => JSON.stringify({ ...Object(call), code }),
    ...changes,
  });

  test('is answered in order, and not at all without answers', async () => {
    expect(await answerBatch(batch())).toBe('[{"id":1},{"id":2},{"id":3}]');
    expect(await answerBatch(batch({ make: () => undefined }))).toBeUndefined();
    const odd = batch({ make: async (call) => (Object(call).id === 2 ? undefined : '0') });
    expect(await answerBatch(odd)).toBe('[0,0]');
  });

  test('has a limit, after which calls are not made', async () => {
    const made: unknown[] = [];
    const make = (call: unknown) => {
      made.push(call);
      return JSON.stringify(call);
    };
    const each = '{"id":1}'.length;
    expect(await answerBatch(batch({ make, limit: 3 * each }))).toBe(
      '[{"id":1},{"id":2},{"id":3}]',
    );
    made.length = 0;
    const [first, second, third] = JSON.parse(
      (await answerBatch(batch({ make, limit: 2 * each - 1 }))) ?? '',
    );
    expect([first, second.id, third.id]).toEqual([{ id: 1 }, 2, 3]);
    expect([second.error.code, third.code]).toEqual([third.code, second.error.code]);
    expect(made).toHaveLength(2);
  });

  test('is sent in pieces of 64 KiB, and ends when its client has gone', async () => {
    const pieces: string[] = [];
    const delivery = async (piece: string) => void pieces.push(piece);
    const long = (length: number) => `"${'x'.repeat(length - 2)}"`;
    const end = await answerBatch(batch({ delivery, make: () => long(32 * 1024) }));
    expect([pieces.map(({ length }) => length), end?.length]).toEqual([
      [2 + 64 * 1024],
      2 + 32 * 1024,
    ]);
    expect(JSON.parse(`${pieces.join('')}${end}`)).toHaveLength(3);
    pieces.length = 0;
    expect(
      await answerBatch(
        batch({ delivery, calls: calls.slice(1), make: () => long(32 * 1024 - 1) }),
      ),
    ).toHaveLength(2 * (32 * 1024 - 1) + 3);
    expect(pieces).toEqual([]);
    const gone = AbortSignal.abort();
    expect(await answerBatch(batch({ signal: gone }))).toBeUndefined();
    const late = new AbortController();
    const refused = await answerBatch(
      batch({
        delivery,
        signal: late.signal,
        make: (call) => {
          if (Object(call).id === 2) late.abort(new RpcError(7, 'late'));
          return long(64 * 1024);
        },
      }),
    );
    expect(
      JSON.parse(`${pieces.join('')}${refused}`).map((answer: unknown) => Object(answer).code),
    ).toEqual([...[undefined, undefined, 7]]);
  });
});
