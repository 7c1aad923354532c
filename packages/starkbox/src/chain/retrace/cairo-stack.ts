// Cairo stack of a failure: lines of the source where they are known, or names of Sierra functions.
import { listOf, membersOf } from '@starkbox/abi/basics';
import type { SourceLine } from '@starkbox/abi/internal';
import type { RetracedFrame, SierraFunction, State } from '@starkbox/engine';
import type { DebugInfo } from '../../debug-info/debug-info.js';
import type { DebugInfos } from '../../debug-info/debug-infos.js';

/** A call as the reason of a failure names it. */
interface NamedCall {
  readonly contract: string;
  readonly classHash: string;
  readonly selector: string;
}

/**
 * The frames on the way to the failure of a run, outermost first: the last one failed first. Empty if nothing failed.
 *
 * @param namedCall the innermost call of the reason: what failed inside of it was caught
 */
export function failedPath(
  frames: readonly RetracedFrame[],
  namedCall?: NamedCall,
): readonly RetracedFrame[] {
  const path: RetracedFrame[] = [];
  // A transaction has several outermost frames: its validation, its execution, its fee.
  let at = frames.findLastIndex(({ depth, failed }) => depth === 0 && failed);
  for (let frame = frames[at]; frame; frame = frames[at]) {
    path.push(frame);
    const { depth: parent } = frame;
    const next = endOf(frames, at);
    const from = at;
    at = frames.findLastIndex(
      ({ depth, failed }, index) => index > from && index < next && failed && depth === parent + 1,
    );
  }
  const innermost = path.findLastIndex(
    ({ contract_address, class_hash, entry_point_selector }) =>
      contract_address === namedCall?.contract &&
      class_hash === namedCall.classHash &&
      entry_point_selector === namedCall.selector,
  );
  return innermost < 0 ? path : path.slice(0, innermost + 1);
}

/** The index behind the frames that a frame called. */
function endOf(frames: readonly RetracedFrame[], at: number): number {
  const depth = frames[at]?.depth ?? 0;
  const end = frames.findIndex((frame, index) => index > at && frame.depth <= depth);
  return end < 0 ? frames.length : end;
}

/** The stack of a frame that failed, innermost line first; empty where nothing is known. */
export async function cairoStack(
  { class_hash, stack = [] }: RetracedFrame,
  infos: DebugInfos,
  state: State,
): Promise<readonly SourceLine[]> {
  const info = infos.get(class_hash);
  // Each turn of a loop is a call by the same statement, as is each call of a recursion.
  const statements = stack.filter((statement, at) => statement !== stack[at - 1]);
  const lines = statements.flatMap((statement) => info?.linesAt(statement) ?? []);
  if (lines.length > 0) return withoutLibrary(lines).filter(isNoRepetition);
  return namesOf(class_hash, statements, info, state);
}

/** The core library and generated dispatchers make most panics: what matters is the line that called them. */
const isLibrary = ({ function: name }: SourceLine): boolean =>
  /^core(::|$)/.test(name) || /Dispatcher(Impl)?::\w+$/.test(name);
/** Generated code that reads the calldata, and has no line of its own; its name has that of the function. */
const WRAPPER = '__wrapper__';
const isWrapper = ({ function: name }: SourceLine): boolean => wrappedName(name) !== name;

/** `a::__wrapper__Impl__f` → `a::Impl::f` */
function wrappedName(name: string): string {
  const begin = name.lastIndexOf('::') < 0 ? 0 : name.lastIndexOf('::') + 2;
  const last = name.slice(begin);
  if (!/^__wrapper__\w+$/.test(last)) return name;
  const functionName = last.slice(WRAPPER.length);
  const at = functionName.indexOf('__', 1);
  const isOfImpl = at > 0 && at + 2 < functionName.length;
  return (
    name.slice(0, begin) +
    (isOfImpl ? `${functionName.slice(0, at)}::${functionName.slice(at + 2)}` : functionName)
  );
}

function withoutLibrary(lines: readonly SourceLine[]): readonly SourceLine[] {
  const firstOwn = lines.findIndex((line) => !isLibrary(line));
  const rest = firstOwn < 0 ? lines : lines.slice(firstOwn);
  const shown = rest.filter((line) => !isWrapper(line));
  return shown.length > 0
    ? shown
    : rest.map(({ function: name }) => ({ function: wrappedName(name) }));
}

/** Whether it differs from the one before. */
function isNoRepetition(
  { function: name, line, column, file }: SourceLine,
  at: number,
  lines: readonly SourceLine[],
): boolean {
  const before = lines[at - 1];
  return !(
    before?.function === name &&
    before.file === file &&
    before.line === line &&
    before.column === column
  );
}

/** Names of the functions alone. */
async function namesOf(
  classHash: string,
  stack: readonly number[],
  info: DebugInfo | undefined,
  state: State,
): Promise<readonly SourceLine[]> {
  if (stack.length === 0) return [];
  const contractClass = await state.class(classHash).catch(() => undefined);
  const functions = await contractClass?.functions().catch(() => undefined);
  if (!contractClass || !functions) return [];
  const names = info
    ? undefined
    : await entryPointNames(await contractClass.json(), await contractClass.abi());
  return stack.flatMap((statement) => {
    const of = functionOf(functions, statement);
    if (!of) return [];
    const name = info?.functionName(of.id) ?? names?.get(of.id) ?? `Sierra function ${of.id}`;
    return [{ function: name }];
  });
}

function functionOf(
  functions: readonly SierraFunction[],
  statement: number,
): SierraFunction | undefined {
  return functions.findLast(({ first }) => first <= statement);
}

/** Names by the ABI of the functions that are entry points, by their numbers. */
async function entryPointNames(
  json: string,
  abi: readonly unknown[],
): Promise<ReadonlyMap<number, string>> {
  const { starknetKeccak } = await import('@starkbox/engine');
  const bySelector = new Map(
    functionNames(abi).map((name): [string, string] => [starknetKeccak(name), name]),
  );
  const { entry_points_by_type } = membersOf(JSON.parse(json));
  const names = new Map<number, string>();
  for (const kind of Object.values(membersOf(entry_points_by_type))) {
    for (const point of listOf(kind)) {
      const { selector, function_idx } = membersOf(point);
      const name = bySelector.get(String(selector));
      if (name !== undefined) names.set(Number(function_idx), name);
    }
  }
  return names;
}

/** Those of interfaces too. */
function functionNames(abi: readonly unknown[]): readonly string[] {
  return abi.flatMap((item) => {
    const { name, items } = membersOf(item);
    return [...(typeof name === 'string' ? [name] : []), ...functionNames(listOf(items))];
  });
}
