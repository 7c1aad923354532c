// Types of storage from declarations of Cairo sources, also of sources that refer to themselves.
import { describe, expect, test } from 'vitest';
import { readDeclarations } from '../src/storage/cairo-source.js';
import { TypeReader } from '../src/storage/storage-type.js';

const readerOf = (text: string): TypeReader =>
  new TypeReader(readDeclarations([{ file: 'src/lib.cairo', text }]));

describe('a source that refers to itself ends as a type that is not known', () => {
  test.each([
    ['struct', 'struct A { a: A, b: felt252 }'],
    ['enum', 'enum A { Leaf, Node: A }'],
    ['alias', 'type A = A;'],
    ['node of storage', '#[starknet::storage_node] struct A { a: A }'],
    ['packing', 'impl P of StorePacking<A, A> { fn pack(value: A) -> A { value } }'],
  ])('%s', (_, text) => {
    const reader = readerOf(text);
    const type = JSON.stringify(reader.read('A'));
    expect(type).toContain('unknown');
    expect(reader.keyUnits('A')).toBeUndefined();
  });
});
