// Small debug traces that are written by hand.
import type { DEBUG_ACTION, DEBUG_CLASS, DEBUG_RUN, DEBUG_TRACE } from '@starkbox/spec';
import type { Caller } from '../../src/index.js';

export function runOf(changes: Partial<DEBUG_RUN> = {}): DEBUG_RUN {
  return {
    contract_address: '0xc0',
    class_hash: '0xc1',
    caller_address: '0x0',
    entry_point_selector: '0x5e1',
    entry_point_type: 'EXTERNAL',
    call_type: 'CALL',
    code: 'cairo1',
    calldata: [],
    result: [],
    failed: false,
    initial_gas: 1_000,
    step_count: 0,
    first_step: 0,
    segments: [],
    ...changes,
  };
}

/** Registers of a step: pc, ap, fp. */
export type Step = readonly [pc: number, ap: number, fp: number];

export interface HandMade {
  readonly runs: readonly DEBUG_RUN[];
  readonly actions?: readonly DEBUG_ACTION[];
  /** Of each run, from its first step that the trace has. */
  readonly steps?: readonly (readonly Step[])[];
  readonly classes?: readonly DEBUG_CLASS[];
  readonly dropped?: number;
}

export function callerOf({
  runs,
  actions = [],
  steps = [],
  classes = [],
  dropped = 0,
}: HandMade): Caller {
  const trace: DEBUG_TRACE = {
    trace_id: '0x1',
    runs,
    actions,
    dropped_steps: dropped,
    dropped_memory: 0,
    bytes: 0,
    printed: [],
  };
  return async (method, params) => {
    const { run = 0, first = 0, count = 0, class_hash } = Object(params);
    if (method === 'devnet_openDebugTrace') return trace;
    if (method === 'devnet_readDebugSteps') {
      const start = first - (runs[run]?.first_step ?? 0);
      const words = (steps[run] ?? []).slice(start, start + count).flat();
      return { registers: Buffer.from(Uint32Array.from(words).buffer).toString('base64') };
    }
    if (method === 'devnet_closeDebugTrace') return {};
    const wire = classes.find((debugClass) => debugClass.class_hash === class_hash);
    if (method === 'devnet_getDebugClass' && wire) return wire;
    throw new Error(`${method} is not served`);
  };
}

/** A line, or lines of functions that are inlined into each other, innermost first. */
export type StatementLines = number | readonly (readonly [name: string, line: number])[];

/** A class whose statements have one word each: the functions begin at statements, and each statement has a line. */
export function classOf(
  functions: readonly (readonly [name: string, first: number])[],
  lines: readonly StatementLines[],
): DEBUG_CLASS {
  const texts = ['a.cairo'];
  const nameAt = (statement: number): string =>
    functions.findLast(([, first]) => first <= statement)?.[0] ?? '';
  const numberOf = (name: string): number => {
    if (!texts.includes(name)) texts.push(name);
    return texts.indexOf(name);
  };
  const locations: number[] = [];
  const locationStarts: number[] = [];
  for (const [statement, line] of lines.entries()) {
    locationStarts.push(locations.length / 5);
    const chain = typeof line === 'number' ? [[nameAt(statement), line] as const] : line;
    for (const [name, number] of chain) locations.push(numberOf(name), 0, number - 1, 0, 0);
  }
  return {
    class_hash: '0xc1',
    code: {
      starts: lines.map((_, statement) => statement),
      end: lines.length,
      functions: functions.map(([, first], id) => ({ id, first, parameters: [], results: [] })),
      references: [],
      statements: [],
      libfuncs: [],
      types: [],
    },
    source: {
      texts,
      location_starts: [...locationStarts, locations.length / 5],
      locations,
      functions: functions.map(([name], id) => ({ id, name })),
      types: [],
    },
  };
}
