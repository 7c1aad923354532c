// Parts of a fork's origin without a node: errors, headers, reads, shapes of answers, files of the cache.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRIME } from '@starkbox/abi/basics';
import { afterAll, describe, expect, test } from 'vitest';
import { RpcError } from '../../../src/errors.js';
import { Cache } from '../../../src/fork/origin/cache.js';
import { OriginError, OriginFailure, shownUrl } from '../../../src/fork/origin/failure.js';
import { headerOf, readForkBlock } from '../../../src/fork/origin/header.js';
import { prefetch, ReadLog } from '../../../src/fork/origin/prefetch.js';
import {
  canonical,
  isFelt,
  nameOf,
  readNamed,
  wireQuestion,
} from '../../../src/fork/origin/reads.js';
import { shapeError, subjectError } from '../../../src/fork/origin/shapes.js';
import { isOlder, isSpoken, olderParams } from '../../../src/fork/origin-version.js';
import { MemoryBudget } from '../../../src/scheduling/memory-budget.js';

const folder = mkdtempSync(join(tmpdir(), 'fork-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('an error of the origin', () => {
  const errorOf = (code: number) => new OriginError({ code, message: 'why' }, 'http://a');

  test('is about the chain with a small code of the specification, and may pass with one of the server', () => {
    const codes = [
      0, 1, 24, 62, 63, 64, 399, 400, 499, 500, -1, -31999, -32000, -32099, -32100, -32603,
    ];
    const isAbout = codes.filter((code) => errorOf(code).isAboutTheChain);
    expect(isAbout).toEqual([1, 24, 62, 64, 399]);
    expect(codes.filter((code) => errorOf(code).mayPass)).toEqual([
      ...[63, 500, -32000, -32099, -32603],
    ]);
  });

  test('has a message of at most 1,000 characters, and another one for reads of the state', () => {
    const failure = new OriginFailure('http', 'http://a', 'x'.repeat(1_001));
    expect(failure.reason).not.toContain('x'.repeat(1_001));
    expect(new OriginFailure('http', 'http://a', 'x'.repeat(1_000)).reason).toBe('x'.repeat(1_000));
    expect(failure.ofStateRead().message).toMatch(
      /^Error in communication with forking origin \(url: "http:\/\/a\/"\): x/,
    );
    expect(new OriginFailure('http', '', 'x').ofStateRead().message).toBe(
      'Error in communication with forking origin: x',
    );
    expect(new OriginFailure('http', '', 'x').message).toBe('Error in interacting with origin: x');
    for (const kind of ['missing', 'rpc'] as const) {
      const other = new OriginFailure(kind, 'http://a', 'x');
      expect(other.ofStateRead()).toBe(other);
    }
    expect(errorOf(24).asFailure('starknet_call')).toMatchObject({
      ...{ kind: 'rpc', reason: 'starknet_call fails with 24: why' },
    });
  });

  test('has a URL without keys', () => {
    expect(shownUrl('https://me:secret@a.org:8080/rpc/v0_10?key=1')).toBe(
      'https://a.org:8080/rpc/v0_10',
    );
    expect(shownUrl('http://a/')).toBe('http://a');
    const [short, long] = ['a'.repeat(19), 'a'.repeat(20)];
    expect(shownUrl(`http://a/${short}/${long}`)).toBe(`http://a/${short}/…`);
  });
});

describe('the block of a fork', () => {
  const header = {
    ...{ block_number: 7, block_hash: '0x0A', parent_hash: '0x09', timestamp: 5 },
    ...{ starknet_version: '0.14.0', l1_da_mode: 'BLOB' },
    l1_gas_price: { price_in_fri: '0x01', price_in_wei: '0x2' },
  };

  test('is read with the prices that it has', () => {
    expect(readForkBlock(header)).toEqual({
      ...{ number: 7, hash: '0xa', parentHash: '0x9', timestamp: 5 },
      ...{ starknetVersion: '0.14.0', l1DaMode: 'BLOB' },
      prices: {
        l1_gas_price: { price_in_fri: '0x1', price_in_wei: '0x2' },
        l1_data_gas_price: undefined,
        l2_gas_price: undefined,
      },
    });
    const { starknet_version: _, l1_da_mode: __, ...old } = header;
    expect(readForkBlock(old)).toMatchObject({ starknetVersion: '', l1DaMode: undefined });
    for (const l1_gas_price of [{ price_in_fri: '0x1' }, { price_in_wei: '0x1' }, {}, 5]) {
      expect(readForkBlock({ ...header, l1_gas_price }).prices.l1_gas_price).toBeUndefined();
    }
    expect(headerOf({ ...header, status: 'ACCEPTED_ON_L2', transactions: [] })).toEqual(header);
  });

  test('is closed, and has numbers and felts', () => {
    const { block_hash: _, ...open } = header;
    expect(() => readForkBlock(open)).toThrow(RpcError);
    const wrong = { block_number: '7', timestamp: '5', block_hash: 'x', parent_hash: undefined };
    for (const [name, value] of Object.entries(wrong)) {
      expect(() => readForkBlock({ ...header, [name]: value })).toThrow(OriginFailure);
    }
  });
});

describe('a read', () => {
  test.each([
    [{ kind: 'storage', address: '0x1', key: '0x2' }, 'storage 0x1 0x2'],
    [{ kind: 'class', class_hash: '0x1' }, 'class 0x1'],
    [{ kind: 'nonce', address: '0x1' }, 'nonce 0x1'],
    [{ kind: 'class_hash', address: '0x1' }, 'class_hash 0x1'],
  ] as const)('%o is named %s', (question, name) => {
    expect(nameOf(question)).toBe(name);
    expect(readNamed(name)).toEqual(question);
    const { params, nothing } = wireQuestion(question, '0xb');
    expect(params).toMatchObject({ block_id: { block_hash: '0xb' } });
    expect(nothing).toBe(question.kind === 'class' ? 28 : 20);
  });

  test.each([
    ...['', 'storage', 'storage 0x1', 'storage 0x1 x', 'storage x 0x1', 'storage 0x1 0x2 0x3'],
    ...['nonce 0x1 0x2', 'class 0x1 0x2', 'class_hash', 'other 0x1', 'header 5', 'storage 0x1 '],
  ])('is not named %j', (name) => {
    expect(readNamed(name)).toBeUndefined();
  });

  test('is of felts in any form, below the prime', () => {
    const prime = `0x${PRIME.toString(16)}`;
    expect(['0x1', '0x0A', `0x${'0'.repeat(63)}1`, prime.replace(/1$/, '0')].map(isFelt)).toEqual(
      Array(4).fill(true),
    );
    for (const value of ['1', '0x', '0xg', `0x${'0'.repeat(64)}1`, prime, 1, null]) {
      expect(isFelt(value)).toBe(false);
    }
    expect(['0x000', '0x0AB', '0x0'].map(canonical)).toEqual(['0x0', '0xab', '0x0']);
  });

  test('of earlier runs is made ahead, up to 10,000 in batches of 100, and until a batch fails', async () => {
    const names = Array.from({ length: 10_001 }, (_, at) => `nonce 0x${at.toString(16)}`);
    let [most, open] = [0, 0];
    const asked = await prefetch(
      names,
      (name) => name === 'nonce 0x0',
      async () => {
        open += 1;
        most = Math.max(most, open);
        await Promise.resolve();
        open -= 1;
      },
    );
    expect([asked, most]).toEqual([9_999, 100]);
    let count = 0;
    const failing = prefetch(
      names,
      () => false,
      async () => {
        count += 1;
        throw new Error('gone');
      },
    );
    await expect(failing).rejects.toThrow('gone');
    expect(count).toBe(100);
    expect(
      await prefetch(
        ['nonce 0x1', 'no read'],
        () => false,
        async () => undefined,
      ),
    ).toBe(1);
  });

  test('is remembered for 16 runs', async () => {
    const file = join(folder, 'runs');
    writeFileSync(file, '15\tnonce 0xf\n16\tnonce 0x10\nx\tnonce 0x1\n3\tnonce 0x3\n7\n');
    const log = await ReadLog.open(file);
    expect(log.earlier()).toEqual(['nonce 0x3', 'nonce 0xf', 'nonce 0x10']);
    await log.write();
    expect(readFileSync(file, 'utf8')).toMatch(/^15\t/);
    log.note('nonce 0x3');
    await log.write();
    expect(readFileSync(file, 'utf8')).toBe('0\tnonce 0x3\n16\tnonce 0xf\n');
    for (let at = 0; at < 10_002; at += 1) log.note(`nonce 0x${at.toString(16)}`);
    await log.write();
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(10_000);
    const nowhere = await ReadLog.open(undefined);
    nowhere.note('nonce 0x1');
    await nowhere.write();
    expect(nowhere.earlier()).toEqual([]);
  });
});

describe('an answer', () => {
  const block = { block_number: 5, status: 'ACCEPTED_ON_L2', transactions: [] };
  const closed = { ...block, block_hash: '0x1', parent_hash: '0x2', timestamp: 3 };

  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ['starknet_blockNumber', [0, 7], [-1, 1.5, '7', null]],
    ['starknet_getNonce', ['0x1'], ['1', 1, ['0x1'], {}]],
    ['starknet_specVersion', ['0.10.0'], [1, {}]],
    ['starknet_call', [[], ['0x1']], [['x'], '0x1', {}]],
    ['starknet_estimateFee', [[], [{}]], [{}, [1]]],
    [
      'starknet_getBlockWithTxs',
      [block, closed],
      [
        { ...closed, timestamp: -1 },
        { ...closed, parent_hash: 1 },
        { ...closed, block_hash: 'x' },
        { ...block, transactions: {} },
        { ...block, status: 1 },
        { ...block, block_number: '5' },
        [],
        null,
      ],
    ],
    ['starknet_getClass', [{ entry_points_by_type: {} }], [{}, { entry_points_by_type: [] }]],
    ['starknet_getEvents', [{ events: [] }, { events: [{}] }], [{}, { events: [1] }, []]],
    ['starknet_getStorageAt', ['0x1', { value: '0x1' }], [{ value: 1 }, {}, 1]],
    [
      'starknet_getTransactionReceipt',
      [{ transaction_hash: '0x1', finality_status: 'A' }],
      [{ transaction_hash: '0x1' }, { finality_status: 'A' }],
    ],
    [
      'starknet_simulateTransactions',
      [[], { simulated_transactions: [{}] }],
      [{}, { simulated_transactions: {} }, [1]],
    ],
    ['starknet_traceBlockTransactions', [[{}], { traces: [] }], [{}, [1]]],
    ['starknet_unknown', [1, null], []],
  ])('of %s has its shape', (method, right, wrong) => {
    expect(right.map((value) => shapeError(method, value))).toEqual(right.map(() => undefined));
    for (const value of wrong) expect(shapeError(method, value)).toMatch(/ instead of /);
  });

  test('of another shape is described', () => {
    const fault = (value: unknown) => shapeError('starknet_getNonce', value);
    expect(fault([])).toBe('a list instead of a felt');
    expect(fault({})).toBe('an object instead of a felt');
    expect(fault(null)).toBe('null instead of a felt');
    expect(fault('x'.repeat(38))).toBe(`"${'x'.repeat(38)}" instead of a felt`);
    expect(fault('x'.repeat(39))).toBe(`"${'x'.repeat(39)}… instead of a felt`);
  });

  test('is about what was asked', () => {
    const ofBlock = (block_id: unknown, result: unknown) =>
      subjectError('starknet_getBlockWithTxs', { block_id }, result);
    expect(ofBlock({ block_number: 5 }, { block_number: 5 })).toBeUndefined();
    expect(ofBlock({ block_number: 5 }, { block_number: 6 })).toBe(
      'another block: block_number 6 instead of 5',
    );
    expect(ofBlock({ block_hash: '0x0A' }, { block_hash: '0xa' })).toBeUndefined();
    expect(ofBlock({ block_hash: '0xa' }, { block_hash: '0xb' })).toMatch(/^another block/);
    expect(ofBlock({ block_hash: '0xa' }, {})).toBeUndefined();
    expect(ofBlock('latest', { block_number: 6 })).toBeUndefined();
    expect(
      subjectError(
        'starknet_getTransactionByHash',
        { transaction_hash: '0x1' },
        { transaction_hash: '0x2' },
      ),
    ).toMatch(/^another transaction/);
    expect(
      subjectError('starknet_getNonce', { block_id: { block_number: 1 } }, { block_number: 2 }),
    ).toBeUndefined();
  });
});

describe('an origin of an older version', () => {
  test('is one that is spoken', () => {
    const versions = ['0.7.1', '0.8.0', '0.9.0-rc.1', '0.10.2', '0.11.0', '1.0'];
    expect(versions.filter(isSpoken)).toEqual(['0.8.0', '0.9.0-rc.1', '0.10.2']);
    expect(versions.filter(isOlder)).toEqual(['0.8.0', '0.9.0-rc.1']);
    expect(isOlder(undefined)).toBe(false);
  });

  test('takes no flags that it does not know', () => {
    const older = (params: Record<string, unknown>, method = 'starknet_simulateTransactions') =>
      olderParams(method, params, '0.8.0');
    expect(older({ a: 1, simulation_flags: ['SKIP_VALIDATE'], trace_flags: [] })).toEqual({
      ...{ a: 1, simulation_flags: ['SKIP_VALIDATE'] },
    });
    expect(older({ response_flags: ['INCLUDE_PROOF_FACTS'] })).toEqual({});
    expect(() => older({ trace_flags: ['RETURN_INITIAL_READS'] })).toThrow(/RETURN_INITIAL_READS/);
    expect(() => older({ simulation_flags: ['OTHER'] })).toThrow(/OTHER/);
    const updates = { contract_addresses: [] };
    expect(() => older(updates, 'starknet_getStateUpdate')).toThrow(/contract_addresses/);
    expect(older(updates)).toEqual(updates);
  });
});

describe('the cache on disk', () => {
  const origin = { chainId: '0x534e5f4d41494e', number: 3, hash: '0xb', marks: [1] };
  const warnings: unknown[] = [];
  const log = { warn: (...words: readonly unknown[]) => void warnings.push(words) };
  const open = (changes: Partial<typeof origin> = {}, directory: string | undefined = folder) =>
    Cache.open(directory, { ...origin, ...changes }, log);

  test('has lines and documents of the block, and classes of the chain', async () => {
    const cache = await open();
    cache.keepLine('nonce 0x1', '"0x1"');
    cache.keepLine('nonce 0x1', '"0x2"');
    cache.keepLine('nonce 0x2', 'null');
    await cache.keepDocument('header 3', '{"a":1}');
    await cache.keepClass('0xc', '{"b":2}');
    await cache.flush();
    const again = await open();
    expect([again.size, again.line('nonce 0x1'), again.line('nonce 0x2')]).toEqual([
      2,
      '"0x2"',
      'null',
    ]);
    expect([await again.document('header 3'), await again.document('header 4')]).toEqual([
      '{"a":1}',
      undefined,
    ]);
    expect(again.chainFolder).toBe(join(folder, 'SN_MAIN'));
    for (const other of [{ number: 4 }, { hash: '0xd' }, { marks: [2] }]) {
      const elsewhere = await open(other);
      expect([elsewhere.size, await elsewhere.document('header 3')]).toEqual([0, undefined]);
      expect(await elsewhere.classText('0xc')).toBe('{"b":2}');
    }
    expect(await (await open({ chainId: '0x5a' })).classText('0xc')).toBeUndefined();
    expect((await open({ chainId: '0x2f2e2e' })).chainFolder).toBe(join(folder, '0x2f2e2e'));
    expect(warnings).toEqual([]);
  });

  test('leaves out what is incomplete or was changed', async () => {
    const cache = await open({ number: 9 });
    cache.keepLine('nonce 0x1', '"0x1"');
    await cache.keepDocument('header 9', '{"a":1}');
    await cache.flush();
    const [block = ''] = readdirSync(join(folder, 'SN_MAIN')).filter((name) =>
      name.startsWith('9-'),
    );
    const lines = join(folder, 'SN_MAIN', block, 'reads');
    const [document = ''] = readdirSync(join(folder, 'SN_MAIN', block, 'documents'));
    const file = join(folder, 'SN_MAIN', block, 'documents', document);
    const [text, whole] = [readFileSync(lines, 'utf8'), readFileSync(file, 'utf8')];
    expect([text.split('\n').length, whole.length]).toEqual([3, 8 + 1 + 7]);
    writeFileSync(
      lines,
      `${text}${text.trim().replace('0x1"', '0x3"')}\n${text.trim().slice(0, -2)}`,
    );
    expect((await open({ number: 9 })).line('nonce 0x1')).toBe('"0x1"');
    writeFileSync(file, whole.replace('1', '2'));
    expect(await (await open({ number: 9 })).document('header 9')).toBeUndefined();
    writeFileSync(file, whole);
    expect(await (await open({ number: 9 })).document('header 9')).toBe('{"a":1}');
  });

  test('warns once where it cannot be written, and answers from memory', async () => {
    const blocked = join(folder, 'file');
    writeFileSync(blocked, '');
    const cache = await open({}, blocked);
    warnings.length = 0;
    const fresh = await Cache.open(blocked, origin, log);
    fresh.keepLine('nonce 0x1', 'null');
    await fresh.flush();
    await fresh.keepDocument('header 3', '{}');
    expect(warnings).toHaveLength(1);
    expect([fresh.line('nonce 0x1'), cache.size]).toEqual(['null', 0]);
    const inMemory = await Cache.open(undefined, origin, log);
    inMemory.keepLine('nonce 0x1', 'null');
    await inMemory.keepDocument('header 3', '{}');
    expect([inMemory.line('nonce 0x1'), await inMemory.document('header 3')]).toEqual([
      'null',
      undefined,
    ]);
    expect(inMemory.chainFolder).toBeUndefined();
  });
});

test('an eighth of the memory of answers is for small ones', () => {
  const budget = new MemoryBudget(800_000);
  const [large, small, other] = [budget.open(), budget.open(), budget.open()];
  expect(large.take(700_001)).toBe(false);
  expect([large.take(700_000), large.take(1)]).toEqual([true, false]);
  expect([small.take(64 * 1024), small.take(1)]).toEqual([true, false]);
  expect(other.take(800_000 - 700_000 - 64 * 1024 + 1)).toBe(false);
  expect(other.take(800_000 - 700_000 - 64 * 1024)).toBe(true);
  expect(budget.held).toBe(800_000);
  large.close();
  expect([large.held, budget.held]).toEqual([0, 100_000]);
});
