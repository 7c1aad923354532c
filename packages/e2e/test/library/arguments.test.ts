// Arguments of the library that types would refuse: each is rejected with a sentence.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, UsageError } from 'starkbox';
import { describe, expect, test } from 'vitest';

/** The reason for which a call is rejected, with arguments as a caller in JavaScript may pass them. */
async function rejection(called: object, name: string, ...texts: string[]): Promise<string> {
  const method: unknown = Reflect.get(called, name);
  if (typeof method !== 'function') throw new TypeError(`${name} is no function`);
  const args = texts.map((text): unknown => JSON.parse(text));
  const promise: Promise<unknown> = Reflect.apply(method, called, args);
  const error: unknown = await promise.then(
    () => 'nothing was rejected',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error instanceof Error ? error.message : '';
}

describe('createChain', () => {
  test.each([
    ['5', 'got 5'],
    ['[]', 'got a list'],
    ['null', 'got null'],
    ['"seed"', 'got seed'],
    ['{ "sed": 1 }', "did you mean 'seed'?"],
  ])('rejects %s', async (input, words) => {
    expect(await rejection({ createChain }, 'createChain', input)).toContain(words);
  });

  test.each([
    ['null', 'got null'],
    ['{ "lg": null }', 'it takes log, output, progress'],
  ])('rejects %s as its second argument', async (options, words) => {
    expect(await rejection({ createChain }, 'createChain', '{}', options)).toContain(words);
  });
});

test.each([
  ['{ "prt": 5 }', "did you mean 'port'?"],
  ['{ "seed": 5 }', 'it takes port, host'],
  ['{ "port": 70000 }', 'from 0 to 65535'],
  ['{ "host": "a b" }', "for 'host'"],
  ['5050', 'got 5050'],
  ['null', 'got null'],
])('listen rejects %s, and can be called again', async (options, words) => {
  const node = await createChain({ accounts: 1 });
  closeAfterTest(() => node.close());
  expect(await rejection(node, 'listen', options)).toContain(words);
  expect((await node.listen({ port: 0 })).port).toBeGreaterThan(0);
});

test('declare rejects a FIFO', async () => {
  const node = await createChain({ accounts: 1 });
  closeAfterTest(() => node.close());
  const path = join(temporaryFolder(), 'x.sierra.json');
  execFileSync('mkfifo', [path]);
  const writer = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  closeAfterTest(() => closeSync(writer));
  await expect(node.declare(path)).rejects.toThrow(/x\.sierra\.json is a FIFO, not a regular file/);
});
