// Log lines: their format and level.

import { describe, expect, test } from 'vitest';
import { createLog, type LogOptions, silentLog } from '../../../starkbox/src/log.js';

function record(options: LogOptions, terminal = false) {
  const lines: string[] = [];
  const output = {
    write: (text: string) => lines.push(text),
    isTTY: terminal,
    hasColors: () => terminal,
  };
  return { log: createLog(options, output), lines };
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

describe.each(['pretty', 'json'] as const)('the %s format', (format) => {
  test.each(LEVELS)('at level %s leaves out what is less', (level) => {
    const { log, lines } = record({ level, format });
    for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name](name);
    const expected = ['debug', 'debug', 'info', 'warn', 'error'].slice(LEVELS.indexOf(level));
    expect(lines.map((line) => /\b(debug|info|warn|error)\b/.exec(line)?.[1])).toEqual([
      ...new Set(expected),
    ]);
  });
});

describe('the pretty format', () => {
  test('has the time since the start, the level, the message and the fields', () => {
    const { log, lines } = record({ level: 'info', format: 'pretty' });
    log.info({ method: 'devnet_mint', took: 5n, why: 'a b', none: undefined, list: [1n] }, 'done');
    expect(lines[0]).toMatch(
      /^ *\d+\.\d{3}s INFO {2}done method=devnet_mint took=5 why="a b" list=\["1"\]\n$/,
    );
  });

  test('shows errors with their stacks, under whatever name', () => {
    const { log, lines } = record({ level: 'info', format: 'pretty' });
    log.error({ err: new Error('first') }, 'one');
    log.error({ error: new Error('second') });
    log.error(new Error('third'), 'three');
    expect(lines).toEqual([
      expect.stringMatching(/ one\n {4}Error: first\n {8}at /),
      expect.stringMatching(/\n {4}Error: second\n {8}at /),
      expect.stringMatching(/ three\n {4}Error: third\n {8}at /),
    ]);
  });

  test('does not break on what cannot be written', () => {
    const { log, lines } = record({ level: 'info', format: 'pretty' });
    const loop: { self?: unknown } = {};
    loop.self = loop;
    log.info({ loop, text: 'two\nlines' }, 'odd');
    expect(lines[0]?.split('\n')).toHaveLength(2);
  });

  test('has colours on a terminal only', () => {
    for (const terminal of [true, false]) {
      const { log, lines } = record({ level: 'info', format: 'pretty' }, terminal);
      log.warn('careful');
      expect(lines[0]?.includes('\u001b[')).toBe(terminal);
    }
  });
});

describe('the json format', () => {
  test('has one object a line, with the time of day', () => {
    const { log, lines } = record({ level: 'info', format: 'json' }, true);
    log.warn({ method: 'devnet_mint', error: new Error('oh') }, 'failed');
    log.info('plain');
    const [first, second] = lines.map((line): unknown => JSON.parse(line));
    expect(first).toMatchObject({
      level: 'warn',
      msg: 'failed',
      method: 'devnet_mint',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      error: { message: 'oh', stack: expect.stringContaining('log.test') },
    });
    expect(second).toMatchObject({ level: 'info', msg: 'plain' });
  });
});

test('silence is silent', () => {
  expect(record({ level: 'silent', format: 'json' }).log).toBe(silentLog);
  silentLog.error('nothing');
});
