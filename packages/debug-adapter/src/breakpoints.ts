// Breakpoints of an editor as breakpoints of the debugger.
import type { Breakpoint, Debugger, RunOptions, Stop } from '@starkbox/debugger';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { SourceFiles } from './source-files.js';

/** Kinds of stops that an editor turns on and off. */
export const EXCEPTION_FILTERS: readonly DebugProtocol.ExceptionBreakpointsFilter[] = [
  {
    filter: 'uncaught',
    label: 'Uncaught failure',
    description: 'Stops where the transaction failed.',
    default: true,
  },
  {
    filter: 'any',
    label: 'Any revert, caught ones too',
    description: 'Stops at each failed call, even if its caller handled the failure.',
  },
  { filter: 'call', label: 'Calls between contracts' },
  { filter: 'event', label: 'Events' },
  { filter: 'write', label: 'Storage writes' },
];

/** Lines to look ahead for the next line with code. */
const NEAR_LINES = 20;

type Until = NonNullable<RunOptions['until']>[number];

export class Breakpoints {
  #lastId = 0;
  /** By the reference or the path of the source. */
  readonly #lines = new Map<string, readonly Breakpoint[]>();
  #functions: readonly Breakpoint[] = [];
  #filters: ReadonlySet<string> = new Set(['uncaught']);

  /** Replaces the breakpoints of a source. A line without code moves to the next one with code. */
  async setLines(
    debug: Debugger,
    files: SourceFiles,
    { source, breakpoints = [] }: DebugProtocol.SetBreakpointsArguments,
  ): Promise<readonly DebugProtocol.Breakpoint[]> {
    const names = await files.filesOf(source);
    const set: Breakpoint[] = [];
    const answers: DebugProtocol.Breakpoint[] = [];
    for (const { line, condition } of breakpoints) {
      const id = this.#nextId();
      const located = await locate(debug, names, line);
      if (!located) {
        const message =
          names.length === 0
            ? 'No class of this transaction was compiled from this file with this text.'
            : 'No code of this transaction belongs to this line.';
        answers.push({ id, verified: false, line, message });
        continue;
      }
      const breakpoint = { id: String(id), line: located, ...trimmed(condition) };
      const message = await debug.checkBreakpoint(breakpoint);
      if (message === undefined) set.push(breakpoint);
      answers.push({ id, line: located.line, source, ...verification(message) });
    }
    // Files of the same name have different references.
    this.#lines.set(String(source.sourceReference || source.path), set);
    return answers;
  }

  /** Replaces the breakpoints at functions. An address stands for all functions of a contract. */
  async setFunctions(
    debug: Debugger,
    { breakpoints }: DebugProtocol.SetFunctionBreakpointsArguments,
  ): Promise<readonly DebugProtocol.Breakpoint[]> {
    const set: Breakpoint[] = [];
    const answers: DebugProtocol.Breakpoint[] = [];
    for (const { name, condition } of breakpoints) {
      const id = this.#nextId();
      const breakpoint = { id: String(id), ...namedPlace(name.trim()), ...trimmed(condition) };
      const message = await debug.checkBreakpoint(breakpoint);
      if (message === undefined) set.push(breakpoint);
      answers.push({ id, ...verification(message) });
    }
    this.#functions = set;
    return answers;
  }

  setFilters(filters: readonly string[]): void {
    this.#filters = new Set(filters);
  }

  /** Runs to the next place to stop. */
  async run(
    debug: Debugger,
    options: Pick<RunOptions, 'direction' | 'signal'> & { readonly signal: { aborted: boolean } },
  ): Promise<Stop> {
    const breakpoints = [...[...this.#lines.values()].flat(), ...this.#functions];
    const stopsAtAny = this.#filters.has('any');
    const until: Until[] = (['call', 'event', 'write'] as const).filter((kind) =>
      this.#filters.has(kind),
    );
    if (stopsAtAny || this.#filters.has('uncaught')) until.push('failure');
    for (;;) {
      const stop = await debug.run({ ...options, breakpoints, until });
      const isCaught = stop.reason === 'failure' && stop.position !== debug.startOfInterest;
      if (!isCaught || stopsAtAny || options.signal.aborted) return stop;
    }
  }

  isFunction({ id }: Breakpoint): boolean {
    return this.#functions.some((breakpoint) => breakpoint.id === id);
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

function trimmed(condition: string | undefined): Pick<Breakpoint, 'condition'> {
  const text = condition?.trim();
  return text ? { condition: text } : {};
}

function verification(
  message: string | undefined,
): Pick<DebugProtocol.Breakpoint, 'verified' | 'message'> {
  return message === undefined ? { verified: true } : { verified: false, message };
}

/** What a word without a line stands for. */
export function namedPlace(word: string): Pick<Breakpoint, 'contract' | 'function'> {
  return /^0x[0-9a-f]+$/i.test(word) ? { contract: word } : { function: word };
}

/** The line, or the next one with code. */
export async function locate(
  debug: Debugger,
  names: readonly string[],
  line: number,
): Promise<{ readonly file: string; readonly line: number } | undefined> {
  let nearest: { readonly file: string; readonly line: number } | undefined;
  for (const file of names) {
    const next = (await debug.codeLines(file)).find((codeLine) => codeLine >= line);
    if (next === undefined || next > line + NEAR_LINES) continue;
    if (!nearest || next < nearest.line) nearest = { file, line: next };
  }
  return nearest;
}
