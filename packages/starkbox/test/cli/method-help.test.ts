// Help on methods: an example of each that a node accepts.
import { ERRORS } from '@starkbox/spec';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../../src/cli/commands/command.js';
import { METHOD_NAMES, methodOf } from '../../src/cli/commands/method-documents.js';
import { exampleOf } from '../../src/cli/commands/method-help.js';
import { createChain } from '../../src/node/node.js';

const chain = await createChain({ accounts: 0, port: 0 });
const { url } = await chain.listen();
afterAll(() => chain.close());

test.each(METHOD_NAMES)('the example of %s has parameters that a node accepts', async (name) => {
  const method = methodOf(name);
  if (method === undefined) throw new Error(`${name} is in no document`);
  const help = await runCommand(['rpc', name, '--help']);
  const [command = '', ...params] = exampleOf(method);
  expect(help).toContain(command);
  for (const word of params) expect(help).toContain(word);
  const text = help
    .split('\n')
    .filter((line) => !line.includes('='))
    .join('\n');
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  const words = params.map((word) => word.replaceAll("'", ''));
  const refusal = await runCommand(['rpc', name, ...words, '--url', url]).then(
    () => '',
    (error: unknown) => String(error),
  );
  expect(refusal).not.toContain(String(ERRORS.INVALID_PARAMS.code));
  expect(refusal).not.toContain('UsageError');
});
