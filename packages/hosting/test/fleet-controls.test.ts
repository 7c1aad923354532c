// Controls of the bench of fleets fit the sources: each text that they replace occurs once in its file.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHECKS, CONTROLS, type Edit } from '../bench/schedules/controls.js';

const SOURCES = new URL('../../', import.meta.url);

test.each(Object.entries(CHECKS))(
  'the check "%s" can be removed',
  (_, edits: Edit | readonly Edit[]) => {
    for (const { file, text, instead } of [edits].flat()) {
      const source = readFileSync(new URL(file, SOURCES), 'utf8');
      expect(source.split(text), `${text} in ${file}`).toHaveLength(2);
      expect(instead).not.toBe(text);
    }
  },
);

test('every check has a control in which its removal is found', () => {
  const controls = CONTROLS.filter(({ isCovered }) => !isCovered);
  const removed = new Set<string>(controls.flatMap(({ without }) => without));
  expect([...removed].sort()).toEqual(Object.keys(CHECKS).sort());
});
