// Classes: their forms, hashes, sizes and limits, valid and invalid.

import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { type BuiltinClass, builtinClass, Class, configure } from '@starkbox/engine';
import { standardSpec } from '@starkbox/test-support/conformance/published-spec';
import { type CompiledSierraCasm, hash, json as lossless } from 'starknet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';
import { contractClass } from '../fixtures/chain.js';
import {
  contract,
  fresh,
  pythonic,
  refusal,
  refused,
  type SierraClass,
} from '../fixtures/sierra.js';

const spec = standardSpec();
const counter = await contract('counter');
const builtinText = (name: BuiltinClass): Promise<string> =>
  readFile(new URL(`../../classes/${name}.json`, import.meta.url), 'utf8');
const casmOf = async (compiled: Class): Promise<CompiledSierraCasm> =>
  JSON.parse(await compiled.casm());

beforeEach(() => configure({ cacheDir: null }));
afterEach(() => configure());

describe('the classes that come with the engine', () => {
  const VERSIONS = new Map([
    ['account', '1.6.0'],
    ['eth', '1.7.0'],
    ['strk', '1.7.0'],
    ['udc', '1.7.0'],
  ]);

  test.each<[BuiltinClass, string]>([
    ['account', '0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564'],
    ['account-cairo0', '0x4d07e40e93398ed3c76981e72dd1fd22557a78ce36c0515f679e27f0bb5bc5f'],
    ['eth', '0xb45dbc3714180381c5680e41931172d67194d77d504413465390e0bef194ec'],
    ['strk', '0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc'],
    ['udc', '0x1b2df6d8861670d4a8ca4670433b2418d78169c2947f46dc614e69f333745c8'],
    ['udc-cairo0', '0x7b3e05f48f0c69e4a65ce5e076a66271a527aff2c34ce1083ec6e1526997a69'],
  ])('%s has its public class hash and the form of the spec', async (name, expected) => {
    const version = VERSIONS.get(name);
    const compiled = await builtinClass(name);
    expect(compiled.hash).toBe(expected);
    expect(compiled.kind).toBe(version === undefined ? 'cairo0' : 'sierra');
    expect(compiled.figures.sierraVersion).toBe(version);
    expect(compiled.figures.bytecodeFelts).toBeGreaterThan(0);
    expect(compiled.compiledClassHash === undefined).toBe(version === undefined);
    expect((await compiled.abi()).length).toBeGreaterThan(0);
    const schema = version === undefined ? 'DEPRECATED_CONTRACT_CLASS' : 'CONTRACT_CLASS';
    expect(spec.checkSchema(schema, JSON.parse(await compiled.json()))).toEqual([]);
    if (version === undefined) return;
    // The published pattern of hint immediates forgets that they may be negative.
    const blemish = /Immediate: must match pattern .* not "-0x[0-9a-f]+"$/;
    const violations = spec.checkSchema('CASM_COMPILED_CONTRACT_CLASS', await casmOf(compiled));
    expect(violations.filter((line) => !blemish.test(line))).toEqual([]);
  });

  test('the CASM that comes along is what the compiler makes', async () => {
    const sierra: SierraClass = JSON.parse(await builtinText('udc'));
    const [builtin, compiled] = [await builtinClass('udc'), await Class.compile(fresh(sierra))];
    expect(await compiled.casm()).toBe(await builtin.casm());
    expect(compiled.compiledClassHash).toBe(builtin.compiledClassHash);
  });
});

describe('hashes agree with starknet.js', () => {
  test.each(['counter', 'messenger', 'upgraded'])('for %s', async (name) => {
    const compiled = await contractClass(name);
    expect(compiled.hash).toBe(hash.computeContractClassHash(await classText(name)));
    const poseidon = hash.computeCompiledClassHash(await casmOf(compiled), '0.13.5');
    expect(await compiled.compiledClassHashPoseidon()).toBe(poseidon);
    expect(poseidon).not.toBe(compiled.compiledClassHash);
  });

  test('for a class in the form of the RPC', async () => {
    const compiled = await builtinClass('udc');
    const json = JSON.parse(await compiled.json());
    expect(compiled.hash).toBe(
      hash.computeContractClassHash({ ...json, abi: JSON.parse(json.abi) }),
    );
    const casm = await casmOf(compiled);
    expect(compiled.compiledClassHash).toBe(hash.computeCompiledClassHash(casm, '0.14.1'));
    expect(await compiled.compiledClassHashPoseidon()).toBe(
      hash.computeCompiledClassHash(casm, '0.14.0'),
    );
  });

  test.each<BuiltinClass>(['account-cairo0', 'udc-cairo0'])('for %s', async (name) => {
    const compiled = await builtinClass(name);
    expect(compiled.hash).toBe(hash.computeContractClassHash(await builtinText(name)));
    expect(await compiled.compiledClassHashPoseidon()).toBeUndefined();
  });
});

describe('an ABI', () => {
  const AWKWARD = [
    { type: 'a, b: c', name: 'é ☃ 😀 "quoted" \\ \n\t', items: [], more: {}, n: [1, true, null] },
  ];
  const withAbi = (abi: unknown): string => JSON.stringify({ ...counter, abi });

  test.each([
    ['ours', counter.abi],
    ['empty', []],
    ['awkward', AWKWARD],
  ])('as a list hashes like its canonical text: %s', async (_, abi) => {
    const text = await Class.hashOf(withAbi(pythonic(abi)));
    expect(await Class.hashOf(withAbi(abi))).toBe(text);
    const spread = JSON.stringify({ ...counter, abi }, null, 2);
    expect(await Class.hashOf(spread)).toBe(text);
    expect(await Class.hashOf(withAbi(abi).replaceAll('é', '\\u00e9'))).toBe(text);
    const compiled = await Class.compile(spread);
    expect(compiled.hash).toBe(text);
    expect(JSON.parse(await compiled.json()).abi).toBe(pythonic(abi));
    expect(await compiled.abi()).toEqual(abi);
  });

  test('as text has one hash whatever its spaces, and is shown as given', async () => {
    const compact = JSON.stringify(counter.abi);
    const compactClass = await Class.compile(withAbi(compact));
    const other = await Class.compile(withAbi(counter.abi));
    expect(compactClass.hash).toBe(other.hash);
    expect(JSON.parse(await compactClass.json()).abi).toBe(compact);
    expect(compactClass.figures.abiBytes).toBe(compact.length);
    expect(other.figures.abiBytes).toBe(pythonic(counter.abi).length);
    expect(await compactClass.abi()).toEqual(counter.abi);
  });

  test.each([
    ['absent', undefined],
    ['null', null],
    ['the empty text', ''],
  ])('that is %s is none', async (_, abi) => {
    const compiled = await Class.compile(withAbi(abi));
    expect(compiled.hash).toBe(await Class.hashOf(withAbi('')));
    expect(compiled.figures.abiBytes).toBe(0);
    expect(await compiled.abi()).toEqual([]);
    expect(spec.checkSchema('CONTRACT_CLASS', JSON.parse(await compiled.json()))).toEqual([]);
  });

  test.each([1, true, {}])('that is %j is refused', async (abi) => {
    expect((await refused(withAbi(abi))).kind).toBe('class');
  });

  test('that is text of another kind is kept, and read as none', async () => {
    const compiled = await Class.compile(withAbi('not JSON'));
    expect(JSON.parse(await compiled.json()).abi).toBe('not JSON');
    expect(await compiled.abi()).toEqual([]);
  });
});

describe('a Sierra class', () => {
  test('may carry what else its compiler wrote', async () => {
    const more = { ...counter, sierra_program_debug_info: { type_names: [[0, 'felt252']] } };
    expect(await Class.hashOf(JSON.stringify(more))).toBe((await contractClass('counter')).hash);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['Sierra and Cairo 0 at once', fresh(counter, { program: {} })],
    ['no entry points', fresh(counter, { entry_points_by_type: undefined })],
    ['entry points of a wrong form', fresh(counter, { entry_points_by_type: { EXTERNAL: [1] } })],
    ['a program of numbers', fresh(counter, { sierra_program: [1, 6, 0] })],
    ['a program in decimals', fresh(counter, { sierra_program: ['1', '6', '0'] })],
    ['no version of the class', fresh(counter, { contract_class_version: undefined })],
    ['a version of the class that is none', fresh(counter, { contract_class_version: 'abc' })],
  ])('is not: %s', async (_, text) => {
    expect((await refused(text)).kind).toBe('class');
    expect((await refusal(Class.hashOf(text))).kind).toBe('class');
    expect((await refusal(Class.withCasm(text, '{}'))).kind).toBe('class');
  });

  test('is given as text, with limits in numbers', async () => {
    const wrong = [
      [5],
      [undefined],
      [fresh(counter), { bytecodeFelts: '1' }],
      [fresh(counter), { compileMillis: null }],
    ];
    for (const args of wrong) {
      expect((await refusal(Reflect.apply(Class.compile, Class, args))).kind).toBe('input');
    }
  });

  test('packed and unpacked is the same class', async () => {
    for (const name of ['udc', 'udc-cairo0'] as const) {
      const compiled = await Class.compile(await builtinText(name));
      const rewound = Class.unpack(await compiled.pack());
      await rewound.warm();
      expect([rewound.hash, rewound.kind, rewound.compiledClassHash, rewound.figures]).toEqual([
        compiled.hash,
        compiled.kind,
        compiled.compiledClassHash,
        compiled.figures,
      ]);
      expect(await rewound.json()).toBe(await compiled.json());
    }
  });

  test('is not unpacked from other bytes', async () => {
    const packed = await (await builtinClass('udc')).pack();
    for (const bytes of [new Uint8Array(), packed.slice(0, 3), packed.slice(0, 40)]) {
      expect(() => Class.unpack(bytes)).toThrow(expect.objectContaining({ kind: 'class' }));
    }
  });

  test('is hashed without being compiled', async () => {
    configure({ cacheDir: null, compiler: '/nonexistent/compiler' });
    expect(await Class.hashOf(await builtinText('udc'))).toBe((await builtinClass('udc')).hash);
    const future = fresh(counter, { sierra_program: ['0x5', '0x6', '0x0'] });
    expect(await Class.hashOf(future)).toMatch(/^0x[1-9a-f][0-9a-f]+$/);
  });

  test('that is alive is not compiled again', async () => {
    const text = fresh(await contract('reverter'));
    const crowd = await Promise.all(Array.from({ length: 6 }, () => Class.compile(text)));
    const [first = await Class.compile(text)] = crowd;
    configure({ cacheDir: null, compiler: '/nonexistent/compiler' });
    const again = await Class.compile(text);
    for (const compiled of [...crowd, again]) {
      expect([compiled.hash, compiled.compiledClassHash]).toEqual([
        first.hash,
        first.compiledClassHash,
      ]);
    }
  });
});

describe('a Cairo 0 class', () => {
  test.each<BuiltinClass>(['account-cairo0', 'udc-cairo0'])(
    '%s is the same in both forms',
    async (name) => {
      const compiled = await builtinClass(name);
      const json = await compiled.json();
      expect(await Class.hashOf(json)).toBe(compiled.hash);
      expect((await Class.compile(json)).hash).toBe(compiled.hash);
      const { program } = JSON.parse(json);
      expect(gunzipSync(Buffer.from(program, 'base64')).toString()).toContain('"prime":"0x8000000');
      const bare = await Class.compile(JSON.stringify({ ...JSON.parse(json), abi: [] }));
      expect(bare.hash).not.toBe(compiled.hash);
      expect(bare.figures).toEqual(compiled.figures);
      expect(await Class.hashOf(await bare.json())).toBe(bare.hash);
    },
  );

  test('has no CASM', async () => {
    const compiled = await builtinClass('udc-cairo0');
    expect((await refusal(compiled.casm())).kind).toBe('class');
    expect(compiled.figures).toEqual({ sierraFelts: 0, bytecodeFelts: 185, abiBytes: 0 });
  });

  test('needs no ABI', async () => {
    const { abi, ...rest } = JSON.parse(await (await builtinClass('udc-cairo0')).json());
    expect(abi).toBeDefined();
    expect(spec.checkSchema('DEPRECATED_CONTRACT_CLASS', rest)).toEqual([]);
    expect((await Class.compile(JSON.stringify(rest))).kind).toBe('cairo0');
  });

  test('with a damaged program is refused', async () => {
    const json = JSON.parse(await (await builtinClass('udc-cairo0')).json());
    const plain = lossless.parse(await builtinText('udc-cairo0'));
    const half = json.program.slice(0, 400);
    const inner = (changes: object) => ({ ...plain.program, ...changes });
    const programs = [
      '',
      '!',
      'aGVsbG8=',
      half,
      null,
      1,
      [],
      {},
      inner({ data: [] }),
      inner({ data: ['zz'] }),
      inner({ builtins: ['none'] }),
    ];
    for (const program of programs) {
      const text = lossless.stringify({ ...plain, program }) ?? '';
      expect((await refused(text)).kind, text.slice(-80)).toBe('class');
    }
  });
});

describe('a limit', () => {
  const BOUNDS = ['sierraFelts', 'bytecodeFelts', 'compiledBytes'] as const;

  test.each(BOUNDS)('on %s holds to the unit, also for known classes', async (bound) => {
    const compiled = await contractClass('counter');
    const bytes = Buffer.byteLength(await compiled.casm());
    const size = { ...compiled.figures, compiledBytes: bytes }[bound];
    for (const text of [fresh(counter), await classText('counter')]) {
      const error = await refused(text, { [bound]: size - 1 });
      expect(error.kind).toBe('class_too_large');
      expect(error.message).toContain(String(size));
      expect((await Class.compile(text, { [bound]: size })).figures.bytecodeFelts).toBe(598);
    }
    expect((await contractClass('counter')).hash).toBe(compiled.hash);
  });

  test('holds for Cairo 0 too', async () => {
    const text = await builtinText('udc-cairo0');
    expect((await refused(text, { bytecodeFelts: 184 })).kind).toBe('class_too_large');
    const compiled = await Class.compile(text, { bytecodeFelts: 185 });
    expect((await refused(text, { bytecodeFelts: 184 })).kind).toBe('class_too_large');
    const { kind, message } = await refused(text, { compiledBytes: 1 });
    expect(kind).toBe('class_too_large');
    const compiledBytes = Number(/has (\d+) bytes/.exec(message)?.[1]);
    expect((await Class.compile(text, { compiledBytes })).hash).toBe(compiled.hash);
    expect((await refused(text, { compiledBytes: compiledBytes - 1 })).kind).toBe(
      'class_too_large',
    );
  });
});

describe('CASM from earlier', () => {
  test('makes the same class without a compiler', async () => {
    const compiled = await contractClass('counter');
    configure({ cacheDir: null, compiler: '/nonexistent/compiler' });
    const again = await Class.withCasm(fresh(counter), await compiled.casm());
    expect(again.compiledClassHash).toBe(compiled.compiledClassHash);
    expect(again.figures.bytecodeFelts).toBe(compiled.figures.bytecodeFelts);
    expect(await again.compiledClassHashPoseidon()).toBe(
      await compiled.compiledClassHashPoseidon(),
    );
  });

  const NONE = { EXTERNAL: [], L1_HANDLER: [], CONSTRUCTOR: [] };
  const ODD = { ...NONE, EXTERNAL: [{ selector: '0x1', offset: 0, builtins: ['none'] }] };

  test.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['an empty object', '{}'],
    ['bytecode of no felts', { bytecode: ['zz'] }],
    ['no bytecode', { bytecode: [] }],
    ['a hint past the end', { hints: [[99_999, []]] }],
    ['a hint that there is not', { hints: [[5, [{ Nope: {} }]]] }],
    ['segments that are too short', { bytecode_segment_lengths: [1, 2] }],
    ['segments that are too long', { bytecode_segment_lengths: [99_999] }],
    ['an unknown builtin', { entry_points_by_type: ODD }],
  ])(
    'that is wrong is refused, or not believed where the class is known: %s',
    async (_, changes) => {
      const compiled = await contractClass('counter');
      const casm = await casmOf(compiled);
      const text = typeof changes === 'string' ? changes : JSON.stringify({ ...casm, ...changes });
      expect((await refusal(Class.withCasm(fresh(counter), text))).kind).toBe('class');
      const again = await Class.withCasm(await compiled.json(), text).catch(() => compiled);
      expect(await again.casm()).toBe(await compiled.casm());
    },
  );

  test.each<[string, (casm: CompiledSierraCasm) => object | Promise<object>]>([
    ['of another class', async () => casmOf(await contractClass('upgraded'))],
    ['with other hints', (casm) => ({ ...casm, hints: [] })],
  ])('%s stands for nothing else than what it was given with', async (_, change) => {
    const text = fresh(counter);
    const right = await contractClass('counter');
    const casmText = JSON.stringify(await change(await casmOf(right)));
    const mixed = await Class.withCasm(text, casmText);
    const unpacked = Class.unpack(await mixed.pack());
    expect(await unpacked.casm()).toBe(casmText);
    const compiled = await Class.compile(text);
    expect(compiled.hash).toBe(mixed.hash);
    expect(await compiled.casm()).toBe(await right.casm());
    const areCompiledHere = [compiled, mixed, unpacked].map(({ isCompiledHere }) => isCompiledHere);
    expect(areCompiledHere).toEqual([true, false, false]);
  });

  test('does not help a Sierra version that is too new', async () => {
    const future = fresh(counter, { sierra_program: ['0x5', '0x6', '0x0'] });
    const error = await refusal(
      Class.withCasm(future, await (await contractClass('counter')).casm()),
    );
    expect(error.kind).toBe('sierra_version');
  });
});
