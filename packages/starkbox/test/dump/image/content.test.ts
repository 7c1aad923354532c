import { imageOf } from '@starkbox/test-support/fixture';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PackedBlock } from '../../../src/chain/history/packed-block.js';
import { createChain, type LocalChain } from '../../../src/index.js';
import { grow } from './every-kind.js';
import { answeredCalls, ask, readEverything } from './read-everything.js';
import {
  type Change,
  changed,
  type Json,
  type Parts,
  partsOf,
  textsIn,
  withChecksums,
  withTexts,
} from './sections.js';

let node: LocalChain;
let parts: Parts;
let state: Buffer;
let intact: string;

beforeAll(async () => {
  const source = await createChain({
    seed: 0,
    accounts: 2,
    startTime: 1_700_000_000,
    blockGenerationOn: 'demand',
    dumpOn: 'request',
  });
  await grow(source);
  intact = await imageOf(source);
  await source.close();
  parts = await partsOf(Buffer.from(intact, 'base64'));
  state = parts.others.get('state') ?? Buffer.of();
  node = await createChain({
    seed: 0,
    accounts: 2,
    blockGenerationOn: 'demand',
    dumpOn: 'request',
  });
}, 120_000);
afterAll(() => node.close());

/** Changed bytes of the state. For more: TEST_CHANGES=1000. */
const CHANGES = Number(process.env['TEST_CHANGES'] ?? 20);

/** The reason why an image is refused; if it is loaded, everything in it can be read. */
async function load(image: Buffer): Promise<string> {
  const { error } = await ask(node, 'devnet_load', { image: image.toString('base64') });
  if (error === undefined) {
    await readEverything(node);
    return 'loaded';
  }
  const { code, message }: Json = Object(error);
  expect([code, message]).toEqual([-5, expect.stringMatching(/^Deserialization error: /)]);
  return String(message);
}

const refusal = async (change: Change): Promise<string> => load(await changed(parts, change));

test('the image itself is loaded, and everything in it can be read', async () => {
  expect(await load(Buffer.from(intact, 'base64'))).toBe('loaded');
  expect([...answeredCalls].filter(([, results]) => results === 0)).toEqual([]);
  expect(answeredCalls.size).toBeGreaterThan(30);
  expect(await refusal({})).toBe('loaded');
});

/** An object with another value at a path. */
function put(value: unknown, path: readonly (string | number)[], newValue: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return newValue;
  const copy: Json = Array.isArray(value) ? Object([...value]) : { ...Object(value) };
  copy[name] = put(copy[name], rest, newValue);
  return copy;
}

const FELT_BOUND = `0x8${'0'.repeat(14)}11${'0'.repeat(46)}1`;

describe('the section "moment"', () => {
  test.each<readonly [path: string, value: unknown]>([
    ['clock', null],
    ['clock.offset', 1.5],
    ['clock.exact', -1],
    ['gas.current', {}],
    ['gas.current.l2_gas_price_fri', 0],
    ['gas.next.gas_price_wei', -5],
    ['gas.next.gas_price_fri', 1e39],
    ['impersonation.accounts', ['x']],
    ['impersonation.accounts', 5],
    ['impersonation.auto', 'yes'],
    ['messages', null],
    ['messages.nextId', -1],
    ['messages.nextId', 0],
    ['messages.outgoing.0.message', null],
    ['messages.outgoing.0.message.payload', ['y']],
    ['messages.outgoing.0.message.to_address', FELT_BOUND],
    ['messages.outgoing.0.block', 99],
    ['messages.delivered', [5]],
    ['messages.consumable', [['0x1', 'many']]],
    ['messages.incoming', [['0xabc', ['z']]]],
    ['messages.incoming', [['0xabc']]],
    ['messages.l1', { url: 'http://127.0.0.1:1' }],
    ['labels', [['0x1', 5]]],
    ['labels', [['alice', '0x1']]],
    ['labels', [['0x1', '']]],
    ['accepted_on_l1', 99],
    ['accepted_on_l1', -2],
    ['keeps_history', 1],
    ['pending', {}],
    ['pending.0', null],
    ['pending.0.hash', 'no hash'],
    ['pending.0.transaction', '{'],
    ['pending.0.transaction', '{}'],
    ['pending.0.transaction', '[]'],
    ['pending.0.shown_receipt', '{"type":"INVOKE"}'],
    ['pending.0.trace', 'null'],
    ['pending.0.receipt', '{}'],
    ['pending.0.signature', [1]],
    ['pending.0.proof_facts', ['?']],
  ])('with another %s is refused: %j', async (path, value) => {
    const moment: Json = Object(put(parts.moment, path.split('.'), value));
    expect(await refusal({ moment })).toMatch(
      /in the section "moment"|of the same moment|is missing/,
    );
  });

  test('that is no JSON, or lacks a member, is refused', async () => {
    for (const text of ['', 'null', '[]', '{', '"moment"']) {
      expect(await refusal({ moment: text })).toMatch(/in the section "moment"/);
    }
    for (const name of Object.keys(parts.moment)) {
      const { [name]: _, ...moment } = parts.moment;
      const outcome = await refusal({ moment });
      if (name !== 'labels' && name !== 'accepted_on_l1')
        expect(outcome).toMatch(/"moment"|header/);
    }
  });

  test('with a transaction twice is refused', async () => {
    const pending: unknown[] = Object(parts.moment['pending']);
    const moment = { ...parts.moment, pending: [pending[0], pending[0]] };
    expect(await refusal({ moment })).toMatch(/in the section "moment".*each transaction once/);
  });
});

describe('the header', () => {
  test.each<readonly [name: string, value: unknown]>([
    ['last_block', 0],
    ['last_block_hash', '0x5'],
    ['last_block_hash', 'hash'],
    ['first_timestamp', 1],
    ['last_timestamp', 1e300],
    ['transactions', 1],
    ['events', 1],
    ['pending_transactions', 0],
    ['contracts', 0],
    ['slots', -1],
    ['keeps_history', 'no'],
    ['journal_calls', 1],
    ['written_by', 7],
    ['chain_id', null],
  ])('with another %s is refused: %j', async (name, value) => {
    await expect(refusal({ header: { ...parts.header, [name]: value } })).resolves.toMatch(
      new RegExp(`header.*${name}`),
    );
  });
});

/** The block with transactions of every kind. */
const RICH = 3;
type Edit = (block: PackedBlock, texts: string[]) => PackedBlock;
const text =
  (index: number, replacement: string | ((text: string) => string)): Edit =>
  (block, texts) => {
    const old = texts[index] ?? '';
    return withTexts(
      block,
      texts.with(index, typeof replacement === 'string' ? replacement : replacement(old)),
    );
  };
const [TRANSACTION, FACTS, RECEIPT, TRACE] = [0, 1, 2, 3] as const;
const member =
  (path: string, value: unknown) =>
  (json: string): string =>
    JSON.stringify(put(JSON.parse(json), path.split('.'), value));

describe('the section "blocks"', () => {
  test.each<readonly [what: string, edit: Edit]>([
    ['a hash beyond the field', (block) => ({ ...block, felts: `\xff${block.felts.slice(1)}` })],
    ['a parent of its own', (block) => ({ ...block, parentHash: '0x5' })],
    ['an impossible time', (block) => ({ ...block, timestamp: 2 ** 55 })],
    ['an impossible length', (block) => ({ ...block, stateDiffLength: 2 ** 54 })],
    ['a count too many', (block) => ({ ...block, transactionsUpTo: block.transactionsUpTo + 1 })],
    ['a count too few', (block) => ({ ...block, transactionsUpTo: 0 })],
    ['another number of events', (block) => ({ ...block, eventsUpTo: block.eventsUpTo + 1 })],
    ['no texts', (block) => ({ ...block, texts: [] })],
    ['a text too few', (block, texts) => withTexts(block, texts.slice(1))],
    ['a transaction too few', (block, texts) => withTexts(block, texts.slice(4))],
    ['fewer texts than it says', (block, texts) => withTexts(block, texts.slice(4), texts.length)],
    ['an index without its events', (block) => ({ ...block, indexMarks: '' })],
    [
      'a hash without a transaction',
      (block) => ({ ...block, felts: block.felts + block.felts.slice(-32) }),
    ],
    [
      'a price of nothing',
      (block) => ({
        ...block,
        prices: { ...block.prices, l2_gas_price: { price_in_fri: '0x0', price_in_wei: '0x1' } },
      }),
    ],
    ['a transaction that is no JSON', text(TRANSACTION, '{"type":')],
    ['a transaction that is empty', text(TRANSACTION, '{}')],
    ['a transaction that is a list', text(TRANSACTION, '[1]')],
    ['a transaction with a space behind it', text(TRANSACTION, (old) => `${old} `)],
    ['a transaction of no type', text(TRANSACTION, member('type', 'GIFT'))],
    ['a transaction without calldata', text(TRANSACTION, member('calldata', undefined))],
    ['a transaction with odd calldata', text(TRANSACTION, member('calldata', ['0xzz']))],
    ['a transaction without bounds', text(TRANSACTION, member('resource_bounds', {}))],
    ['a transaction of no sender', text(TRANSACTION, member('sender_address', 5))],
    ['facts that are no list', text(FACTS, '{"a":1}')],
    ['facts that are no felts', text(FACTS, '["a"]')],
    ['facts that are no JSON', text(FACTS, '[')],
    ['no receipt', text(RECEIPT, '')],
    ['a receipt of another transaction', text(RECEIPT, member('transaction_hash', '0x5'))],
    ['a receipt of another type', text(RECEIPT, member('type', 'DECLARE'))],
    ['a receipt without a fee', text(RECEIPT, member('actual_fee', null))],
    ['a receipt with a fee of another unit', text(RECEIPT, member('actual_fee.unit', 'EUR'))],
    ['a receipt with an odd fee', text(RECEIPT, member('actual_fee.amount', 'much'))],
    ['a receipt without a status', text(RECEIPT, member('execution_status', 'MAYBE'))],
    ['a receipt with an odd reason', text(RECEIPT, member('revert_reason', 5))],
    ['a receipt without resources', text(RECEIPT, member('execution_resources', undefined))],
    ['a receipt with odd resources', text(RECEIPT, member('execution_resources.l2_gas', '5'))],
    ['a receipt without events', text(RECEIPT, member('events', undefined))],
    ['a receipt with an odd event', text(RECEIPT, member('events.0', null))],
    ['a receipt with odd keys', text(RECEIPT, member('events.0.keys', ['key']))],
    ['a receipt with an odd message', text(RECEIPT, member('messages_sent', [{}]))],
    ['a trace that is no JSON', text(TRACE, 'trace')],
    ['a trace of another type', text(TRACE, member('type', 'L1_HANDLER'))],
    ['a trace that is a number', text(TRACE, '5')],
    ['a trace whose call is nothing', text(TRACE, member('execute_invocation', null))],
    ['a trace with an odd call', text(TRACE, member('execute_invocation.calls', [{}]))],
    ['a trace with odd gas', text(TRACE, member('execute_invocation.execution_resources', {}))],
    ['a transaction of another version', text(TRANSACTION, member('version', '0x5'))],
    ['a transaction with an endless tip', text(TRANSACTION, member('tip', `0x1${'0'.repeat(16)}`))],
  ])('with %s is refused', async (_, edit) => {
    const block = parts.blocks[RICH];
    if (!block) throw new Error('there is no such block');
    const blocks = parts.blocks.with(RICH, edit(block, textsIn(block)));
    expect(await refusal({ blocks })).toMatch(/in the section "blocks" .*(block 3|a block)/);
  });

  test('with blocks lacking, doubled, swapped or cut is refused', async () => {
    const { blocks } = parts;
    const [first, ...rest] = blocks;
    if (!first) throw new Error('there is no block');
    for (const wrong of [
      [],
      rest,
      blocks.slice(0, -1),
      [...blocks, ...blocks.slice(-1)],
      [first, ...rest.toReversed()],
    ]) {
      expect(await refusal({ blocks: wrong })).toMatch(/damaged/);
    }
    expect(await refusal({ records: [Buffer.of()] })).toMatch(/in the section "blocks"/);
    expect(await refusal({ records: [Buffer.of(9, 9, 9)] })).toMatch(/unknown format 9/);
  });

  test('with texts that would fill the memory is refused', async () => {
    const block = parts.blocks[RICH];
    if (!block) throw new Error('there is no such block');
    const long = textsIn(block).with(TRACE, `{"type":"${'I'.repeat(300 << 20)}"}`);
    expect(await refusal({ blocks: parts.blocks.with(RICH, withTexts(block, long)) })).toMatch(
      /in the section "blocks" .*block 3/,
    );
  }, 60_000);
});

describe('the section "journal"', () => {
  const call = (method: string, params: unknown = null): string =>
    JSON.stringify({ jsonrpc: '2.0', method, params, id: 0 });

  test.each<readonly [what: string, entry: string]>([
    ['no JSON', '{'],
    ['two calls', `${call('devnet_createBlock')},${call('devnet_createBlock')}`],
    ['nothing', ''],
    ['no object', '5'],
    ['no method', '{"jsonrpc":"2.0","id":0}'],
    ['a method that is not journalled', call('devnet_dump', { path: '/dev/null' })],
    ['an unknown method', call('devnet_nothing')],
    ['wrong parameters', call('devnet_mint', {})],
  ])('that holds %s is refused', async (_, entry) => {
    const journal = [entry, ...parts.journal.slice(1)];
    expect(await refusal({ journal })).toMatch(/in the section "journal"/);
  });
});

describe('the section "state"', () => {
  test('of another world is refused', async () => {
    const other = await createChain({ seed: 0, accounts: 2, startTime: 1 });
    const image = await imageOf(other);
    await other.close();
    const otherParts = await partsOf(Buffer.from(image, 'base64'));
    const otherState = otherParts.others.get('state') ?? Buffer.of();
    expect(await refusal({ state: otherState })).toMatch(
      /damaged: blocks and state have different versions/,
    );
  });

  test('with any bytes changed is refused, or everything can be read', async () => {
    let seed = 7;
    const random = (bound: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * bound);
    };
    expect(withChecksums(state)).toEqual(state);
    const outcomes = { loaded: 0, refused: 0 };
    for (let count = 0; count < CHANGES; count += 1) {
      const wrong = Buffer.from(state);
      // Classes are most of a state, and contracts, slots and blocks stand behind them.
      const at = count % 5 === 0 ? 17 + random(wrong.length - 17) : wrong.length - 1 - random(9000);
      wrong[at] = (wrong[at] ?? 0) ^ (1 << random(8));
      const outcome = await refusal({ state: withChecksums(wrong) });
      outcomes[outcome === 'loaded' ? 'loaded' : 'refused'] += 1;
    }
    expect(outcomes.refused).toBeGreaterThan(CHANGES / 15);
    expect(outcomes.loaded).toBeGreaterThan(CHANGES / 15);
  }, 600_000);
});
