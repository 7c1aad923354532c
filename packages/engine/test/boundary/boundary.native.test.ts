// The addon under wrong calls: every export with wrong values, from several threads, and callbacks that misbehave.

import { expect, test } from 'vitest';
import { ADDON, COMPILER } from '../../js/addon.js';
import { runProgram } from './program.js';

test('every export refuses wrong values, from four threads at once', {
  timeout: 180_000,
}, async () => {
  const report = Object(await runProgram('./attack.mjs', [ADDON, COMPILER]));
  expect(report.tried, 'a new export needs a line in entries.mjs').toEqual(report.exported);
  expect(report.exported.length).toBeGreaterThan(90);
  expect(report.findings).toEqual([]);
  expect(report.calls).toBeGreaterThan(15_000);
});

test('callbacks of an origin break nothing', { timeout: 180_000 }, async () => {
  const answers = Object(await runProgram('./callbacks.mjs', [ADDON]));
  const refused = (reason: RegExp) => expect.stringMatching(reason);
  const unanswered = refused(/^state_source: the origin did not answer/);
  expect(answers).toEqual({
    'an answer': '0x5',
    'nothing there': '0x0',
    'a second answer': '0x5',
    'a later answer': '0x5',
    'a rejection': refused(/did not answer .*: .*no/),
    'a rejection with undefined': unanswered,
    'a rejection with a symbol': unanswered,
    'an exception': refused(/did not answer .*: .*no/),
    'an exception that is null': unanswered,
    'no promise': unanswered,
    'no answer': unanswered,
    'a thenable': unanswered,
    'a promise of a thenable': '0x1',
    'a number': unanswered,
    'a symbol': unanswered,
    'no felt': unanswered,
    'bytes for a felt': unanswered,
    'detached bytes': unanswered,
    'a proxy': unanswered,
    'another read': '0x7',
    'a read of the same origin': '0x8',
    'a state that is written meanwhile': '0xa',
    'after the last handle is gone': '0xc',
    'after threads have ended': '0x5',
  });
});
