// Scale of the timeline: folds, zoom and pan.
import { describe, expect, test } from 'vitest';
import { barSize } from '../../src/features/timeline/blocks.js';
import { byTime, foldsIn, pan, zoom } from '../../src/features/timeline/scale.js';

describe('scale', () => {
  const moments = [0, 10, 20, 86_420, 86_430].map((time, number) => ({ number, time }));

  test('a jump of the clock is folded, by number and by time', () => {
    expect(foldsIn(moments)).toEqual([{ before: 3, seconds: 86_400 }]);
    const scale = byTime({ first: 0, last: 4 }, moments);
    expect(scale.at(0)).toBe(0);
    expect(scale.at(4)).toBeCloseTo(1);
    expect(scale.at(3) - scale.at(2)).toBeLessThan(scale.at(2) - scale.at(1));
    expect(foldsIn(moments.map(({ number }) => ({ number, time: number * 3_600 })))).toEqual([]);
  });

  test('zoom and pan stay within the chain', () => {
    const whole = { first: 0, last: 1_000 };
    const near = zoom(whole, whole, 0.5, 1);
    expect(near).toEqual({ first: 500, last: 1_000 });
    expect(zoom(near, whole, 4, 0)).toEqual(whole);
    expect(pan(near, whole, 2)).toEqual(near);
    expect(pan(near, whole, -9)).toEqual({ first: 0, last: 500 });
    expect(barSize({ first: 0, last: 19_999 })).toBe(512);
  });
});
