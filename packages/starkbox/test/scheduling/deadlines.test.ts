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
  const work = (name: string) => ({ expire: () => void expired.push(name) });
  deadlines.add(work('first'));
  vi.advanceTimersByTime(60);
  deadlines.add(work('second'));
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
  const work = { expire: () => void expired.push('work') };
  deadlines.add(work);
  deadlines.delete(work);
  vi.advanceTimersByTime(100);
  expect([expired, vi.getTimerCount()]).toEqual([[], 0]);
  deadlines.add(work);
  vi.advanceTimersByTime(100);
  expect(expired).toEqual(['work']);
});
