// Slots that the engine reads from the text of a request: the same effects, answers and errors as of other requests.
import { afterAll, describe, expect, test } from 'vitest';
import { SLOT_READER } from '../../src/chain/execution/apply-state-diff.js';
import { createChain, type LocalChain } from '../../src/index.js';
import { readAroundList } from '../../src/rpc/protocol/long-list.js';

/** Journals are part of the effect. */
const CONFIG = { seed: 0, dumpOn: 'request' } as const;
const chains = [await createChain(CONFIG), await createChain(CONFIG)] as const;
const [address = '', other = ''] = chains[0].accounts.map((account) => account.address);
afterAll(() => Promise.all(chains.map((chain) => chain.close())));

/** More characters than a request has that is read at once. */
const slots = (count = 2_500, first = 1) =>
  Array.from({ length: count }, (_, index) => {
    const number = `0x${(first + index).toString(16)}`;
    return { key: number, value: number };
  });
const storage = (storage_entries: readonly object[] = slots()) => [{ address, storage_entries }];
const request = (state_diff: unknown, more: object = {}): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 'a',
    method: 'devnet_applyStateDiff',
    params: { state_diff, ...more },
  });
/** The same request in a form that the engine does not read. */
const spaced = (text: string): string => text.replace('"storage_diffs":[', '"storage_diffs": [');

const around = (text: string, maxDepth = 1000, method = 'devnet_applyStateDiff') =>
  readAroundList(text, { reader: SLOT_READER, nameOf: () => method }, maxDepth);

async function effects(chain: LocalChain, text: string): Promise<unknown> {
  const answer = JSON.parse((await chain.handle(text)) ?? '{}');
  const { state_diff } = await chain.request('starknet_getStateUpdate', {
    block_id: 'pre_confirmed',
  });
  const journal = await chain.request('devnet_dump', {});
  return { answer, state_diff, journal };
}

/** Both forms of a request, each sent to a chain of its own. */
async function answersTo(text: string): Promise<readonly unknown[]> {
  expect(text.length).toBeGreaterThan(64 * 1024);
  return [await effects(chains[0], text), await effects(chains[1], spaced(text))];
}

describe('a request around its slots', () => {
  test('has an empty list instead, and its text', async () => {
    const text = request({ storage_diffs: storage(slots(3)), nonces: [] }, { classes: [] });
    const read = await around(text);
    expect(read?.body).toEqual(
      JSON.parse(request({ storage_diffs: [], nonces: [] }, { classes: [] })),
    );
    expect(read?.list.text).toBe(JSON.stringify(storage(slots(3))));
  });

  test.each([
    ['white space', spaced(request({ storage_diffs: storage() }))],
    ['a batch', `[${request({ storage_diffs: storage() })}]`],
    [
      'params as a list',
      request({}).replace('{"state_diff":{}}', `[${JSON.stringify({ storage_diffs: storage() })}]`),
    ],
    ['another parameter', request({}, { other: { storage_diffs: storage() } })],
    ['a list deeper in the request', request({ more: { storage_diffs: storage() } })],
    [
      'a later list of the same name',
      request({ storage_diffs: storage() }).replace('}]}]', '}]}],"storage_diffs":[]'),
    ],
    ['no list', request({ nonces: [] })],
    ['wrong JSON', `${request({ storage_diffs: storage() })}]`],
    ['the list in a string', request(JSON.stringify({ storage_diffs: storage() }))],
    ['a slot twice', request({ storage_diffs: storage([...slots(), ...slots(1)]) })],
    ['felts in another form', request({ storage_diffs: storage([{ key: '0x0a', value: '0x1' }]) })],
  ])('is not read separately with %s', async (_what, text) => {
    expect(await around(text)).toBeUndefined();
  });

  test('is left to the other reader at its limits', async () => {
    const text = request({ storage_diffs: storage(slots(3)) });
    expect(await around(text, 7)).toBeDefined();
    expect(await around(text, 6)).toBeUndefined();
    expect(await around(text, 1000, 'devnet_replayTransaction')).toBeUndefined();
  });
});

describe('the effect is the same', () => {
  test('of slots, with other changes', async () => {
    const contracts = [
      ...storage(),
      { address: other, storage_entries: [{ key: '0x55', value: '0x0' }, ...slots(10, 100)] },
    ];
    const nonces = [{ contract_address: '0x00000001', nonce: '0x05' }];
    const [fast, usual] = await answersTo(request({ storage_diffs: contracts }));
    expect(fast).toEqual(usual);
    expect(fast).toMatchObject({ answer: { id: 'a', result: { classes: [] } } });
    const [failed, usually] = await answersTo(request({ nonces, storage_diffs: contracts }));
    expect(failed).toEqual(usually);
    expect(failed).toMatchObject({ answer: { error: { code: 20 } } });
  });

  test('of slots that are written again, in the same block and in the next', async () => {
    for (const first of [1, 500, 1_000]) {
      const [fast, usual] = await answersTo(
        request({ storage_diffs: storage(slots(2_500, first)) }),
      );
      expect(fast).toEqual(usual);
      for (const chain of chains) await chain.request('devnet_createBlock');
    }
    const [first, second] = await Promise.all(
      chains.map((chain) => chain.request('starknet_getBlockWithTxHashes', { block_id: 'latest' })),
    );
    // Slots that hold the value already are not part of it.
    expect(first).toMatchObject({ state_diff_length: 500 });
    expect(second).toHaveProperty('state_diff_commitment', Object(first)['state_diff_commitment']);
  });

  test.each([
    [
      'a contract that does not exist',
      { storage_diffs: [...storage(), { address: '0x123', storage_entries: [] }] },
      {},
    ],
    ['a contract twice', { storage_diffs: [...storage(), ...storage([])] }, {}],
    ['a slot twice', { storage_diffs: storage([...slots(), ...slots(1)]) }, {}],
    [
      'a key of 2^251',
      { storage_diffs: storage([...slots(), { key: `0x8${'0'.repeat(62)}`, value: '0x1' }]) },
      {},
    ],
    [
      'a value that is no felt',
      { storage_diffs: storage([...slots(), { key: '0x1', value: 'x' }]) },
      {},
    ],
    ['a missing value', { storage_diffs: storage([...slots(), { key: '0x1' }]) }, {}],
    [
      'a wrong nonce',
      { storage_diffs: storage(), nonces: [{ contract_address: address, nonce: 1 }] },
      {},
    ],
    ['an unknown member', { storage_diffs: storage(), noncse: [] }, {}],
    ['an unknown parameter', { storage_diffs: storage() }, { clases: [] }],
    ['classes that are no list', { storage_diffs: storage() }, { classes: {} }],
  ])('of %s: an error', async (_what, state_diff, more) => {
    const [fast, usual] = await answersTo(request(state_diff, more));
    expect(fast).toEqual(usual);
    expect(fast).toMatchObject({ answer: { error: { message: expect.any(String) } } });
  });

  test('while requests are recorded', async () => {
    const text = request({ storage_diffs: storage() });
    for (const chain of chains) await chain.request('devnet_recordRequests', { enabled: true });
    const [fast, usual] = await answersTo(text);
    for (const chain of chains) await chain.request('devnet_recordRequests', { enabled: false });
    expect(fast).toEqual(usual);
  });
});
