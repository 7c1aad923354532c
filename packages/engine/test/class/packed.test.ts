// Packed classes that are broken.

import { deflateRawSync } from 'node:zlib';
import { builtinClass, Class } from '@starkbox/engine';
import { expect, test } from 'vitest';
import { refusal } from '../fixtures/sierra.js';

let repackedCount = 0;

/** A packed class with changes of its header and code, and a hash of its own, so that it is not one that is known. */
async function repacked(changes: object, casm?: object): Promise<Buffer> {
  const packed = Buffer.from(await (await builtinClass('udc')).pack());
  const end = 4 + packed.readUInt32LE(0);
  const header = JSON.parse(packed.subarray(4, end).toString());
  repackedCount += 1;
  const text = Buffer.from(
    JSON.stringify({ ...header, hash: `0x123${repackedCount}`, ...changes }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const wire = packed.subarray(end, end + header.wire_bytes);
  const code =
    casm === undefined
      ? packed.subarray(end + header.wire_bytes)
      : deflateRawSync(JSON.stringify(casm));
  return Buffer.concat([length, text, wire, code]);
}

test('a changed header is read', async () => {
  expect(Class.unpack(await repacked({ bytecode_felts: 5 })).figures.bytecodeFelts).toBe(5);
});

test('a changed header is that of its class alone', async () => {
  const { hash, figures } = await builtinClass('udc');
  const changed = Class.unpack(await repacked({ hash, bytecode_felts: 5 }));
  expect(changed.figures.bytecodeFelts).toBe(5);
  const unchanged = Class.unpack(await repacked({ hash }));
  expect(unchanged.figures).toEqual(figures);
});

test.each(['sierra_felts', 'bytecode_felts', 'abi_bytes'])(
  'a size that no class has is refused: %s',
  async (name) => {
    const bytes = await repacked({ [name]: 2 ** 32 });
    expect(() => Class.unpack(bytes)).toThrow(expect.objectContaining({ kind: 'class' }));
  },
);

test('code that cannot be hashed is blamed, not the engine', async () => {
  const casm = JSON.parse(await (await builtinClass('udc')).casm());
  const broken = Class.unpack(await repacked({}, { ...casm, bytecode_segment_lengths: [1] }));
  expect((await refusal(broken.compiledClassHashPoseidon())).kind).toBe('class');
  expect((await refusal(broken.warm())).kind).toBe('class');
});
