// Lines of user code by pc: which statements a step stops at, and in which functions they are.

/** A function that a statement is code of, and the location in it. */
export interface SourceEntry {
  readonly function: string;
  readonly file?: string;
  /** The first line is 1. */
  readonly line?: number;
  readonly column?: number;
  /** Whether a macro wrote it. */
  readonly isGenerated: boolean;
}

/** What is read of a class: statements of its program, and their source. */
export interface ClassCode {
  /** The pc of each statement, and at last the end of the code. */
  readonly statementOffsets: Uint32Array;
  /** The functions that a statement is code of, innermost first; all but the last are inlined. */
  entriesAt(statement: number): readonly SourceEntry[];
  /** The index of the Sierra function of a statement; -1 if unknown. */
  functionAt(statement: number): number;
  /** The name of a Sierra function, with marks of loops and specializations. */
  functionName(index: number): string | undefined;
}

/** A function as a stack shows it. */
export interface CodeFrame {
  /** The index of its entry at the statement. */
  readonly entry: number;
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly isInlined: boolean;
  readonly isLibrary: boolean;
}

const WRAPPER = '__wrapper__';
const CORE = /^core(::|$)/;
export const CORE_FILE: RegExp = /(^|\/)(corelib|std\/core)\//;
const DISPATCHER = /Dispatcher(Impl)?::\w+$/;
const MACRO = /(^|::)\w+_macro$/;

/** `a::__wrapper__Impl__f` → `a::Impl::f` */
export function wrappedName(name: string): string {
  const begin = name.lastIndexOf('::') < 0 ? 0 : name.lastIndexOf('::') + 2;
  const last = name.slice(begin);
  if (!last.startsWith(WRAPPER)) return name;
  const functionName = last.slice(WRAPPER.length);
  const at = functionName.indexOf('__', 1);
  const isOfImpl = at > 0 && at + 2 < functionName.length;
  return (
    name.slice(0, begin) +
    (isOfImpl ? `${functionName.slice(0, at)}::${functionName.slice(at + 2)}` : functionName)
  );
}

/** Without types of generics and marks of loops and specializations: `a::f::<T>[1-2]{x}` → `a::f`. */
export function plainName(name: string): string {
  let depth = 0;
  let plain = '';
  for (let at = 0; at < name.length; at += 1) {
    const letter = name[at] ?? '';
    if (letter === '<' || letter === '[' || letter === '{') {
      if (depth === 0 && plain.endsWith('::')) plain = plain.slice(0, -2);
      depth += 1;
    } else if (letter === '>' || letter === ']' || letter === '}') depth -= 1;
    else if (depth === 0) plain += letter;
  }
  return plain;
}

/** The compiler makes a function of each loop, and names it by the place of the loop. */
export const isLoopName = (name: string): boolean => /\[\d+-\d+\](\{|$)/.test(name);

/** A macro of the core library is a part of that library. */
const isMacro = (name: string): boolean => MACRO.test(name) && !CORE.test(name);
const isWrapper = (name: string): boolean => wrappedName(name) !== name;

function isLibrary({ function: name, file, isGenerated }: SourceEntry): boolean {
  return (
    CORE.test(name) ||
    (file !== undefined && CORE_FILE.test(file)) ||
    DISPATCHER.test(name) ||
    isWrapper(name) ||
    (isGenerated && !isMacro(name))
  );
}

/**
 * The frames of a statement, innermost first. Code of a macro is a part of the function around it, and so is a loop
 * that was inlined into its own function.
 */
export function framesOf(entries: readonly SourceEntry[]): readonly CodeFrame[] {
  const frames: CodeFrame[] = [];
  let inner: SourceEntry | undefined;
  for (const [index, entry] of entries.entries()) {
    const isLast = index === entries.length - 1;
    const location = inner ?? entry;
    if (isMacro(entry.function) && !isLast) {
      inner = location;
      continue;
    }
    const before = frames.at(-1);
    const isOfMacro = inner !== undefined;
    inner = undefined;
    const name = isOfMacro ? wrappedName(entry.function) : entry.function;
    const frame: CodeFrame = {
      entry: index,
      name,
      isInlined: !isLast,
      isLibrary: isOfMacro ? CORE_FILE.test(location.file ?? '') : isLibrary(entry),
      ...(location.file === undefined ? {} : { file: location.file }),
      ...(location.line === undefined ? {} : { line: location.line }),
      ...(location.column === undefined ? {} : { column: location.column }),
    };
    if (before?.name === name && before.isLibrary === frame.isLibrary) {
      frames[frames.length - 1] = { ...before, isInlined: frame.isInlined };
    } else frames.push(frame);
  }
  return frames;
}

/** A line of a function, below the lines of the functions that it is inlined into. */
interface LineNode {
  readonly parent: number;
  readonly depth: number;
  readonly functionName: string;
  readonly file: string;
  readonly line: number;
}

/** The deepest level that is told apart. */
export const DEEPEST = 30;

/** Lines of user code of all classes. A line is a number; 0 is no line. */
export class LineTable {
  readonly #nodes: LineNode[] = [{ parent: 0, depth: 0, functionName: '', file: '', line: 0 }];
  readonly #byKey = new Map<string, number>();

  get count(): number {
    return this.#nodes.length;
  }

  /** The line of frames of user code, innermost first. */
  lineOf(frames: readonly CodeFrame[]): number {
    let parent = 0;
    let depth = 0;
    for (const frame of frames.toReversed()) {
      const { file, line, name } = frame;
      if (frame.isLibrary || file === undefined || line === undefined || depth >= DEEPEST) continue;
      depth += 1;
      const functionName = plainName(name);
      const key = `${parent} ${line} ${file} ${functionName}`;
      let node = this.#byKey.get(key);
      if (node === undefined) {
        node = this.#nodes.length;
        this.#nodes.push({ parent, depth, functionName, file, line });
        this.#byKey.set(key, node);
      }
      parent = node;
    }
    return parent;
  }

  node(line: number): LineNode {
    const node = this.#nodes[line];
    if (!node) throw new RangeError(`There is no line ${line}.`);
    return node;
  }

  depthOf(line: number): number {
    return this.#nodes[line]?.depth ?? 0;
  }

  /** The line of an outer level. */
  outer(line: number, depth: number): number {
    let outer = line;
    while (this.depthOf(outer) > depth) outer = this.#nodes[outer]?.parent ?? 0;
    return outer;
  }

  /** The number of outermost levels that two lines have in common. */
  commonDepth(line: number, other: number): number {
    let [a, b] = [line, other];
    while (a !== b) {
      if (this.depthOf(a) >= this.depthOf(b)) a = this.#nodes[a]?.parent ?? 0;
      else b = this.#nodes[b]?.parent ?? 0;
    }
    return this.depthOf(a);
  }

  *entries(): Generator<readonly [line: number, node: LineNode]> {
    for (const [line, node] of this.#nodes.entries()) if (line > 0) yield [line, node];
  }
}

/** Code of a class by pc. */
export class CodeTable {
  readonly code: ClassCode;
  /** Whether steps stop at lines; otherwise they stop at system calls. */
  readonly hasLines: boolean;
  /** By pc. */
  readonly lines: Uint32Array;
  /** The Sierra function by pc, plus 1. */
  readonly functions: Uint32Array;
  readonly #frames = new Map<number, readonly CodeFrame[]>();
  readonly #loops: boolean[] = [];

  constructor(code: ClassCode, table: LineTable) {
    this.code = code;
    const { statementOffsets } = code;
    const end = statementOffsets.at(-1) ?? 0;
    this.lines = new Uint32Array(end);
    this.functions = new Uint32Array(end);
    let hasLines = false;
    for (let statement = 0; statement + 1 < statementOffsets.length; statement += 1) {
      const first = statementOffsets[statement] ?? 0;
      const next = statementOffsets[statement + 1] ?? first;
      if (next === first) continue;
      const line = table.lineOf(framesOf(code.entriesAt(statement)));
      if (line !== 0) hasLines = true;
      this.lines.fill(line, first, next);
      this.functions.fill(code.functionAt(statement) + 1, first, next);
    }
    this.hasLines = hasLines;
  }

  /** The statement of a pc; -1 if it is no code. */
  statementAt(pc: number): number {
    const { statementOffsets } = this.code;
    if (pc >= (statementOffsets.at(-1) ?? 0)) return -1;
    let low = 0;
    let high = statementOffsets.length - 1;
    // The last of several statements with the same offset has the code.
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((statementOffsets[middle] ?? 0) <= pc) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  framesAt(pc: number): readonly CodeFrame[] {
    const statement = this.statementAt(pc);
    if (statement < 0) return [];
    const cached = this.#frames.get(statement);
    if (cached) return cached;
    const frames = framesOf(this.code.entriesAt(statement));
    const name = this.code.functionName(this.code.functionAt(statement));
    const all =
      frames.length > 0 || name === undefined
        ? frames
        : [{ entry: 0, name, isInlined: false, isLibrary: CORE.test(name) || isWrapper(name) }];
    this.#frames.set(statement, all);
    return all;
  }

  /** Whether the Sierra function at a pc is a loop. */
  isLoop(pc: number): boolean {
    const index = (this.functions[pc] ?? 0) - 1;
    if (index < 0) return false;
    let isLoop = this.#loops[index];
    if (isLoop === undefined) {
      isLoop = isLoopName(this.code.functionName(index) ?? '');
      this.#loops[index] = isLoop;
    }
    return isLoop;
  }
}
