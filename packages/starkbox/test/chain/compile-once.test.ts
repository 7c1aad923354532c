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

test('a compilation whose client left before it began is not made', async () => {
  const leaving = new AbortController();
  const compile = async (name: string, signal?: AbortSignal): Promise<Class> =>
    compileOnce(await text(`${name} ${randomUUID()}`), {}, signal);
  const count = 4 * (2 + availableParallelism());
  const others = Array.from({ length: count }, (_, at) => compile(`other ${at}`));
  const gone = expect(compile('gone', leaving.signal)).rejects.toThrow('client disconnected');
  leaving.abort();
  await Promise.all([...others, gone]);
});
