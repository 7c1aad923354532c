// Hashes of typed data in both revisions, compared with starknet.js.
import { InvalidTypedData, messageHash, readTypedData } from '@starkbox/signing';
import fc from 'fast-check';
import { typedData } from 'starknet';
import { describe, expect, test } from 'vitest';

const ACCOUNT = '0x64b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691';

type Types = Record<string, { name: string; type: string; contains?: string }[]>;

const LEGACY_DOMAIN = {
  types: {
    StarkNetDomain: [
      { name: 'name', type: 'felt' },
      { name: 'version', type: 'felt' },
      { name: 'chainId', type: 'felt' },
    ],
  },
  domain: { name: 'A dapp', version: '1', chainId: '0x534e5f5345504f4c4941' },
};
const ACTIVE_DOMAIN = {
  types: {
    StarknetDomain: [
      { name: 'name', type: 'shortstring' },
      { name: 'version', type: 'shortstring' },
      { name: 'chainId', type: 'shortstring' },
      { name: 'revision', type: 'shortstring' },
    ],
  },
  domain: { name: 'A dapp', version: '2', chainId: 'SN_SEPOLIA', revision: '1' },
};

function dataOf(
  revision: 0 | 1,
  types: Types,
  message: object,
  primaryType: string = Object.keys(types)[0] ?? '',
) {
  const { types: domainTypes, domain } = revision === 0 ? LEGACY_DOMAIN : ACTIVE_DOMAIN;
  return { types: { ...domainTypes, ...types }, primaryType, domain, message };
}

const ours = (data: unknown): string => messageHash(readTypedData(data), ACCOUNT);

function agree(data: ReturnType<typeof dataOf>): void {
  expect(ours(data)).toBe(typedData.getMessageHash(data, ACCOUNT));
}

const singleMember = (type: string, contains?: string): Types => ({
  Message: [{ name: 'of', type, ...(contains === undefined ? {} : { contains }) }],
});

describe('revision 0', () => {
  test.each<[string, unknown]>([
    ['felt', 5],
    ['felt', '123'],
    ['felt', '0xabc'],
    ['felt', 'a short string'],
    ['felt', ''],
    ['felt', '0X1f'],
    ['string', 'text'],
    ['bool', true],
    ['selector', 'transfer'],
    ['selector', '0x123'],
    ['felt*', []],
    ['felt*', ['1', 'two', 3]],
    ['unheard-of', '7'],
  ])('%s %j', (type, of) => {
    agree(dataOf(0, singleMember(type), { of }));
  });

  test('structs in structs and lists, in the order of their names', () => {
    agree(
      dataOf(
        0,
        {
          Mail: [
            { name: 'from', type: 'Person' },
            { name: 'posts', type: 'Post*' },
            { name: 'a', type: 'Zebra' },
          ],
          Zebra: [{ name: 'x', type: 'felt' }],
          Post: [{ name: 'by', type: 'Person' }],
          Person: [
            { name: 'name', type: 'felt' },
            { name: 'wallet', type: 'felt' },
          ],
        },
        {
          from: { name: 'Cow', wallet: '0x1' },
          posts: [{ by: { name: 'Bob', wallet: '0x2' } }, { by: { name: 'Eve', wallet: '0x3' } }],
          a: { x: 1 },
        },
      ),
    );
  });

  test.each([1, 2, 3, 5, 8])('a Merkle tree of %i leaves', (length) => {
    const of = Array.from({ length }, (_, at) => ({ contract: `0x${at + 7}`, name: 'transfer' }));
    const types = {
      ...singleMember('merkletree', 'Policy'),
      Policy: [
        { name: 'contract', type: 'felt' },
        { name: 'name', type: 'selector' },
      ],
    };
    agree(dataOf(0, types, { of }));
  });
});

describe('revision 1', () => {
  test.each<[string, unknown]>([
    ['felt', '0xabc'],
    ['shortstring', 'a short string'],
    ['string', ''],
    ['string', 'a text'],
    ['string', 'x'.repeat(31)],
    ['string', 'a longer text that takes more than one word of thirty-one bytes'],
    ['u128', '340282366920938463463374607431768211455'],
    ['i128', '-170141183460469231731687303715884105728'],
    ['i128', -1],
    ['i128', 7],
    ['timestamp', 1_700_000_000],
    ['bool', true],
    ['bool', false],
    ['selector', 'transfer'],
    ['ContractAddress', ACCOUNT],
    ['ClassHash', '0x5'],
    ['u256', { low: 1, high: '2' }],
    ['TokenAmount', { token_address: '0x49d3', amount: { low: '0x10', high: '0x0' } }],
    ['NftId', { collection_address: '0x49d3', token_id: { low: '9', high: '0' } }],
    ['u128*', [1, 2, 3]],
    ['string*', ['a', 'b']],
    ['u256*', [{ low: 1, high: 0 }]],
    ['felt**', [['1'], []]],
  ])('%s %j', (type, of) => {
    agree(dataOf(1, singleMember(type), { of }));
  });

  test.each<[unknown]>([
    [{ None: [] }],
    [{ Some: ['4'] }],
    [{ Two: [{ low: 1, high: 2 }, ['a', 'b']] }],
    [{ Named: [{ x: '5' }] }],
  ])('an enum %j', (of) => {
    const types = {
      ...singleMember('enum', 'Choice'),
      Choice: [
        { name: 'None', type: '()' },
        { name: 'Some', type: '(u128)' },
        { name: 'Two', type: '(u256,string*)' },
        { name: 'Named', type: '(Other)' },
      ],
      Other: [{ name: 'x', type: 'felt' }],
    };
    agree(dataOf(1, types, { of }));
  });

  test.each([1, 4, 7])('a Merkle tree of %i leaves', (length) => {
    const of = Array.from({ length }, (_, at) => `0x${at + 1}`);
    agree(dataOf(1, singleMember('merkletree', 'felt'), { of }));
  });

  test('an outside execution', () => {
    const types = {
      OutsideExecution: [
        { name: 'Caller', type: 'ContractAddress' },
        { name: 'Nonce', type: 'felt' },
        { name: 'Execute After', type: 'u128' },
        { name: 'Execute Before', type: 'u128' },
        { name: 'Calls', type: 'Call*' },
      ],
      Call: [
        { name: 'To', type: 'ContractAddress' },
        { name: 'Selector', type: 'selector' },
        { name: 'Calldata', type: 'felt*' },
      ],
    };
    const call = { To: '0x49d3', Selector: 'transfer', Calldata: ['0x1', '0x2', '0x0'] };
    agree(
      dataOf(1, types, {
        Caller: '0x414e595f43414c4c4552',
        Nonce: '0x12',
        'Execute After': '0',
        'Execute Before': '99999999999',
        Calls: [call, call],
      }),
    );
  });
});

/** A type with the types that it needs, and a value. */
interface GeneratedData {
  readonly type: string;
  readonly contains?: string;
  readonly value: unknown;
  readonly types: Types;
}

const felt = fc.bigInt({ min: 0n, max: 2n ** 250n }).map((value) => `0x${value.toString(16)}`);
const SCALARS: Record<0 | 1, readonly (readonly [string, fc.Arbitrary<unknown>])[]> = {
  0: [
    ['felt', fc.oneof(felt, fc.stringMatching(/^[a-z_]{1,31}$/), fc.nat())],
    ['selector', fc.stringMatching(/^[a-z_]{1,20}$/)],
  ],
  1: [
    ['felt', felt],
    ['shortstring', fc.stringMatching(/^[a-zA-Z ]{1,31}$/)],
    ['string', fc.stringMatching(/^[a-zA-Z ,.]{0,70}$/)],
    ['u128', fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(String)],
    ['i128', fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }).map(String)],
    ['bool', fc.boolean()],
    ['selector', fc.stringMatching(/^[a-z_]{1,20}$/)],
    ['u256', fc.record({ low: fc.nat(), high: fc.nat() })],
  ],
};

function made(revision: 0 | 1, depth: number): fc.Arbitrary<GeneratedData> {
  const scalar = fc.oneof(
    ...SCALARS[revision].map(([type, values]) =>
      values.map((value): GeneratedData => ({ type, value, types: {} })),
    ),
  );
  if (depth === 0) return scalar;
  const inner = made(revision, depth - 1);
  const list = inner
    .filter(({ type }) => type !== 'merkletree' && type !== 'enum')
    .map(
      ({ type, value, types }): GeneratedData => ({
        type: `${type}*`,
        value: [value, value],
        types,
      }),
    );
  const tree = inner
    .filter(({ type }) => !type.endsWith('*') && type !== 'merkletree' && type !== 'enum')
    .map(
      ({ type, value, types }): GeneratedData => ({
        type: 'merkletree',
        contains: type,
        value: [value, value, value],
        types,
      }),
    );
  const struct = fc
    .tuple(fc.stringMatching(/^[A-Z][a-z]{6}$/), fc.array(inner, { minLength: 1, maxLength: 3 }))
    .map(([stem, members]): GeneratedData => {
      const name = `${stem}${depth}`;
      const variants = members.map(({ type, contains }, at) => ({
        name: `m${at}`,
        type,
        ...(contains === undefined ? {} : { contains }),
      }));
      return {
        type: name,
        value: Object.fromEntries(members.map(({ value }, at) => [`m${at}`, value])),
        types: Object.assign({}, ...members.map(({ types }) => types), { [name]: variants }),
      };
    });
  return fc.oneof(scalar, list, tree, struct);
}

// A Pedersen hash takes thirty times as long as a Poseidon hash.
test.each([
  [0, 10],
  [1, 80],
] as const)('random messages of revision %i', (revision, numRuns) => {
  fc.assert(
    fc.property(made(revision, 2), ({ type, contains, value, types }) => {
      const main = { name: 'of', type, ...(contains === undefined ? {} : { contains }) };
      const data = dataOf(revision, { ...types, Main: [main] }, { of: value }, 'Main');
      agree(data);
    }),
    { numRuns },
  );
});

test('a type that contains itself in lists', () => {
  const types = {
    Node: [
      { name: 'value', type: 'felt' },
      { name: 'children', type: 'Node*' },
    ],
  };
  const message = { value: 1, children: [{ value: 2, children: [] }] };
  expect(ours(dataOf(1, types, message))).toMatch(/^0x[0-9a-f]+$/);
});

test.each<[string, unknown]>([
  ['no object', 5],
  ['no types', { primaryType: 'M', domain: {}, message: {} }],
  ['no domain type', { types: {}, primaryType: 'M', domain: {}, message: {} }],
  [
    'an unknown revision',
    { ...dataOf(1, singleMember('felt'), { of: 1 }), domain: { revision: '2' } },
  ],
  ['a missing value', dataOf(1, singleMember('felt'), {})],
  ['an unknown type', dataOf(1, singleMember('u512'), { of: 1 })],
  ['a number that is too large', dataOf(1, singleMember('u128'), { of: String(2n ** 128n) })],
  ['a negative felt', dataOf(0, singleMember('felt'), { of: '-1' })],
  ['a fraction', dataOf(0, singleMember('felt'), { of: 1.5 })],
  ['a long short string', dataOf(0, singleMember('felt'), { of: 'x'.repeat(32) })],
  ['a list that is none', dataOf(1, singleMember('felt*'), { of: 'x' })],
  ['a predefined type', dataOf(1, { ...singleMember('felt'), u256: [] }, { of: 1 })],
  ['a variant that is none', dataOf(1, { ...singleMember('enum', 'E'), E: [] }, { of: { A: [] } })],
  ['an empty Merkle tree', dataOf(1, singleMember('merkletree', 'felt'), { of: [] })],
])('%s is refused', (_what, data) => {
  expect(() => ours(data)).toThrow(InvalidTypedData);
});
