// The search for names of slots: which keys, elements and words are tried, and where the search ends.
import { expect, test } from 'vitest';
import { readAbi } from '../src/abi.js';
import { ADDRESS_BOUND, PRIME, toFelt } from '../src/felt.js';
import { selectorOf } from '../src/selector.js';
import { type KeyWords, SlotSearch } from '../src/storage/search.js';
import { withItems } from '../src/storage/value-layout.js';
import { variablesOf } from '../src/storage/variables.js';

/** Hashes that are quick, because the search takes any. */
const HASHES = {
  pedersen: (left: string, right: string) => selectorOf(`${left} ${right}`),
  hades: (felts: readonly string[]) => [selectorOf(felts.join(' ')), '0x0', '0x0'],
  keccak: selectorOf,
};

const felt = (value: number | bigint): string => toFelt(value);
const feltList = (count: number, first = 1): readonly string[] =>
  Array.from({ length: count }, (_, at) => felt(first + at));
/** The slot of a variable, or of its value at these keys. */
const slotOf = (name: string, keys: readonly string[] = [], offset = 0): string => {
  const state = keys.reduce((reached, key) => HASHES.pedersen(reached, key), selectorOf(name));
  return felt((BigInt(state) % ADDRESS_BOUND) + BigInt(offset));
};

interface Search {
  /** Members of the struct of storage. */
  readonly storage?: string;
  readonly abi?: readonly object[];
  readonly slots: readonly string[];
  readonly words?: Partial<KeyWords>;
  readonly values?: Readonly<Record<string, string>>;
  readonly budget?: { left: number };
  readonly names?: readonly string[];
}

const NOTHING = '0x1d1d1d';

function classOf({ storage, abi = [], names = [] }: Search) {
  const text = storage === undefined ? '' : `#[storage] struct Storage { ${storage} }`;
  const tried = [...(storage ?? '').matchAll(/(\w+):/g)].map(([, name = '']) => name);
  // A program that has the names, so that well-known ones are left out.
  const program = [...tried, ...names].map(selectorOf);
  const sources = storage === undefined ? [] : [{ file: 'a.cairo', text }];
  return variablesOf({ abi: readAbi(abi), program: [NOTHING, ...program], sources, names }, HASHES);
}

/** The names of these slots, in their order; undefined where none was found. */
async function namesOf(search: Search) {
  const { slots, words = {}, values = {}, budget = { left: 10_000 } } = search;
  const searching = new SlotSearch(classOf(search), slots, {
    hashes: HASHES,
    cache: new Map<string, string>(),
    read: async (slot) => values[slot] ?? '0x0',
    budget,
    pause: () => undefined,
  });
  await searching.run({ felts: [], pairs: [], ...words });
  return slots.map((slot) => searching.names.get(slot));
}

const isFound = async (search: Search): Promise<readonly boolean[]> =>
  (await namesOf(search)).map((name) => name !== undefined);

test.each([
  [1, 2_000],
  [2, 64],
  [3, 16],
  [4, 8],
  [5, 4],
])('%i keys: the first %i words are tried for each', async (keys, most) => {
  const felts = feltList(most + 1);
  const storage = `m: Map<(${Array(keys).fill('felt252').join(', ')}), u8>`;
  const endingAt = (at: number) =>
    slotOf('m', [...Array(keys - 1).fill(felts[0]), felts[at] ?? '']);
  const slots = [endingAt(0), endingAt(most - 1), endingAt(most)];
  expect(await isFound({ storage, slots, words: { felts } })).toEqual([true, true, false]);
});

test('words are keys where their type has them', async () => {
  const wide = felt(2n ** 128n);
  const likely = felt(2n ** 68n);
  const felts = ['0xff', '0x100', wide, likely];
  const pairs = [
    ['0x7', '0x8'],
    ['0x9', '0x0'],
    [wide, '0x1'],
    ['0x1', wide],
  ] as const;
  const keysOf = async (type: string, ...keys: readonly (readonly string[])[]) =>
    isFound({
      storage: `m: Map<${type}, u8>`,
      slots: keys.map((key) => slotOf('m', key)),
      words: { felts, pairs },
    });
  expect(await keysOf('u8', ['0xff'], ['0x100'])).toEqual([true, false]);
  expect(await keysOf('u128', [likely], [wide])).toEqual([true, false]);
  expect(await keysOf('felt252', [wide], ['0x5'])).toEqual([true, false]);
  expect(await keysOf('bool', ['0x0'], ['0x1'], ['0x2'])).toEqual([true, true, false]);
  expect(await keysOf('ContractAddress', [likely], ['0x100'])).toEqual([true, true]);
  expect(await keysOf('u256', ['0xff', '0x0'], ['0x7', '0x8'], [wide, '0x0'])).toEqual([
    true,
    true,
    false,
  ]);
  expect(await keysOf('u256', ['0x9', '0x0'], [wide, '0x1'], ['0x1', wide])).toEqual([
    false,
    false,
    false,
  ]);
});

test('what looks like an address is tried first as one', async () => {
  // The prefix and 16 digits are a small number still.
  const small = Array.from({ length: 64 }, (_, at) => felt(2n ** 63n + BigInt(at)));
  const large = felt(2n ** 64n);
  const storage = 'm: Map<(ContractAddress, ContractAddress), u8>';
  const [first = '', last = ''] = [small[0], small.at(-1)];
  const slots = [
    slotOf('m', [large, large]),
    slotOf('m', [large, first]),
    slotOf('m', [large, last]),
  ];
  expect(await isFound({ storage, slots, words: { felts: [...small, large] } })).toEqual([
    true,
    true,
    false,
  ]);
});

test('a value has the names of its slots, and a layout if it takes several', async () => {
  const [total, high, flag, choice] = [
    slotOf('total'),
    slotOf('total', [], 1),
    slotOf('flag'),
    slotOf('choice'),
  ];
  const storage = 'total: u256, flag: bool, choice: Option<()>';
  const [low, upper, plain, variant] = await namesOf({
    storage,
    slots: [total, high, flag, choice, slotOf('flag', [], 1)],
  });
  const slots = [
    { key: total, members: [], type: 'u256', part: 'low' },
    { key: high, members: [], type: 'u256', part: 'high' },
  ];
  const layout = { key: total, variable: 'total', path: [], type: 'u256', slots };
  const name = { variable: 'total', path: [], type: 'u256', origin: 'source' };
  expect(low).toEqual({ ...name, part: 'low', layout });
  expect(upper).toEqual({ ...name, part: 'high', layout });
  expect(plain).toEqual({ variable: 'flag', path: [], type: 'bool', origin: 'source' });
  expect(variant?.layout?.slots).toMatchObject([{ key: choice, variants: ['None', 'Some'] }]);
});

test('a text has its length and up to 256 words', async () => {
  const length = slotOf('title');
  const begin = BigInt(HASHES.hades([length, '0x0', '0x427974654172726179'])[0] ?? '0');
  const word = (at: number) => felt((begin % ADDRESS_BOUND) + BigInt(at));
  const [whole, first, last, none, before] = await namesOf({
    storage: 'title: ByteArray',
    slots: [length, word(0), word(255), word(256), word(-1)],
  });
  expect(whole).toMatchObject({ part: 'length', layout: { slots: [{ text_key: word(0) }] } });
  expect([first, last]).toMatchObject([
    { part: 'text', offset: 0 },
    { part: 'text', offset: 255 },
  ]);
  expect([none, before]).toEqual([undefined, undefined]);
  const inVector = slotOf('titles', ['0x1']);
  const [item] = await namesOf({
    storage: 'titles: Vec<ByteArray>',
    slots: [inVector],
    values: { [slotOf('titles')]: '0x2' },
  });
  expect(item?.path).toEqual([{ keys: [{ type: 'u64', felts: ['0x1'] }] }]);
});

test('a vector is tried at its start and at its end', async () => {
  const foundOf = (length: number, ...items: readonly number[]) =>
    isFound({
      storage: 'items: Vec<u8>',
      slots: items.map((item) => slotOf('items', [felt(item)])),
      values: { [slotOf('items')]: felt(length) },
    });
  expect(await foundOf(3, 0, 2, 3)).toEqual([true, true, false]);
  expect(await foundOf(300, 0, 128, 129, 172, 173, 299)).toEqual([
    ...[true, true, false, false, true, true],
  ]);
  expect(await foundOf(256, 127, 128, 129)).toEqual([true, true, true]);
  expect(await foundOf(258, 128, 129, 130, 131)).toEqual([true, false, false, true]);
  const [length, item] = await namesOf({
    storage: 'items: Vec<u8>',
    slots: [slotOf('items'), slotOf('items', ['0x0'])],
    values: { [slotOf('items')]: '0x1' },
  });
  expect(length).toMatchObject({ type: 'u64', part: 'length', layout: { type: 'Vec<u8>' } });
  expect(item?.layout).toEqual(length?.layout);
  // A length that no number holds is none.
  const huge = { [slotOf('items')]: felt(2n ** 53n) };
  const slots = [slotOf('items', ['0x0'])];
  expect(await isFound({ storage: 'items: Vec<u8>', slots, values: huge })).toEqual([false]);
});

test('items of a vector of up to 64 are parts of one value, and 8 more may be appended', async () => {
  const [name] = await namesOf({ storage: 'items: Vec<u256>', slots: [slotOf('items')] });
  if (!name?.layout) throw new Error('the vector has a layout');
  const slotsOf = (layout: typeof name.layout, length: number) =>
    withItems(layout, felt(length), HASHES.pedersen)?.slots;
  expect(slotsOf(name.layout, 0)).toHaveLength(1 + 2 * 8);
  expect(slotsOf(name.layout, 64)).toHaveLength(1 + 2 * (64 + 8));
  expect(slotsOf(name.layout, 65)).toBeUndefined();
  expect(slotsOf(name.layout, 1)?.slice(1, 4)).toMatchObject([
    { key: slotOf('items', ['0x0']), members: ['0'], part: 'low' },
    { key: slotOf('items', ['0x0'], 1), members: ['0'], part: 'high' },
    { key: slotOf('items', ['0x1']), members: ['1'], part: 'low' },
  ]);
});

test('a node of storage is hashed by its members', async () => {
  const source = `#[starknet::storage_node] struct Pool { total: u8, #[rename("part")] shares: Map<u8, u8> }
    #[storage] struct Storage { pool: Pool }`;
  const variables = variablesOf(
    {
      abi: readAbi([]),
      program: [selectorOf('pool')],
      sources: [{ file: 'a.cairo', text: source }],
    },
    HASHES,
  );
  const slots = [
    slotOf('pool', [selectorOf('total')]),
    slotOf('pool', [selectorOf('part'), '0x5']),
  ];
  const search = new SlotSearch(variables, slots, {
    ...{ hashes: HASHES, cache: new Map<string, string>(), read: async () => '0x0' },
    ...{ budget: { left: 100 }, pause: () => undefined },
  });
  await search.run({ felts: ['0x5'], pairs: [] });
  expect(slots.map((slot) => search.names.get(slot)?.path)).toEqual([
    [{ member: 'total' }],
    [{ member: 'shares' }, { keys: [{ type: 'u8', felts: ['0x5'] }] }],
  ]);
  expect(search.isDone).toBe(true);
});

test('without a type, 8 slots and up to three keys are tried', async () => {
  const felts = feltList(401);
  const [w23 = '', w24 = '', w399 = '', w400 = ''] = [23, 24, 399, 400].map((at) => felts[at]);
  const foundOf = (slots: readonly string[]) => isFound({ names: ['v'], slots, words: { felts } });
  expect(
    await foundOf([slotOf('v'), slotOf('v', [], 7), slotOf('v', [], 8), slotOf('v', ['0x1'], 7)]),
  ).toEqual([true, true, false, true]);
  expect(await foundOf([slotOf('v', [w399]), slotOf('v', [w400])])).toEqual([true, false]);
  const deep = (key: string) => slotOf('v', ['0x1', key]);
  expect(await foundOf([deep(w23), deep(w24)])).toEqual([true, false]);
  const [first, second] = await namesOf({
    names: ['v'],
    slots: [slotOf('v'), slotOf('v', [], 2)],
  });
  expect(first).toEqual({ variable: 'v', path: [], origin: 'abi' });
  expect(second).toEqual({ variable: 'v', path: [], origin: 'abi', offset: 2 });
  // The name of an event is no variable with keys.
  expect(
    await isFound({
      names: ['Event'],
      slots: [slotOf('Event'), slotOf('Event', ['0x1'])],
      words: { felts },
    }),
  ).toEqual([true, false]);
  const three = [slotOf('v', ['0x1', '0x1', '0x8']), slotOf('v', ['0x1', '0x1', '0x9'])];
  expect(await isFound({ names: ['v'], slots: three, words: { felts: feltList(9) } })).toEqual([
    true,
    false,
  ]);
});

test('a search ends with its budget, and what is cached takes little of it', async () => {
  const search = { storage: 'm: Map<felt252, u8>', words: { felts: feltList(10) } };
  const slots = [slotOf('m', ['0x3']), slotOf('m', ['0x4'])];
  expect(await isFound({ ...search, slots, budget: { left: 4 } })).toEqual([true, false]);
  const budget = { left: 100 };
  await namesOf({ ...search, slots: [slotOf('m', ['0x63'])], budget });
  expect(budget.left).toBe(90);
  const cache = new Map<string, string>();
  const left = { left: 100 };
  for (let turn = 0; turn < 2; turn += 1) {
    const searching = new SlotSearch(classOf({ ...search, slots }), [slotOf('m', ['0x63'])], {
      ...{ hashes: HASHES, cache, read: async () => '0x0', budget: left, pause: () => undefined },
    });
    await searching.run({ felts: feltList(10), pairs: [] });
  }
  expect(left.left).toBeCloseTo(100 - 10 - 10 / 50);
});

test('a program may begin with a table of its constants, of which others are none', () => {
  const [first, second] = [felt(2n ** 200n), felt(2n ** 201n)];
  const constantsOf = (count: number, padding: number, ...rest: readonly string[]) => {
    // The head is left out with what is behind the table.
    const head = felt(2n ** 202n);
    const program = [...Array(6).fill(head), felt(count), felt(padding), ...rest];
    const { constants } = variablesOf({ abi: readAbi([]), program, sources: [] }, HASHES);
    return constants.includes(head) ? 'all' : constants;
  };
  expect(constantsOf(1, 255, first, second)).toEqual([first]);
  expect(constantsOf(2, 254, first, second)).toEqual([first, second]);
  // Without a table, every felt counts.
  for (const [count, padding] of [
    [3, 253],
    [1, 254],
    [1, 127],
    [0, 256],
  ] as const) {
    expect(constantsOf(count, padding, first, second)).toBe('all');
  }
});

test('names are guessed by the functions of an ABI, with their types, unless the storage is declared', async () => {
  const view = (
    name: string,
    inputs: readonly string[],
    outputs: readonly string[],
    state_mutability = 'view',
  ) => ({
    ...{ type: 'function', name, state_mutability },
    inputs: inputs.map((type, at) => ({ name: `p${at}`, type })),
    outputs: outputs.map((type) => ({ type })),
  });
  const [u256, address] = [
    'core::integer::u256',
    'core::starknet::contract_address::ContractAddress',
  ];
  const abi = [
    view('get_total', [], [u256]),
    view('balance_of', [address], [u256]),
    view('pair', [], [u256, u256]),
    view('change', [], [u256], 'external'),
    view('named', ['core::byte_array::ByteArray'], [u256]),
    { type: 'struct', name: 'a::FeeRate', members: [{ name: 'part', type: 'felt' }] },
  ];
  const names = [
    'total',
    'balances',
    '_balance',
    'pair',
    'change',
    'named',
    'fee_rate',
    'parts',
    'of',
  ];
  const { variables } = variablesOf(
    { abi: readAbi(abi), program: [NOTHING, ...names.map(selectorOf)], sources: [] },
    HASHES,
  );
  expect(Object.fromEntries(variables.map(({ name, type }) => [name, type.kind]))).toEqual({
    ...{ total: 'cells', balances: 'map', _balance: 'map', pair: 'unknown', change: 'unknown' },
    ...{ named: 'unknown', fee_rate: 'unknown', parts: 'unknown', of: 'map' },
  });
  const text = '#[storage] struct Storage { total: u8 }';
  const declared = variablesOf(
    {
      abi: readAbi(abi),
      program: [NOTHING, ...names.map(selectorOf)],
      sources: [{ file: 'a.cairo', text }],
    },
    HASHES,
  );
  expect(declared.variables.map(({ name, origin }) => [name, origin])).toEqual([
    ['total', 'source'],
  ]);
});

test('names are confirmed by the program, and 6,000 are tried', () => {
  const names = Array.from({ length: 6_001 }, (_, at) => `n${at}`);
  const { variables, members, constants, hasConstant } = classOf({ slots: [], names });
  expect(variables).toHaveLength(6_000);
  expect(members.get(selectorOf('n5999'))).toBe('n5999');
  expect(members.has(selectorOf('n6000'))).toBe(false);
  expect(constants).toHaveLength(512);
  expect([hasConstant?.(selectorOf('n6000')), hasConstant?.(NOTHING)]).toEqual([true, false]);
  const [known] = variablesOf(
    { abi: readAbi([]), program: [selectorOf('ERC20_name')], sources: [] },
    HASHES,
  ).variables;
  expect(known).toMatchObject({ name: 'ERC20_name', origin: 'known' });
  const wide = felt(2n ** 128n);
  const program = [wide, felt(2n ** 128n - 1n), felt(PRIME - 1n)];
  expect(variablesOf({ abi: readAbi([]), program, sources: [] }, HASHES).constants).toEqual([
    wide,
    felt(PRIME - 1n),
  ]);
  // A class of Cairo 0 has no program that could confirm one.
  const cairo0 = variablesOf({ abi: readAbi([]), program: undefined, sources: [] }, HASHES);
  expect(cairo0.hasConstant).toBeUndefined();
  expect(cairo0.variables.some(({ name }) => name === 'ERC20_name')).toBe(true);
});
