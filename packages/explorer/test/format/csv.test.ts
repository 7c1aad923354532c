// CSV texts.
import { describe, expect, test } from 'vitest';
import { csvOf } from '../../src/format/csv.js';

describe('CSV', () => {
  test('special characters are quoted, and formulas are escaped', () => {
    expect(
      csvOf(
        ['a', 'b'],
        [
          ['=1+1', 'x,"y"\nz'],
          ['-1', '@me'],
          ['ok', ''],
        ],
      ),
    ).toBe(`a,b\r\n'=1+1,"x,""y""\nz"\r\n'-1,'@me\r\nok,\r\n`);
  });
});
