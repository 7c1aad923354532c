// Steps, storage writes and builtins of a second run, put into the trace of the first.
import type { Invocation, TransactionTrace } from '../trace.js';
import { MEASURES } from './tree.js';

/** What is counted besides gas; builtins by their names. */
const COUNTED = [
  'steps',
  'storage_writes',
  'range_check',
  'range_check96',
  'pedersen',
  'poseidon',
  'bitwise',
  'ec_op',
  'add_mod',
  'mul_mod',
] as const;
/** What a flame graph may show. */
export const RESOURCES: readonly string[] = [...MEASURES, ...COUNTED];

/** One call of the second run, without the calls below. */
export interface CountedFrame {
  readonly contract_address: string;
  readonly class_hash: string;
  readonly entry_point_selector: string;
  readonly steps: number;
  /** How often each builtin was used. */
  readonly builtins: Readonly<Record<string, number>>;
  /** How often each system call was made. */
  readonly syscalls: Readonly<Record<string, number>>;
}

/**
 * The trace with the counts of each call, calls below included.
 *
 * @param frames in the order in which they began; frames of Cairo 0 may be missing
 */
export function withCounts(
  trace: TransactionTrace,
  frames: readonly CountedFrame[],
): TransactionTrace {
  let next = 0;
  const counted = (call: Invocation): Invocation => {
    const frame = frames[next];
    const isIts =
      frame?.contract_address === call.contract_address &&
      frame.class_hash === call.class_hash &&
      frame.entry_point_selector === call.entry_point_selector;
    if (isIts) next += 1;
    const calls = call.calls.map(counted);
    const counts: Record<string, number> = frame && isIts ? countsOf(frame) : {};
    for (const { execution_resources } of calls) {
      for (const [name, count] of Object.entries(execution_resources.counts ?? {})) {
        counts[name] = (counts[name] ?? 0) + count;
      }
    }
    return { ...call, calls, execution_resources: { ...call.execution_resources, counts } };
  };
  const ran = <T extends object>(call: T | Invocation): T | Invocation =>
    'calls' in call ? counted(call) : call;
  const { constructor_invocation, validate_invocation, execute_invocation, function_invocation } =
    trace;
  // In the order of their execution.
  return {
    ...trace,
    ...(constructor_invocation ? { constructor_invocation: counted(constructor_invocation) } : {}),
    ...(validate_invocation ? { validate_invocation: counted(validate_invocation) } : {}),
    ...(execute_invocation ? { execute_invocation: ran(execute_invocation) } : {}),
    ...(function_invocation ? { function_invocation: ran(function_invocation) } : {}),
  };
}

function countsOf({ steps, builtins, syscalls }: CountedFrame): Record<string, number> {
  return { ...builtins, steps, storage_writes: syscalls['StorageWrite'] ?? 0 };
}
