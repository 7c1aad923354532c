// Short images that unpack to far more than their size: rejected before they fill the memory.
import { deflateRawSync } from 'node:zlib';
import { imageOf } from '@starkbox/test-support/fixture';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordOf } from '../../../src/chain/history/packed-block.js';
import { TextChunk } from '../../../src/chain/history/packed-texts.js';
import { createChain, type LocalChain } from '../../../src/index.js';
import { MAX_VALUES, objectText } from '../../../src/json/reader.js';
import { runElsewhere } from '../../support/own-process.js';
import { ask } from './read-everything.js';
import { changed, type Json, joined, type Parts, partsOf, textsIn, withTexts } from './sections.js';
import { forged, type Section } from './small.js';

const MEGABYTE = 1 << 20;
let node: LocalChain;
let parts: Parts;

beforeAll(async () => {
  node = await createChain({ seed: 0, accounts: 1, dumpOn: 'request' });
  await node.mint('0x1', 1n);
  parts = await partsOf(Buffer.from(await imageOf(node), 'base64'));
}, 60_000);
afterAll(() => node.close());

/** The reason why an image is rejected. */
async function refusal(image: Buffer): Promise<string> {
  const { error } = await ask(node, 'devnet_load', { image: image.toString('base64') });
  const { code, message }: Json = Object(error);
  expect(code).toBe(-5);
  return String(message);
}

/** The block with a transaction. */
const BLOCK = 1;

/** A chunk of packed texts with any content. */
function chunk(content: Buffer, size: number): TextChunk {
  const packed = deflateRawSync(content, { windowBits: 14 });
  return new TextChunk(Buffer.concat([Buffer.of(1), packed]).toString('latin1'), size);
}

function imageWith(texts: readonly TextChunk[]): Promise<Buffer> {
  const block = parts.blocks[BLOCK];
  if (!block) throw new Error('there is no such block');
  return changed(parts, { blocks: parts.blocks.with(BLOCK, { ...block, texts }) });
}

/** An image with other, packed content in one of its sections. */
async function packed(name: string, content: Buffer): Promise<Buffer> {
  const { header, moment, blocks, others } = parts;
  const sections: Section[] = [
    ['moment', Buffer.from(JSON.stringify(moment))],
    ['blocks', await joined(blocks.map(recordOf))],
    ['state', others.get('state') ?? Buffer.of(), 'fast'],
    ['journal', Buffer.of()],
  ];
  return forged(
    header,
    sections.map((section) => (section[0] === name ? [name, content, 'small'] : section)),
  );
}

describe('texts of transactions', () => {
  test('that unpack to separators', async () => {
    const image = await imageWith([chunk(Buffer.alloc(120 * MEGABYTE), 4)]);
    expect(image.length).toBeLessThan(MEGABYTE);
    expect(await refusal(image)).toMatch(/in the section "blocks" .*block 1: .*more than 4 parts/);
  });

  test('in a process with little memory', async () => {
    const script = `
      const { deflateRawSync } = await import('node:zlib');
      const { TextChunk } = await import(process.argv[1]);
      const packed = deflateRawSync(Buffer.alloc(${120 * MEGABYTE}), { windowBits: 14 });
      const chunk = new TextChunk(Buffer.concat([Buffer.of(1), packed]).toString('latin1'), 4);
      try { chunk.part(0); } catch (error) { process.stdout.write(error.message); }`;
    const file = 'src/chain/history/packed-texts.ts';
    const said = await runElsewhere(file, script, { flags: ['--max-old-space-size=64'] });
    expect(said).toMatch(/more than 4 parts/);
  });

  test('that are said to be more than there are transactions', async () => {
    const block = parts.blocks[BLOCK];
    if (!block) throw new Error('there is no such block');
    const texts = textsIn(block);
    for (const size of [8, 4e9, 2 ** 50]) {
      const { texts: claimed } = withTexts(block, texts, size);
      expect(await refusal(await imageWith(claimed))).toMatch(
        /block 1: data of its transactions is missing/,
      );
    }
  });

  test('that hold more values than any transaction', () => {
    const long = `{"type":[${'[],'.repeat(MAX_VALUES + 1)}[]]}`;
    expect(() => objectText(long, 'trace')).toThrow(`trace: expected at most ${MAX_VALUES} values`);
  });

  test('that are nested too deep for recursive readers', async () => {
    const block = parts.blocks[BLOCK];
    if (!block) throw new Error('there is no such block');
    const texts = textsIn(block);
    const trace: Json = Object(JSON.parse(texts[3] ?? ''));
    const call = JSON.stringify({ ...Object(trace['fee_transfer_invocation']), calls: [] });
    const [head = '', tail = ''] = call.split('"calls":[]');
    const deep = `${head}"calls":[`.repeat(300) + call + `]${tail}`.repeat(300);
    const deepTexts = texts.with(
      3,
      JSON.stringify({ ...trace, execute_invocation: 7 }).replace(':7,', `:${deep},`),
    );
    expect(await refusal(await imageWith(withTexts(block, deepTexts).texts))).toMatch(
      /block 1: transaction 0, trace.*at most 200 nested calls/,
    );
  });
});

describe('sections', () => {
  test('of blocks that are packed', async () => {
    expect(await refusal(await packed('blocks', Buffer.alloc(4 * MEGABYTE)))).toMatch(
      /in the section "blocks" .*must not be packed/,
    );
  });

  test('of empty calls', async () => {
    const image = await packed('journal', Buffer.alloc(15 * MEGABYTE));
    expect(await refusal(image)).toMatch(/in the section "journal" .*a record is too short/);
  });

  test.each([
    ['moment', 40, 'More than 8000000 JSON values'],
    ['state', 40, 'not a state image'],
    ['journal', 80, 'it unpacks to an implausible size'],
  ] as const)('of another kind: %s', async (name, megabytes, reason) => {
    const image = await packed(name, Buffer.alloc(megabytes * MEGABYTE, '[]'));
    expect(image.length).toBeLessThan(MEGABYTE);
    expect(await refusal(image)).toMatch(new RegExp(`in the section "${name}" .*${reason}`));
  });
});
