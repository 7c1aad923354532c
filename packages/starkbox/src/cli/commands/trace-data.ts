// The trace of a transaction in the format that cairo-profiler reads.
import type { MACHINE_CALL, MACHINE_TRACE } from '@starkbox/spec';

/** cairo-profiler opens a trace only if the name of its outermost contract begins like this. */
const KNOWN_TOOL = 'SNFORGE';
/** Bytes of one step: three registers. */
const STEP = 12;
/** Steps that are written at once. */
const PIECE = 10_000;

interface Resources {
  readonly steps: number;
  readonly memoryHoles: number;
  readonly builtins: ReadonlyMap<string, number>;
  readonly gas: number;
}

/** A call with those that it made. */
export interface CallNode {
  readonly call: MACHINE_CALL;
  readonly inner: readonly CallNode[];
  /** With those of the calls that it made. */
  readonly resources: Resources;
  /** Why it is reported as a whole, and not by function. */
  readonly whole?: 'Cairo 0 code' | 'code of another compiler version' | 'calls that did not begin';
}

/** The calls of a transaction as trees: validation, execution. */
export function treesOf(calls: readonly MACHINE_CALL[]): readonly CallNode[] {
  let at = 0;
  const read = (depth: number): CallNode[] => {
    const nodes: CallNode[] = [];
    for (let call = calls[at]; call && call.depth >= depth; call = calls[at]) {
      at += 1;
      const inner = read(depth + 1);
      const whole = reasonForWhole(call, inner);
      nodes.push({
        call,
        inner,
        resources: sumOf(call, inner),
        ...(whole === undefined ? {} : { whole }),
      });
    }
    return nodes;
  };
  return read(0);
}

/** cairo-profiler needs a call for each system call that makes one, and no other. */
function reasonForWhole(call: MACHINE_CALL, inner: readonly CallNode[]): CallNode['whole'] {
  if (call.steps === 0) return undefined;
  if (call.code === 'cairo0') return 'Cairo 0 code';
  if (call.registers === undefined) return 'code of another compiler version';
  const counts = { CallContract: 0, LibraryCall: 0, Deploy: 0 };
  for (const { call: innerCall } of inner) {
    if (innerCall.entry_point_type === 'CONSTRUCTOR') counts.Deploy += 1;
    else counts[innerCall.call_type === 'CALL' ? 'CallContract' : 'LibraryCall'] += 1;
  }
  const { CallContract = 0, LibraryCall = 0, Deploy = 0 } = call.syscalls;
  const isComplete =
    counts.CallContract === CallContract &&
    counts.LibraryCall === LibraryCall &&
    counts.Deploy <= Deploy;
  return isComplete ? undefined : 'calls that did not begin';
}

function sumOf(call: MACHINE_CALL | undefined, inner: readonly CallNode[]): Resources {
  const builtins = new Map(Object.entries(call?.builtins ?? {}));
  let { steps, memory_holes: memoryHoles } = call ?? { steps: 0, memory_holes: 0 };
  let gas = 0;
  for (const { resources } of inner) {
    steps += resources.steps;
    memoryHoles += resources.memoryHoles;
    gas += resources.gas;
    for (const [name, count] of resources.builtins) {
      builtins.set(name, (builtins.get(name) ?? 0) + count);
    }
  }
  return { steps, memoryHoles, builtins, gas: call?.gas_consumed ?? gas };
}

/**
 * The text of the trace, in pieces.
 *
 * @param pathOf the file of a class
 */
export function* traceData(
  hash: string,
  trees: readonly CallNode[],
  { signature_length }: Pick<MACHINE_TRACE, 'signature_length'>,
  pathOf: (classHash: string) => string,
): Generator<string> {
  const root = {
    class_hash: null,
    entry_point_type: 'EXTERNAL',
    entry_point_selector: '0x0',
    contract_address: '0x0',
    call_type: 'Call',
    contract_name: `${KNOWN_TOOL}_TRANSACTION`,
    function_name: hash,
    calldata_len: 0,
    events_summary: [],
    signature_len: signature_length,
  };
  yield headOf(root, resourcesOf(sumOf(undefined, trees), {}), []);
  yield* nested(trees, signature_length, pathOf);
  yield ',"cairo_execution_info":null}\n';
}

function* nested(
  nodes: readonly CallNode[],
  signatureLength: number,
  pathOf: (classHash: string) => string,
): Generator<string> {
  yield '[';
  for (const [index, node] of nodes.entries()) {
    if (index > 0) yield ',';
    if (node.call.code === 'none') {
      yield '"DeployWithoutConstructor"';
      continue;
    }
    yield `{"EntryPointCall":${headOf(entryPointOf(node.call, signatureLength), resourcesOf(node.resources, syscallsOf(node)), node.call.messages)}`;
    yield* nested(node.inner, signatureLength, pathOf);
    yield ',"cairo_execution_info":';
    yield* executionInfo(node, pathOf);
    yield '}}';
  }
  yield ']';
}

/** Up to the calls that it made. */
function headOf(entryPoint: object, resources: object, messages: readonly number[]): string {
  const head = {
    entry_point: entryPoint,
    used_execution_resources: resources,
    used_l1_resources: { l2_l1_message_sizes: messages },
  };
  return `${JSON.stringify(head).slice(0, -1)},"nested_calls":`;
}

function entryPointOf(call: MACHINE_CALL, signatureLength: number): object {
  return {
    class_hash: call.class_hash,
    entry_point_type: call.entry_point_type,
    entry_point_selector: call.entry_point_selector,
    contract_address: call.contract_address,
    call_type: call.call_type === 'CALL' ? 'Call' : 'Delegate',
    contract_name: call.contract_name ?? null,
    function_name: call.function_name ?? null,
    calldata_len: call.calldata_length,
    events_summary: call.events.map(([keys_len, data_len]) => ({ keys_len, data_len })),
    signature_len: signatureLength,
  };
}

function resourcesOf({ steps, memoryHoles, builtins, gas }: Resources, syscalls: object): object {
  const builtinCounts = Array.from(builtins, ([name, count]) => [`${name}_builtin`, count]);
  return {
    vm_resources: {
      n_steps: steps,
      n_memory_holes: memoryHoles,
      builtin_instance_counter: Object.fromEntries(builtinCounts),
    },
    gas_consumed: gas,
    syscall_counter: syscalls,
  };
}

/**
 * The system calls of a call itself. cairo-profiler adds their cost to a call that is reported as a whole, whose gas
 * has it already.
 */
function syscallsOf({ call, whole }: CallNode): object {
  if (whole !== undefined && call.gas_consumed !== undefined) return {};
  const counts = Object.entries(call.syscalls).map(([name, count]) => [
    name,
    { call_count: count, linear_factor: call.syscall_lengths[name] ?? 0 },
  ]);
  return Object.fromEntries(counts);
}

function* executionInfo(
  { call, whole }: CallNode,
  pathOf: (classHash: string) => string,
): Generator<string> {
  if (call.registers === undefined || whole !== undefined) {
    yield 'null';
    return;
  }
  const path = JSON.stringify(pathOf(call.class_hash));
  yield `{"source_sierra_path":${path},"casm_level_info":{"run_with_call_header":false,"vm_trace":[`;
  const bytes = Buffer.from(call.registers, 'base64');
  for (let begin = 0; begin < bytes.length; begin += STEP * PIECE) {
    const end = Math.min(bytes.length, begin + STEP * PIECE);
    const steps: string[] = [];
    for (let at = begin; at < end; at += STEP) {
      const [pc, ap, fp] = [0, 4, 8].map((register) => bytes.readUInt32LE(at + register));
      steps.push(`{"pc":${pc},"ap":${ap},"fp":${fp}}`);
    }
    yield `${begin > 0 ? ',' : ''}${steps.join()}`;
  }
  yield '],"program_offset":null},"enable_gas":true}';
}
