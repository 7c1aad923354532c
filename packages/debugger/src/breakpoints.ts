// Breakpoints as predicates over positions, computed once for each run to them.
import type { DEBUG_RUN } from '@starkbox/spec';
import type { Breakpoint } from './debugger.js';
import type { LineTable } from './lines.js';
import type { Stops } from './stops.js';
import { NONE } from './trace/timeline.js';

/** A breakpoint whose lines, functions and contracts were looked up. */
export class PreparedBreakpoint {
  readonly breakpoint: Breakpoint;
  readonly #stops: Stops;
  readonly #runs: readonly DEBUG_RUN[];
  /** For each line, a bit for each of its levels that is of the line or function of the breakpoint. */
  readonly #levels: Uint32Array | undefined;
  readonly #isRunMatched: readonly boolean[];
  readonly #firstStops = new Map<number, number>();

  constructor(breakpoint: Breakpoint, stops: Stops, runs: readonly DEBUG_RUN[]) {
    this.breakpoint = breakpoint;
    this.#stops = stops;
    this.#runs = runs;
    const { line, function: functionName } = breakpoint;
    this.#levels =
      line || functionName !== undefined ? levelsOf(breakpoint, stops.lines) : undefined;
    const { contract } = breakpoint;
    this.#isRunMatched = runs.map((run) => contract === undefined || isContract(run, contract));
  }

  /** A sentence, if no code or call of the execution is one of the breakpoint. */
  get problem(): string | undefined {
    const { line, function: name, contract } = this.breakpoint;
    if (!this.#isRunMatched.includes(true)) return `This execution calls no contract ${contract}.`;
    if (!this.#levels || this.#levels.some((levels) => levels !== 0)) return undefined;
    if (line) return `No code of this execution belongs to ${line.file}:${line.line}.`;
    if (this.#runs.some(({ function_name }) => function_name === name)) return undefined;
    return `No class of this execution has a function ${name}.`;
  }

  /** Marks the lines at which it may stop; 0 is code without lines. */
  markLines(isWanted: Uint8Array): void {
    if (!this.#levels) {
      isWanted.fill(1);
      return;
    }
    if (!this.breakpoint.line) isWanted[0] = 1;
    for (const [line, levels] of this.#levels.entries()) if (levels !== 0) isWanted[line] = 1;
  }

  /** Whether a stop is one of the breakpoint; its condition is not tested. */
  isAt(stop: number): boolean {
    const stops = this.#stops;
    const { line, function: functionName, contract } = this.breakpoint;
    const matched = this.#levels?.[stops.lineOf(stop)];
    const run = stops.runOf(stop);
    if (run === NONE || !this.#isRunMatched[run]) return false;
    if (matched === undefined) return contract === undefined || stop === this.#firstStop(run);
    if (stops.lineOf(stop) === 0) return !line && this.#isEntryPoint(stop, run, functionName);
    const begins = line ? stops.levelOf(stop) : stops.entryOf(stop);
    return begins !== 0 && matched >>> begins !== 0;
  }

  #firstStop(run: number): number {
    let first = this.#firstStops.get(run);
    if (first === undefined) {
      first = this.#stops.indexOf(this.#stops.timeline.firstOfRun(run));
      this.#firstStops.set(run, first);
    }
    return first;
  }

  /** In code without lines: the start of the call of an entry point. */
  #isEntryPoint(stop: number, run: number, name: string | undefined): boolean {
    const { function_name } = this.#runs[run] ?? {};
    return (
      function_name === name &&
      this.#stops.positionOf(stop) === this.#stops.timeline.firstOfRun(run)
    );
  }
}

function levelsOf({ line, function: name }: Breakpoint, lines: LineTable): Uint32Array {
  const levels = new Uint32Array(lines.count);
  for (const [index, node] of lines.entries()) {
    const isMatched =
      (!line || (node.line === line.line && isFile(node.file, line.file))) &&
      (name === undefined || isFunction(node.functionName, name));
    // The lines that this one is inlined into come before it.
    const outer = levels[node.parent] ?? 0;
    levels[index] = isMatched ? outer | (1 << node.depth) : outer;
  }
  return levels;
}

/** Whether a path is the file, or ends with it. */
export function isFile(path: string, file: string): boolean {
  const suffix = file.replaceAll('\\', '/');
  return path === suffix || path.endsWith(`/${suffix}`) || suffix.endsWith(`/${path}`);
}

const isFunction = (path: string, name: string): boolean =>
  path === name || path.endsWith(`::${name}`);

function isContract({ contract_address, class_hash, contract_name }: DEBUG_RUN, name: string) {
  const felt = /^0x[\da-f]+$/i.test(name) ? BigInt(name) : undefined;
  if (felt !== undefined) return BigInt(contract_address) === felt || BigInt(class_hash) === felt;
  // Contracts of one name have their short addresses after it; a breakpoint without one is for all of them.
  return contract_name === name || contract_name?.startsWith(`${name} 0x`) === true;
}

/** The place and the condition of a breakpoint, as a sentence names them. */
export function placeOf({ line, function: name, contract, condition }: Breakpoint): string {
  const place = line ? `${line.file}:${line.line}` : (name ?? contract ?? 'any line');
  return `${place} if ${condition}`;
}

/** A sentence about a condition. */
export function malformed(condition: string): string {
  return `Expected a condition such as amount > 5, owner == 0x1 or is_open, but got ${condition}.`;
}
