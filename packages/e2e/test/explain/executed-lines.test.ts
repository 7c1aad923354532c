// Stacks of the calls around a failure, and the lines that a transaction ran.
import { readFile } from 'node:fs/promises';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import { contract, deployment } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../../contracts/classes.js';

const FILE = 'contracts/src/failing/failing_callee.cairo';
const source = await readFile(new URL(`../../../../${FILE}`, import.meta.url), 'utf8');

const { client, sender } = await startFixture();
const outer = await sender.deploy(await contract('failing_callee'), ['0x0']);
const second = deployment((await contract('failing_callee')).hash, ['0x0'], { salt: '0x2' });
await sender.invoke([second.call]);
const inner = second.address;
const artifact = JSON.parse(await classTextWithPlaces('failing_callee'));

const passOn = (value: string) =>
  sender.invoke([{ to: outer, name: 'pass_on', calldata: ['0x1', inner, value] }]);
const lineOf = (name: string): number => marks().get(name)?.line ?? 0;

test('without debug information there are neither lines nor places', async () => {
  const hash = await passOn('0x5');
  expect(await client.call('devnet_executedLines', { transaction_hash: hash })).toEqual({
    files: [],
  });
  const { frames } = await client.call('devnet_explainTransaction', { transaction_hash: hash });
  expect(frames.flatMap(({ stack = [] }) => stack).filter(({ file }) => file)).toEqual([]);
});

test('each call around the failing one has the line of its call, and lines that ran are counted', async () => {
  await client.call('devnet_addArtifact', { artifact, sources: { [FILE]: source } });
  const failed = await passOn('0x5');
  const { frames, stack } = await client.call('devnet_explainTransaction', {
    transaction_hash: failed,
  });
  expect(stack[0]).toMatchObject({ file: FILE, line: lineOf('pass_on') });
  const around = frames.find(({ contract: at }) => at === outer);
  expect(around?.stack?.[0]).toMatchObject({ file: FILE, line: lineOf('pass_on_call') });
  expect(around?.stack?.[0]?.excerpt?.lines).toHaveLength(13);
  expect(frames.at(-1)).not.toHaveProperty('stack');

  const timesOf = async (hash: string) => {
    const { files } = await client.call('devnet_executedLines', { transaction_hash: hash });
    expect(files.map(({ file }) => file)).toEqual([FILE]);
    expect(files[0]?.text).toBe(source);
    return new Map(files[0]?.lines.map(([line = 0, times = 0]) => [line, times]));
  };
  const ofFailed = await timesOf(failed);
  expect(ofFailed.get(lineOf('pass_on_call'))).toBe(1);
  // Both calls come to the condition.
  expect(ofFailed.get(lineOf('pass_on_call') - 2)).toBe(2);
  // It has code that this transaction did not come to.
  expect(ofFailed.get(lineOf('callee_subtract'))).toBe(0);
  expect((await timesOf(await passOn('0x0'))).get(lineOf('pass_on_call'))).toBe(1);
});

test('a transaction that is not there is an error', async () => {
  const { code } = await client.failure('devnet_executedLines', { transaction_hash: '0x123' });
  expect(code).toBe(ERRORS.TXN_HASH_NOT_FOUND.code);
});
