// Variables of the functions on the Cairo stack of a failure, read once from the end of a recorded execution.
import { membersOf } from '@starkbox/abi/basics';
import { type Debugger, openDebugger } from '@starkbox/debugger';
import { textOf } from '../../format/json.js';
import { callByName } from '../../rpc/client.js';

export interface FailingVariable {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** A function of the stack, at the line that it stopped at. */
export interface FailingFrame {
  readonly file: string;
  readonly line: number;
  readonly variables: readonly FailingVariable[];
  /** Why variables are missing. */
  readonly note: string | undefined;
}

/** The steps before a failure hold the variables of its functions. */
const MAX_STEPS = 2_000;
const MAX_FRAMES = 40;
const MAX_READ = 8;

/** @param classes whose code has lines; the others are not read */
export async function readFailingFrames(
  transactionHash: string,
  classes: ReadonlySet<string>,
): Promise<readonly FailingFrame[]> {
  const caller = async (method: string, params: object): Promise<unknown> => {
    const isUnused =
      method === 'devnet_getDebugClass' && !classes.has(textOf(membersOf(params)['class_hash']));
    return isUnused ? undefined : callByName(method, params);
  };
  const program = await openDebugger(caller, { transactionHash }, { maxSteps: MAX_STEPS });
  try {
    await program.goTo(program.startOfInterest);
    return await readFrames(program);
  } finally {
    // The node may have closed the trace already.
    await program.close().catch(() => undefined);
  }
}

async function readFrames(program: Debugger): Promise<readonly FailingFrame[]> {
  const stack = await program.frames(0, MAX_FRAMES);
  const placed = stack.filter(({ isLibrary, location }) => !isLibrary && location);
  const frames: FailingFrame[] = [];
  for (const { index, location, runIndex } of placed.slice(0, MAX_READ)) {
    if (!location) continue;
    const scope = await program.scope(index);
    const isOutermost = !placed.some((other) => other.index > index && other.runIndex === runIndex);
    // The entry point of a call has the arguments of the call, even where the compiler names no variables.
    const read =
      scope.variables.length === 0 && isOutermost
        ? await program.callArguments(runIndex)
        : scope.variables;
    frames.push({
      file: location.file,
      line: location.line,
      variables: read.map(({ name, value: { type, text } }) => ({ name, type, text })),
      note: scope.note,
    });
  }
  return frames;
}
