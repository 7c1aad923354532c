// Geometry of the debugger's timeline, and colours of source lines.
import type { Mark } from '@starkbox/debugger';
import type { DEBUG_ACTION, DEBUG_RUN } from '@starkbox/spec';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  barAt,
  markAt,
  positionAt,
  shapesOf,
  spanAt,
  spansOf,
  xOf,
} from '../../src/parts/debug/timeline-shapes.js';
import { tokensOf } from '../../src/parts/transaction/cairo-tokens.js';

function run(steps: number, parent?: number, failed = false): DEBUG_RUN {
  return {
    ...(parent === undefined ? {} : { parent }),
    contract_address: '0x1',
    class_hash: '0x2',
    caller_address: '0x0',
    entry_point_selector: '0x3',
    entry_point_type: 'EXTERNAL',
    call_type: 'CALL',
    code: 'cairo1',
    calldata: [],
    failed,
    initial_gas: 0,
    step_count: steps,
    first_step: 0,
    segments: [],
  };
}

const call: DEBUG_ACTION = { run: 1, step: 20, name: 'CallContract', failed: true, called_run: 2 };
const at = (kind: Mark['kind'], position: number, action?: DEBUG_ACTION): Mark => ({
  kind,
  position,
  runIndex: kind === 'return' ? 2 : 1,
  isReverted: false,
  ...(action ? { action } : {}),
});

/** A validation of 100 steps, and an execution of 60 with a failing call of 40. */
const recorded = {
  trace: {
    trace_id: '1',
    runs: [run(100), run(60), run(40, 1, true)],
    actions: [call],
    dropped_steps: 0,
    dropped_memory: 0,
    bytes: 0,
    printed: [],
  },
  marks: [at('call', 120, call), at('event', 130), at('failure', 150), at('return', 161)],
  length: 201,
};
const scale = { length: 201, width: 1_000 };

describe('the timeline', () => {
  const spans = spansOf(recorded);

  test('has a span for each call, one inside of the other', () => {
    expect(spans.map(({ depth, first, last }) => [depth, first, last])).toEqual([
      [0, 0, 99],
      [0, 100, 200],
      [1, 121, 161],
    ]);
    expect(spans.map(({ isReverted }) => isReverted)).toEqual([false, false, true]);
    expect(spanAt(spans, 130)?.runIndex).toBe(2);
    expect(spanAt(spans, 170)?.runIndex).toBe(1);
  });

  test('has a bar and a mark at the point where they are drawn', () => {
    const { marks, height } = shapesOf(spans, recorded.marks, scale);
    expect([...marks.keys()].sort()).toEqual(['event', 'failure']);
    expect(barAt(spans, xOf(140, scale), 13, scale)?.runIndex).toBe(2);
    expect(barAt(spans, xOf(50, scale), 6, scale)?.runIndex).toBe(0);
    expect(barAt(spans, xOf(50, scale), height - 2, scale)).toBeUndefined();
    expect(markAt(recorded.marks, xOf(130, scale) + 4, scale)?.kind).toBe('event');
    expect(markAt(recorded.marks, xOf(140, scale), scale)).toBeUndefined();
  });

  test('draws marks of one pixel once', () => {
    const marks = Array.from({ length: 100_000 }, (_, position) => at('write', position));
    const { marks: shapes } = shapesOf(spans, marks, { length: 100_000, width: 400 });
    expect((shapes.get('write') ?? '').split('M').length).toBeLessThanOrEqual(402);
  });

  test('gives each position a point, and the same position back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (length, share) => {
          const position = Math.floor(share * (length - 1));
          const wide = { length, width: 2_000 };
          expect(positionAt(xOf(position, wide), wide)).toBe(position);
        },
      ),
    );
    expect(positionAt(-50, scale)).toBe(0);
    expect(positionAt(5_000, scale)).toBe(200);
  });
});

describe('tokens of Cairo', () => {
  test('are the line again, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (line) => {
        expect(
          tokensOf(line)
            .map(({ text }) => text)
            .join(''),
        ).toBe(line);
      }),
    );
  });

  test('tell comments, texts, numbers, keywords and attributes apart', () => {
    const kinds = (line: string) =>
      tokensOf(line).flatMap(({ kind, text }) => (kind === 'plain' ? [] : [[kind, text]]));
    expect(kinds("let a = 'x // y'; // z")).toEqual([
      ['keyword', 'let'],
      ['text', "'x // y'"],
      ['comment', '// z'],
    ]);
    expect(kinds('#[inline(never)] fn letter() -> u8 { 12_u8 }')).toEqual([
      ['attribute', '#[inline(never)]'],
      ['keyword', 'fn'],
      ['number', '12_u8'],
    ]);
  });
});
