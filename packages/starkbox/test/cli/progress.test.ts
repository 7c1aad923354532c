// Progress line of long tasks on a terminal: drawn and erased; short tasks draw none.
import { expect, test } from 'vitest';
import { progressLine } from '../../src/cli/progress.js';

const MB = 1_000_000;

function terminal() {
  const said: string[] = [];
  return { said, isTTY: true, write: (text: string) => said.push(text) };
}

test('a long task is one line, drawn over and then gone', () => {
  const screen = terminal();
  const tell = progressLine(screen);
  for (let bytes = MB; bytes < 30 * MB; bytes += MB)
    tell?.({ section: 'state', bytes, of: 40 * MB });
  tell?.({ section: 'end', bytes: 40 * MB, of: 40 * MB });
  expect(screen.said).toEqual([
    '\rstate: 9 MB of 40 MB, 22 %\u001b[K',
    '\rstate: 18 MB of 40 MB, 45 %\u001b[K',
    '\rstate: 27 MB of 40 MB, 67 %\u001b[K',
    '\r\u001b[K',
  ]);
});

test('an unknown length is not shown', () => {
  const screen = terminal();
  progressLine(screen)?.({ section: 'blocks', bytes: 9 * MB });
  expect(screen.said).toEqual(['\rblocks: 9 MB\u001b[K']);
});

test('a short task draws nothing, and nothing is drawn without a terminal', () => {
  const screen = terminal();
  const tell = progressLine(screen);
  tell?.({ section: 'state', bytes: MB, of: 2 * MB });
  tell?.({ section: 'end', bytes: 2 * MB, of: 2 * MB });
  expect(screen.said).toEqual([]);
  expect(progressLine({ write: () => {} })).toBeUndefined();
});
