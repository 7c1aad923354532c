// Events of contracts with a constant ABI: their names and values are typed as the matcher compares them.
import { Contract, hash } from 'starknet';
import { expect, expectTypeOf } from 'vitest';
import { type EventName, type EventValues, fixture } from '../src/index.js';
import { assertEmits } from '../src/matchers/matchers.js';
import { withChain } from '../src/runners/vitest.js';

const EMITTER = new URL('../../../contracts/cairo/emitter.sierra.json', import.meta.url);

const ABI = [
  {
    type: 'function',
    name: 'emit_raw',
    inputs: [
      { name: 'keys', type: 'core::array::Array::<core::felt252>' },
      { name: 'data', type: 'core::array::Array::<core::felt252>' },
    ],
    outputs: [],
    state_mutability: 'external',
  },
  {
    type: 'struct',
    name: 'core::integer::u256',
    members: [
      { name: 'low', type: 'core::integer::u128' },
      { name: 'high', type: 'core::integer::u128' },
    ],
  },
  {
    type: 'enum',
    name: 'core::bool',
    variants: [
      { name: 'False', type: '()' },
      { name: 'True', type: '()' },
    ],
  },
  {
    type: 'enum',
    name: 'core::option::Option::<core::integer::u8>',
    variants: [
      { name: 'Some', type: 'core::integer::u8' },
      { name: 'None', type: '()' },
    ],
  },
  {
    type: 'struct',
    name: 'shop::Price',
    members: [
      { name: 'amount', type: 'core::integer::u256' },
      { name: 'unit', type: 'core::felt252' },
    ],
  },
  {
    type: 'event',
    name: 'shop::Order',
    kind: 'struct',
    members: [
      { name: 'buyer', type: 'core::starknet::contract_address::ContractAddress', kind: 'key' },
      { name: 'price', type: 'shop::Price', kind: 'data' },
      { name: 'paid', type: 'core::bool', kind: 'data' },
      { name: 'discount', type: 'core::option::Option::<core::integer::u8>', kind: 'data' },
      { name: 'items', type: 'core::array::Span::<core::integer::u32>', kind: 'data' },
      { name: 'size', type: '(core::integer::u8, core::integer::i8)', kind: 'data' },
      { name: 'note', type: 'core::byte_array::ByteArray', kind: 'data' },
    ],
  },
  { type: 'event', name: 'shop::Closed', kind: 'struct', members: [] },
  {
    type: 'event',
    name: 'shop::Event',
    kind: 'enum',
    variants: [
      { name: 'Ordered', type: 'shop::Order', kind: 'nested' },
      { name: 'Closed', type: 'shop::Closed', kind: 'nested' },
    ],
  },
] as const;

const test = withChain(
  fixture(
    'emitter of event types',
    async (chain) => ({ emitter: (await chain.deployContract(EMITTER, [])).address }),
    { artifacts: [EMITTER] },
  ),
);

/** An order of 0xb0b for 7 STRK, with a discount of 3, of the items 4 and 5. */
const KEYS = [hash.getSelectorFromName('Ordered'), '0xb0b'];
const MINUS_2 = String(2n ** 251n + 17n * 2n ** 192n - 1n);
const DATA = [7, 0, '0x5354524b', 1, 0, 3, 2, 4, 5, 6, MINUS_2, 0, '0x6869', 2];

test('values are compared in the forms that their types allow', async ({ chain, data }) => {
  const [account] = chain.accounts;
  if (!account) throw new Error('there are accounts');
  const plain = new Contract({ abi: [...ABI], address: data.emitter, providerOrAccount: account });
  const shop = plain.typedv2(ABI);
  const transaction = await plain.invoke('emit_raw', [KEYS, DATA]);
  await expect(transaction).toEmit(shop, 'Ordered', {
    buyer: '0xb0b',
    price: { amount: 7, unit: 'STRK' },
    paid: true,
    discount: { Some: 3n },
    items: [4, '0x5'],
    size: [6, -2],
    note: 'hi',
  });
  await expect(transaction).toEmit(shop, 'Ordered', { buyer: 0xb0b, discount: 'Some', price: {} });
  await assertEmits(transaction, shop, 'Ordered', { price: { unit: '0x5354524b' } });
  await expect(transaction).not.toEmit(shop, 'Ordered', { size: [6, 2] });
  await expect(transaction).not.toEmit(plain, 'Ordered', { size: [6] });
  await expect(transaction).not.toEmit(shop, 'Ordered', { items: [4] });
  await expect(transaction).not.toEmit(shop, 'Ordered', { discount: 'None' });
  await expect(transaction).not.toEmit(shop, 'Closed');
  // Without types, a member that has no value by a mistake equals nothing.
  await expect(transaction).not.toEmit(plain, 'Ordered', { buyer: undefined });

  const unknown = plain.invoke('emit_raw', [['0x1'], []]);
  await expect(assertEmits(unknown, shop, 'Closed')).rejects.toThrow('1 event that its ABI lacks');
});

test('names and values that cannot be are refused by TypeScript', () => {
  const use = (plain: Contract) => {
    const shop = plain.typedv2(ABI);
    const it = expect({});
    return [
      // @ts-expect-error an event is emitted under the name of its variant
      it.toEmit(shop, 'Order'),
      // @ts-expect-error there is no such member
      it.toEmit(shop, 'Ordered', { seller: 1 }),
      // @ts-expect-error members of one event are not those of another
      it.toEmit(shop, 'Closed', { buyer: 1 }),
      // @ts-expect-error an address is no truth value
      it.toEmit(shop, 'Ordered', { buyer: true }),
      // @ts-expect-error a truth value is no number
      it.toEmit(shop, 'Ordered', { paid: 1 }),
      // @ts-expect-error a text is no number
      it.toEmit(shop, 'Ordered', { note: 1 }),
      // @ts-expect-error the text is no integer
      it.toEmit(shop, 'Ordered', { price: { amount: 'seven' } }),
      // @ts-expect-error there is no such member of the struct
      it.toEmit(shop, 'Ordered', { price: { total: 7 } }),
      // @ts-expect-error there is no such variant
      it.toEmit(shop, 'Ordered', { discount: 'Any' }),
      // @ts-expect-error the value of the variant is an integer
      it.toEmit(shop, 'Ordered', { discount: { Some: true } }),
      // @ts-expect-error a variant without a value has none
      it.toEmit(shop, 'Ordered', { discount: { None: 1 } }),
      // @ts-expect-error a list is no single value
      it.toEmit(shop, 'Ordered', { items: 4 }),
      // @ts-expect-error items of the list are integers
      it.toEmit(shop, 'Ordered', { items: [false] }),
      // @ts-expect-error the tuple has two parts
      it.toEmit(shop, 'Ordered', { size: [6] }),
      // @ts-expect-error the assertion has the same types
      assertEmits({}, shop, 'Ordered', { paid: 'yes' }),
      // A contract without a constant ABI may emit anything.
      it.toEmit(plain, 'Anything', { any: 1, other: { of: [true] } }),
      // @ts-expect-error but no value is a function
      it.toEmit(plain, 'Anything', { any: () => 1 }),
    ];
  };
  expectTypeOf(use).toBeFunction();
  expectTypeOf<EventName<typeof ABI>>().toEqualTypeOf<'Ordered' | 'Closed'>();
  type Ordered = EventValues<typeof ABI, 'Ordered'>;
  expectTypeOf<Ordered['paid']>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<Ordered['items']>().toEqualTypeOf<
    readonly (bigint | number | `0x${string}` | `${bigint}`)[] | undefined
  >();
});
