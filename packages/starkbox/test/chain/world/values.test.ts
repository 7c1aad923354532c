// Values of a chain: its clock, labels, the record of its accounts, prices, proofs, and words that may be keys.
import { PRIME, toFelt } from '@starkbox/abi/basics';
import type { RetracedFrame } from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import { checkProof, proofBytes, prove } from '../../../src/chain/execution/mock-proof.js';
import { isSameGenesis, readGenesisRecord } from '../../../src/chain/genesis/genesis-record.js';
import { failedPath } from '../../../src/chain/retrace/cairo-stack.js';
import { commonWords, mentionedIn } from '../../../src/chain/storage-names/key-words.js';
import {
  afterBlock,
  type Clock,
  clockFrom,
  increasedBy,
  nextBlockTime,
  setTo,
  withStep,
} from '../../../src/chain/world/clock.js';
import {
  enginePrices,
  headerPrices,
  sealingPrices,
  startingAt,
} from '../../../src/chain/world/gas-prices.js';
import {
  labelled,
  labelsFromJson,
  labelsToJson,
  NO_LABELS,
} from '../../../src/chain/world/labels.js';
import { RpcError } from '../../../src/errors.js';

describe('the clock', () => {
  /** Far ahead of the real time, so that a second of the test is no difference. */
  const AHEAD = 9_000_000_000;
  const isNear = (time: number, expected: number) => time >= expected && time < expected + 600;

  test('is the real time, or begins at a time and goes on', () => {
    expect(clockFrom(undefined)).toEqual({ offset: 0, phase: 0, exact: undefined });
    const set = clockFrom(AHEAD);
    expect([nextBlockTime(set), nextBlockTime(set, AHEAD + 5)]).toEqual([AHEAD, AHEAD]);
    const later = afterBlock(set);
    expect(later.exact).toBeUndefined();
    expect(isNear(nextBlockTime(later), AHEAD)).toBe(true);
    expect(afterBlock(later)).toBe(later);
  });

  test('never goes back, nor below zero or beyond exact numbers', () => {
    const past: Clock = { offset: -(10 ** 12), phase: 0, exact: undefined };
    expect([nextBlockTime(past), nextBlockTime(past, 77)]).toEqual([0, 77]);
    const far: Clock = { ...past, offset: Number.MAX_SAFE_INTEGER };
    expect(nextBlockTime(far)).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('may have a step from each block to the next', () => {
    const stepping = withStep(clockFrom(undefined), 12, AHEAD);
    expect([
      nextBlockTime(stepping, AHEAD),
      nextBlockTime({ ...stepping, exact: 5 }, AHEAD),
    ]).toEqual([AHEAD + 12, 5]);
    expect(withStep(stepping, 12, 0)).toBe(stepping);
    const free = withStep({ ...stepping, exact: 5 }, undefined, AHEAD);
    expect([free.step, free.exact]).toEqual([undefined, 5]);
    expect(isNear(nextBlockTime(afterBlock(free)), AHEAD)).toBe(true);
    const jumped = increasedBy(stepping, 100, AHEAD);
    expect(nextBlockTime(jumped, AHEAD)).toBe(AHEAD + 112);
    expect(nextBlockTime(afterBlock(jumped), AHEAD + 112)).toBe(AHEAD + 124);
  });

  test('is increased from the time of the next block', () => {
    const set = afterBlock(setTo(AHEAD));
    expect(isNear(nextBlockTime(increasedBy(set, 50)), AHEAD + 50)).toBe(true);
    expect(isNear(nextBlockTime(increasedBy(set, 50, AHEAD + 5_000)), AHEAD + 5_050)).toBe(true);
    // A time that was asked for stays that of the next block.
    const exact = increasedBy(setTo(AHEAD), 50, AHEAD + 5_000);
    expect(nextBlockTime(exact)).toBe(AHEAD);
    expect(isNear(nextBlockTime(afterBlock(exact)), AHEAD + 50)).toBe(true);
    const last = { ...withStep(clockFrom(undefined), 1, 0), exact: Number.MAX_SAFE_INTEGER - 5 };
    expect(() => increasedBy(last, 6)).toThrow(RpcError);
    expect(nextBlockTime(increasedBy(last, 5))).toBe(Number.MAX_SAFE_INTEGER);
  });
});

test('labels have 1 to 100 characters, and there are at most 10,000', () => {
  const world = { labels: NO_LABELS };
  const named = labelled(world, '0x2', 'two');
  expect(labelled(named, '0x2', 'two')).toBe(named);
  expect(labelled(named, '0x2', undefined).labels.size).toBe(0);
  expect(labelled(world, '0x2', undefined)).toBe(world);
  expect(labelsToJson(labelled(named, '0x1', 'one').labels)).toEqual([
    ['0x1', 'one'],
    ['0x2', 'two'],
  ]);
  const read = (text: string) => () => labelsFromJson([['0x1', text]]);
  for (const text of ['a', '𝒃'.repeat(100)]) expect(read(text)).not.toThrow();
  for (const text of ['', 'a'.repeat(101)]) expect(read(text)).toThrow(TypeError);
  const many = (count: number) => Array.from({ length: count }, (_, at) => [toFelt(at), 'a']);
  const full = { labels: labelsFromJson(many(10_000)) };
  expect(() => labelsFromJson(many(10_001))).toThrow(TypeError);
  expect(() => labelled(full, toFelt(10_000), 'a')).toThrow(RpcError);
  expect(labelled(full, '0x0', 'b').labels.get('0x0')).toBe('b');
});

describe('the record of the accounts', () => {
  const record = {
    ...{ seed: 2 ** 32 - 1, accounts: 255, account_class: 'cairo1', account_class_hash: '0xc' },
    ...{ initial_balance: '9'.repeat(78), predeclare_argent: false },
  };
  const read = (changes: object = {}) => readGenesisRecord({ ...record, ...changes }, 'genesis');

  test('has values that a chain can have', () => {
    expect(read()).toEqual(record);
    expect(read({ more_accounts: 'argent=2,cairo0=1' })).toMatchObject({
      more_accounts: 'argent=2,cairo0=1',
    });
    for (const changes of [
      ...[{ seed: 2 ** 32 }, { seed: -1 }, { accounts: 256 }, { account_class: 'other' }],
      ...[
        { account_class_hash: 'x' },
        { initial_balance: '' },
        { initial_balance: '9'.repeat(79) },
      ],
      ...[
        { initial_balance: '-1' },
        { predeclare_argent: 'no' },
        { more_accounts: 'x' },
        { more_accounts: 5 },
      ],
    ]) {
      expect(() => read(changes)).toThrow(TypeError);
    }
  });

  test('is the same for the same accounts', () => {
    const isSame = (changes: object, of: object = {}) => isSameGenesis(read(of), read(changes));
    expect(isSame({})).toBe(true);
    expect(isSame({ initial_balance: '05' }, { initial_balance: '5' })).toBe(true);
    // The hash tells classes from files apart; those of a name follow the version.
    expect(isSame({ account_class_hash: '0xd' })).toBe(true);
    const custom = { account_class: 'custom' };
    expect(isSame({ ...custom, account_class_hash: '0xd' }, custom)).toBe(false);
    for (const changes of [
      ...[{ seed: 1 }, { accounts: 1 }, { account_class: 'cairo0' }, { initial_balance: '1' }],
      ...[{ predeclare_argent: true }, { more_accounts: 'argent=2' }],
    ]) {
      expect(isSame(changes)).toBe(false);
    }
  });
});

test('an empty block has the next prices, and equal ones share an object', () => {
  const prices = {
    ...{ gas_price_wei: 1n, data_gas_price_wei: 2n, gas_price_fri: 3n, data_gas_price_fri: 4n },
    ...{ l2_gas_price_wei: 5n, l2_gas_price_fri: 6n },
  };
  const next = { ...prices, gas_price_wei: 9n };
  const gas = { ...startingAt(prices), next };
  expect([sealingPrices(gas, true), sealingPrices(gas, false)]).toEqual([next, prices]);
  const header = headerPrices(prices);
  expect(header).toEqual({
    l1_gas_price: { price_in_fri: '0x3', price_in_wei: '0x1' },
    l1_data_gas_price: { price_in_fri: '0x4', price_in_wei: '0x2' },
    l2_gas_price: { price_in_fri: '0x6', price_in_wei: '0x5' },
  });
  expect(headerPrices(prices)).toBe(header);
  expect(enginePrices(header)).toEqual({
    l1_gas: { fri: '0x3', wei: '0x1' },
    l1_data_gas: { fri: '0x4', wei: '0x2' },
    l2_gas: { fri: '0x6', wei: '0x5' },
  });
});

describe('a proof', () => {
  const proven = {
    ...{ chainId: 'SN_SEPOLIA', blockNumber: 5, blockHash: '0xb', transactionHash: '0x7' },
    messages: [],
  };
  const { proof, proof_facts } = prove(proven);
  const refusal = (
    claim: Parameters<typeof checkProof>[0],
    mode: 'full' | 'devnet' | 'none' = 'devnet',
  ) => {
    try {
      checkProof(claim, mode);
      return undefined;
    } catch (error) {
      return error instanceof RpcError ? error.code : error;
    }
  };

  test('is valid with its own facts alone', () => {
    expect(proof_facts).toHaveLength(9);
    expect([proof_facts[4], proof_facts[5], proof_facts[7]]).toEqual(['0x5', '0xb', '0x0']);
    const invalid = refusal({ proof, proof_facts: [] });
    expect(invalid).toEqual(expect.any(Number));
    expect(refusal({ proof, proof_facts })).toBeUndefined();
    expect(refusal({ proof: [...proofBytes(proof)], proof_facts })).toBeUndefined();
    for (const claim of [
      { proof, proof_facts: proof_facts.slice(0, 8) },
      { proof, proof_facts: [...proof_facts, '0x0'] },
      { proof, proof_facts: ['0x0', ...proof_facts.slice(1)] },
      { proof: prove({ ...proven, transactionHash: '0x8' }).proof, proof_facts },
      { proof: Buffer.alloc(31).toString('base64'), proof_facts },
      {
        proof: Buffer.from(toFelt(PRIME).slice(2).padStart(64, '0'), 'hex').toString('base64'),
        proof_facts,
      },
      { proof: null, proof_facts },
    ]) {
      expect(refusal(claim)).toBe(invalid);
    }
    const sent = { from_address: '0x1', to_address: '0x2', payload: [] };
    expect(prove({ ...proven, messages: [sent] }).proof_facts[7]).not.toBe('0x0');
  });

  test('is not looked at without the mode, and may be left out', () => {
    expect([refusal({}), refusal({ proof: '', proof_facts: null })]).toEqual([
      undefined,
      undefined,
    ]);
    expect(refusal({ proof, proof_facts: [] }, 'none')).toBeUndefined();
    expect(refusal({}, 'full')).toBe(-1);
    for (const text of ['a', 'abc', '*===', 'ab=c'])
      expect(refusal({ proof: text }, 'none')).toBe(-32602);
    for (const text of ['abcd', 'abc=', 'ab==', ''])
      expect(refusal({ proof: text }, 'none')).toBeUndefined();
  });
});

describe('words that may be keys of maps', () => {
  const call = (contract: string, changes: object = {}) => ({
    ...{ contract_address: contract, class_hash: `${contract}c`, caller_address: '0xca' },
    ...{ calldata: [], result: [], events: [], calls: [] },
    ...changes,
  });

  test('are those that the contract was called with first, and those of others', () => {
    const inner = call('0x1', { calldata: ['0x11', 'x'], result: ['0x12'], caller_address: '0x2' });
    const trace = {
      type: 'INVOKE',
      execute_invocation: call('0x2', {
        ...{ calldata: ['0x21', '0x22'], calls: [inner] },
        events: [{ keys: ['0x5e1', '0x23'], data: ['0x24'] }],
      }),
    };
    const { words, classes } = mentionedIn(trace, '0x1');
    expect(words.felts).toEqual([
      ...['0x2', '0x11', '0x12', '0x21', '0x22', '0x23', '0x24', '0x1', '0xca'],
    ]);
    expect(words.pairs).toEqual([
      ['0x21', '0x22'],
      ['0x23', '0x24'],
      ['0x2', '0x1'],
      ['0xca', '0x2'],
    ]);
    expect([...classes]).toEqual(['0x1c']);
    expect(mentionedIn(null, '0x1').words).toEqual({ felts: [], pairs: [] });
  });

  test('are at most 400 of a transaction', () => {
    const calldata = Array.from({ length: 500 }, (_, at) => toFelt(at));
    const { words } = mentionedIn({ a: call('0x1', { calldata }) }, '0x1');
    expect([words.felts.length, words.pairs.length]).toEqual([400, 400]);
    expect(words.felts.slice(0, 2)).toEqual(['0xca', '0x0']);
  });

  test('include accounts, small numbers and constants', () => {
    const before = { felts: ['0xfff1'], pairs: [] };
    const { felts } = commonWords(['0xfff2'], ['0xfff3'], before);
    expect(felts.slice(0, 2)).toEqual(['0xfff1', '0xfff2']);
    expect(felts.at(-1)).toBe('0xfff3');
    expect([felts.includes('0x0'), felts.includes('0xff'), felts.includes('0x100')]).toEqual([
      ...[true, true, false],
    ]);
  });
});

test('the way to a failure has the frames that failed last, down to the call that the reason names', () => {
  const frame = (depth: number, failed: boolean, name: string): RetracedFrame => ({
    ...{ depth, failed, contract_address: name, class_hash: '0xc', entry_point_selector: '0x5' },
    ...{ entry_point_type: 'EXTERNAL', call_type: 'CALL', steps: 0, builtins: {}, syscalls: {} },
  });
  const frames = [
    frame(0, false, 'validation'),
    frame(0, true, 'outer'),
    frame(1, true, 'caught'),
    frame(2, true, 'inside of caught'),
    frame(1, true, 'last'),
    frame(2, false, 'fine'),
    frame(2, true, 'inner'),
    frame(3, false, 'also fine'),
    frame(0, false, 'fee'),
  ];
  const names = (...of: Parameters<typeof failedPath>) =>
    failedPath(...of).map(({ contract_address }) => contract_address);
  expect(names(frames)).toEqual(['outer', 'last', 'inner']);
  const named = (contract: string, changes: object = {}) => ({
    ...{ contract, classHash: '0xc', selector: '0x5' },
    ...changes,
  });
  expect(names(frames, named('last'))).toEqual(['outer', 'last']);
  for (const changes of [{ contract: 'x' }, { classHash: '0xd' }, { selector: '0x6' }]) {
    expect(names(frames, named('last', changes))).toEqual(['outer', 'last', 'inner']);
  }
  expect(names(frames.filter(({ failed }) => !failed))).toEqual([]);
  expect(names([])).toEqual([]);
});
