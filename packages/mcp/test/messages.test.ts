// Lines of stdin: whole messages, and the ids of those that are too long.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { MAX_MESSAGE_LENGTH, Messages } from '../src/messages.js';

/** What passes, and the ids of what does not. */
async function read(chunks: readonly (string | Buffer)[]) {
  const ids: (string | number | undefined)[] = [];
  const passed: string[] = [];
  const messages = new Messages((id) => void ids.push(id));
  messages.on('data', (line: Buffer) => void passed.push(line.toString()));
  const ended = once(messages, 'end');
  for (const chunk of chunks) messages.write(chunk);
  messages.end();
  await ended;
  return { ids, passed };
}

const LONG = 'x'.repeat(MAX_MESSAGE_LENGTH);

test('lines pass one by one, however they are cut', async () => {
  const { passed, ids } = await read(['{"a"', ':1}\n{"b":2}\n\n{"c', '":3}\n{"unfinished']);
  expect(passed).toEqual(['{"a":1}\n', '{"b":2}\n', '\n', '{"c":3}\n']);
  expect(ids).toEqual([]);
});

test.each([
  [`{"jsonrpc":"2.0","id":7,"method":"${LONG}"}`, 7],
  [`{ "id" : "seven", "method": "${LONG}" }`, 'seven'],
  [`{"method":"${LONG}","jsonrpc":"2.0","id":7}`, 7],
  [`{"method":"${LONG}","id":7,"jsonrpc":"2.0"}\r`, 7],
  [`{"method":"${LONG}","params":{"jsonrpc":"2.0","id":7}}`, undefined],
  [`{"jsonrpc":"2.0","method":"${LONG}"}`, undefined],
])('a message that is too long is dropped, and its id is found', async (line, id) => {
  const bytes = Buffer.from(`{"before":1}\n${line}\n{"after":1}\n`);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
    bytes.subarray(at * 65_536, (at + 1) * 65_536),
  );
  expect(await read(chunks)).toEqual({ passed: ['{"before":1}\n', '{"after":1}\n'], ids: [id] });
});

test('the longest message passes', async () => {
  const line = `${'x'.repeat(MAX_MESSAGE_LENGTH - 1)}\n`;
  const { passed, ids } = await read([line]);
  expect([passed.length, passed[0]?.length, ids]).toEqual([1, MAX_MESSAGE_LENGTH, []]);
});
