// Progress line of long work on a terminal: drawn, cleared before other output, and absent elsewhere.
import { expect, test } from 'vitest';
import { ProgressLine } from '../../src/cli/progress.js';
import { imageProgress } from '../../src/dump/dump.js';

function terminal() {
  const said: string[] = [];
  return { said, isTTY: true, columns: 80, write: (text: string) => said.push(text) };
}

const MB = 1_000_000;

test('long work is one line, drawn over and then cleared', async () => {
  const screen = terminal();
  const line = new ProgressLine(screen);
  const end = line.begin('loading a dump');
  line.detail('state, 9 MB of 40 MB, 22 %');
  await expect.poll(() => screen.said.length, { timeout: 20_000 }).toBeGreaterThan(1);
  for (const drawn of screen.said) {
    expect(drawn).toMatch(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      /^\rloading a dump: state, 9 MB of 40 MB, 22 % · \d+ s\u001b\[K$/,
    );
  }
  end();
  expect(screen.said.at(-1)).toBe('\r\u001b[K');
});

test('other output clears the line first, and keeps what a terminal is', async () => {
  const screen = terminal();
  const line = new ProgressLine(screen);
  const beside = line.beside(screen);
  expect(beside).toMatchObject({ isTTY: true, columns: 80 });
  beside.write('before\n');
  const end = line.begin('compiling a class');
  await expect.poll(() => screen.said.length, { timeout: 20_000 }).toBeGreaterThan(1);
  const drawn = screen.said.length;
  beside.write('a line\n');
  expect(screen.said.slice(drawn)).toEqual(['\r\u001b[K', 'a line\n']);
  end();
  expect(screen.said.slice(drawn)).toEqual(['\r\u001b[K', 'a line\n']);
});

test('short work draws nothing', () => {
  const screen = terminal();
  const line = new ProgressLine(screen);
  const [endFirst, endSecond] = [line.begin('first'), line.begin('second')];
  endSecond();
  endFirst();
  expect(screen.said).toEqual([]);
});

test('there is none without a terminal, nor in a CI service', () => {
  expect(ProgressLine.on({ write: () => {} }, {})).toBeUndefined();
  expect(ProgressLine.on(terminal(), { CI: 'true' })).toBeUndefined();
  expect(ProgressLine.on(terminal(), { CI: 'false' })).toBeInstanceOf(ProgressLine);
});

test('an image tells its section and its size, if that is known', () => {
  expect(imageProgress({ section: 'blocks', bytes: 9 * MB })).toBe('blocks, 9 MB');
  expect(imageProgress({ section: 'state', bytes: 9 * MB, of: 40 * MB })).toBe(
    'state, 9 MB of 40 MB, 22 %',
  );
});
