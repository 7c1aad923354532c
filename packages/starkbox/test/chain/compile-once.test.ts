// A class whose text was compiled lately is taken from memory, and any other text is compiled.
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Class, configure } from '@starkbox/engine';
import { beforeAll, expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';
import { compileOnce } from '../../src/chain/execution/prepare-transaction.js';

/** The class with a name of its own in its ABI, so that no other test has compiled it. */
async function text(name: string): Promise<string> {
  const written: object = JSON.parse(await classText('counter'));
  return JSON.stringify({ ...written, abi: [{ type: 'struct', name, members: [] }] });
}

// Its names are new in every run.
beforeAll(() => configure({ cacheDir: null }));

test('the same text is compiled once', async () => {
  const first = await compileOnce(await text('once'), {});
  expect(await compileOnce(await text('once'), {})).toBe(first);
  expect(await Class.compile(await text('once'))).not.toBe(first);
  expect(first.hash).toBe(await Class.hashOf(await text('once')));
});

test('another text is another class', async () => {
  const [first, second] = [await text('one'), await text('other')];
  expect((await compileOnce(first, {})).hash).toBe(await Class.hashOf(first));
  expect((await compileOnce(second, {})).hash).toBe(await Class.hashOf(second));
});

test('limits hold for a text that was compiled under others', async () => {
  const classText = await text('limited');
  await compileOnce(classText, {});
  const refused = () => compileOnce(classText, { bytecodeFelts: 1 });
  await expect(refused()).rejects.toMatchObject({ kind: 'class_too_large' });
  await expect(refused()).rejects.toMatchObject({ kind: 'class_too_large' });
});

test('clients take turns, and one that left is not served', async () => {
  const order: string[] = [];
  const leaving = new AbortController();
  const compile = async (name: string, client: string, signal?: AbortSignal): Promise<void> => {
    await compileOnce(await text(`${name} ${randomUUID()}`), {}, { client, signal });
    order.push(name);
  };
  const count = 4 * (2 + availableParallelism());
  const texts = Array.from({ length: count }, (_, at) => compile(`first ${at}`, 'first'));
  const gone = expect(compile('gone', 'first', leaving.signal)).rejects.toThrow(
    'client disconnected',
  );
  const other = compile('second', 'second');
  leaving.abort();
  await Promise.all([...texts, gone, other]);
  expect(order).toHaveLength(count + 1);
  expect(order.indexOf('second')).toBeLessThan(count - 1);
});
