// Entries of an ABI that declare a struct and an enum.

export const POINT = 'shapes::Point';
export const CHOICE = 'shapes::Choice';

export const SHAPES = [
  {
    type: 'struct',
    name: POINT,
    members: [
      { name: 'x', type: 'core::integer::i16' },
      { name: 'y', type: 'core::integer::u256' },
    ],
  },
  {
    type: 'enum',
    name: CHOICE,
    variants: [
      { name: 'Named', type: 'core::byte_array::ByteArray' },
      { name: 'At', type: POINT },
      { name: 'Nothing', type: '()' },
    ],
  },
];
