// Deadlines of many pieces of work, which share one timer.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from '../../src/scheduling/deadlines.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('each piece of work expires at its own deadline', () => {
  const deadlines = new Deadlines(100);
  const expired: string[] = [];
  deadlines.add({ expire: () => void expired.push('first') });
  vi.advanceTimersByTime(60);
  deadlines.add({ expire: () => void expired.push('second') });
  vi.advanceTimersByTime(39);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(['first']);
  vi.advanceTimersByTime(59);
  expect(expired).toEqual(['first']);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(['first', 'second']);
});

test('work that has ended does not expire, and no timer remains', () => {
  const deadlines = new Deadlines(100);
  const expired: string[] = [];
  const [first, second, third, last] = ['first', 'second', 'third', 'last'].map((name) =>
    deadlines.add({ expire: () => void expired.push(name) }),
  );
  for (const ended of [second, first, last, last]) if (ended) deadlines.delete(ended);
  vi.advanceTimersByTime(100);
  expect([expired, vi.getTimerCount()]).toEqual([['third'], 0]);
  if (third) deadlines.delete(third);
  deadlines.add({ expire: () => void expired.push('another') });
  vi.advanceTimersByTime(100);
  expect([expired, vi.getTimerCount()]).toEqual([['third', 'another'], 0]);
});
