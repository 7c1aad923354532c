// Variables of an active function at a step, by the names of Cairo.
import type { Scope, Variable } from '../debugger.js';
import { CORE_FILE } from '../lines.js';
import { evaluateCells, isPointer, type MemoryReader } from './cells.js';
import type { CodeLocation, DebugClass, SierraFunction } from './debug-class.js';
import { Decoder } from './decode.js';
import { type FunctionNames, matchNames, type NamedVariable } from './names.js';
import { isBefore, SourceFile, type TextPosition } from './source-file.js';
import { VariableFlow } from './variable-flow.js';

/** The registers before a step. Pointers are offsets in segment 1, the stack. */
export interface Registers {
  readonly pc: number;
  readonly ap: number;
  readonly fp: number;
}

/** An active function of a run at a step. Each call has an fp of its own in a run. */
export interface Activation {
  readonly fp: number;
  /**
   * Steps of the run with this fp, from the step of interest backwards to the first: the function's own steps,
   * without those of functions that it called. In a frame that is waiting for a callee, the first is its call.
   */
  steps(): Iterable<Registers>;
}

export interface ScopeRequest {
  readonly debugClass: DebugClass;
  readonly activation: Activation;
  readonly memory: MemoryReader;
  /** Which location of the step's statement the frame is of: 0 is the innermost inlined function. */
  readonly inlinedIndex: number;
  /** The text of a file of the class; it decides which variables are visible. */
  readonly sourceText?: (file: string) => Promise<string | undefined>;
}

/** Where a Sierra variable got its latest value. */
interface Definition {
  readonly reference: number;
  readonly ap: number;
  /** Counts the statements that ran. */
  readonly order: number;
  /** The first that defined it; none for a parameter. */
  readonly statement: number | undefined;
}

const NO_NAMES =
  'The artifact of the class has no names of variables. In Scarb.toml, below [cairo], set add-functions-debug-info and add-types-debug-info to true, build again, and pass the artifact to the node.';

const UNMAPPED =
  'The optimizations of the compiler remove variables. To keep them, set skip-optimizations = true below [cairo] of a profile in Scarb.toml, and build with this profile.';

function withoutText(file: string): string {
  return `The node lacks the text of ${file}, so most variables are not shown. Start it with --artifacts, or pass the text in sources of devnet_addArtifact.`;
}

const namesOfClasses = new WeakMap<DebugClass, ReadonlyMap<number, FunctionNames>>();
const flowsOfClasses = new WeakMap<DebugClass, Map<number, VariableFlow>>();
const filesOfClasses = new WeakMap<DebugClass, Map<string, SourceFile | undefined>>();

/** The variables of a frame. Parameters come first, then others by their declarations. */
export async function scopeOf(request: ScopeRequest): Promise<Scope> {
  const { debugClass, activation, memory, inlinedIndex } = request;
  const steps = [...activation.steps()].reverse();
  const statement = debugClass.statementAt(steps.at(-1)?.pc ?? Number.POSITIVE_INFINITY);
  const sierra = statement === undefined ? undefined : debugClass.functionAt(statement);
  if (statement === undefined || !sierra) return { variables: [], unmapped: 0 };
  if (!debugClass.source?.variables) return { variables: [], unmapped: 0, note: NO_NAMES };
  const names = getOrMake(namesOfClasses, debugClass, () => matchNames(debugClass)).get(sierra.id);
  const flow = flowOf(debugClass, sierra);
  const { frame, note: textNote } = await frameAt(request, statement, inlinedIndex, names);
  if (!frame) return { variables: [], unmapped: 0, ...(textNote ? { note: textNote } : {}) };
  const execution = executionOf(debugClass, sierra, steps);
  const decoder = new Decoder(debugClass, memory);
  const visible = visibleNames(names?.variables ?? [], frame, flow);
  const variables: Variable[] = [];
  let unmapped = frame.undeclared(visible);
  for (const named of visible) {
    const definition = latestDefinition(named, flow, execution, frame);
    const reference = debugClass.code?.references[definition?.reference ?? -1];
    if (!definition || !reference) {
      unmapped += 1;
      continue;
    }
    const registers = { ap: definition.ap, fp: activation.fp };
    const cells = await evaluateCells(reference.cells, registers, memory);
    const value = await decoder.decode(reference.type, cells);
    const isParameter = frame.isParameter(named);
    if (value) variables.push({ name: named.name, value, isParameter });
  }
  const notes = [
    ...(names ? [] : [ambiguous(sierra)]),
    ...(textNote ? [textNote] : []),
    ...(unmapped > 0 && names ? [UNMAPPED] : []),
  ];
  return { variables, unmapped, ...(notes.length > 0 ? { note: notes.join(' ') } : {}) };
}

function ambiguous({ name = 'This function' }: SierraFunction): string {
  return `The compiler wrote names of variables for ${name} and for other functions of the same source, without saying which names belong to which function.`;
}

function getOrMake<K extends object, V>(map: WeakMap<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

function flowOf(debugClass: DebugClass, sierra: SierraFunction): VariableFlow {
  const flows = getOrMake(flowsOfClasses, debugClass, () => new Map());
  const flow = flows.get(sierra.id) ?? new VariableFlow(debugClass, sierra);
  flows.set(sierra.id, flow);
  return flow;
}

/** A Cairo function at a step, maybe inlined. */
interface NamedFrame {
  /** Whether a variable is declared in the function and visible at the step. */
  isVisible(named: NamedVariable, flow: VariableFlow): boolean;
  /** Whether one of the statements is of this copy of an inlined function. */
  isOfCopy(definers: readonly number[]): boolean;
  isParameter(named: NamedVariable): boolean;
  /** Whether a statement may have changed a variable that had its value from another one. */
  mayChange(named: NamedVariable, statement: number, definer: number | undefined): boolean;
  /** How many visible variables the annotation does not name. */
  undeclared(visible: readonly NamedVariable[]): number;
}

async function frameAt(
  { debugClass, sourceText }: ScopeRequest,
  statement: number,
  inlinedIndex: number,
  names: FunctionNames | undefined,
): Promise<{ readonly frame?: NamedFrame; readonly note?: string }> {
  const locations = debugClass.locationsAt(statement);
  const location = locations[inlinedIndex];
  const { file, line = 0, column = 0 } = location ?? {};
  if (!location || file === undefined) return {};
  const files = getOrMake(filesOfClasses, debugClass, () => new Map());
  if (!files.has(file)) {
    const text = await sourceText?.(file);
    files.set(file, text === undefined ? undefined : new SourceFile(text));
  }
  const at = { line: line - 1, column: column - 1 };
  const source: SourceFile | undefined = files.get(file);
  const text = source?.functionAt(at);
  const callers = callersOf(locations, inlinedIndex);
  /** The line of the frame's function that a statement is of; statements of other inlined copies have none. */
  const lineOf = (other: number): number | undefined => {
    const otherLocations = debugClass.locationsAt(other);
    const index = otherLocations.length - 1 - callers.length;
    const own = otherLocations[index];
    if (own?.file !== file || own.line === undefined || !text) return undefined;
    if (callersOf(otherLocations, index).join() !== callers.join()) return undefined;
    const isInside = own.line > text.start.line && own.line <= text.end.line + 1;
    return isInside ? own.line - 1 : undefined;
  };
  if (source && text) {
    return { frame: textFrame({ source, text, at, lineOf, isInlined: callers.length > 0 }) };
  }
  const isOutermost = inlinedIndex === locations.length - 1;
  return {
    ...(isOutermost && names ? { frame: annotatedFrame(debugClass, names, at) } : {}),
    // Nodes do not have the core library.
    ...(source || CORE_FILE.test(file) ? {} : { note: withoutText(file) }),
  };
}

/** The calls that led to an inlined function. */
function callersOf(locations: readonly CodeLocation[], index: number): readonly string[] {
  return locations.slice(index + 1).map(({ file, line, column }) => `${file}:${line}:${column}`);
}

function textFrame({
  source,
  text,
  at,
  lineOf,
  isInlined,
}: {
  readonly source: SourceFile;
  readonly text: NonNullable<ReturnType<SourceFile['functionAt']>>;
  readonly at: TextPosition;
  readonly lineOf: (statement: number) => number | undefined;
  readonly isInlined: boolean;
}): NamedFrame {
  const visible = text.declarations.filter(
    (declaration) => isBefore(declaration, at) && isBefore(at, declaration.end),
  );
  // A later declaration of the same name hides the earlier one.
  const latest = new Map(visible.map((declaration) => [declaration.name, declaration]));
  return {
    isVisible: (named) => {
      if (!source.hasAt(named.name, named)) return false;
      const declaration = latest.get(named.name);
      return declaration?.line === named.line && declaration.column === named.column;
    },
    isOfCopy: (definers) => !isInlined || definers.some((definer) => lineOf(definer) !== undefined),
    isParameter: (named) => isBefore(named, text.parameterEnd),
    mayChange: (named, statement, definer) => {
      if (!latest.get(named.name)?.isMutable) return false;
      const line = lineOf(statement);
      const definedAt = definer === undefined ? undefined : lineOf(definer);
      return text.changes.some(
        (change) =>
          change.name === named.name &&
          ((change.line === line && line !== definedAt) ||
            change.loops.some(
              ({ first, last }) => first === line && (at.line < first || at.line > last),
            )),
      );
    },
    undeclared: (mapped) =>
      [...latest.keys()].filter((name) => mapped.every((other) => other.name !== name)).length,
  };
}

/** Without the text of the file: variables whose code is not inlined, and that are declared before the step. */
function annotatedFrame(
  debugClass: DebugClass,
  names: FunctionNames,
  at: TextPosition,
): NamedFrame {
  const isOwn = (definer: number): boolean => debugClass.locationsAt(definer).length <= 1;
  return {
    isVisible: (named, flow) =>
      !isBefore(named, names.start) &&
      isBefore(named, names.end) &&
      isBefore(named, at) &&
      named.variables.every((variable) => flow.definersOf(variable).every(isOwn)),
    isParameter: (named) => named.line === names.start.line,
    isOfCopy: () => true,
    mayChange: () => false,
    undeclared: () => 0,
  };
}

function visibleNames(
  names: readonly NamedVariable[],
  frame: NamedFrame,
  flow: VariableFlow,
): readonly NamedVariable[] {
  const byName = new Map<string, NamedVariable>();
  for (const named of names) {
    if (!frame.isVisible(named, flow)) continue;
    const earlier = byName.get(named.name);
    if (!earlier || isBefore(earlier, named)) byName.set(named.name, named);
  }
  return [...byName.values()].sort((first, other) => (isBefore(first, other) ? -1 : 1));
}

/**
 * The value that was made last among those that hold the variable. None if the variable may have changed after it: that
 * it is used later does not show that the variable still has it, because another variable may have the same value.
 */
function latestDefinition(
  named: NamedVariable,
  flow: VariableFlow,
  { definitions, ran }: Execution,
  frame: NamedFrame,
): Definition | undefined {
  const holders = flow.holdersOf(named) ?? [];
  const ofCopy = holders.filter((variable) => frame.isOfCopy(flow.definersOf(variable)));
  const roots = new Set(ofCopy.map((variable) => flow.rootOf(variable)));
  const firstDefinitions = new Map<number, Definition>();
  for (const [variable, definition] of definitions) {
    const root = flow.rootOf(variable);
    if (!roots.has(root)) continue;
    const birth = firstDefinitions.get(root);
    if (!birth || definition.order < birth.order) firstDefinitions.set(root, definition);
  }
  const [latest] = [...firstDefinitions.values()].sort((first, other) => other.order - first.order);
  const isStale = ran.some(
    ({ statement, order }) =>
      latest && order > latest.order && frame.mayChange(named, statement, latest.statement),
  );
  return isStale ? undefined : latest;
}

/** What ran of a function. */
interface Execution {
  /** The latest definition of each Sierra variable. */
  readonly definitions: ReadonlyMap<number, Definition>;
  readonly ran: readonly { readonly statement: number; readonly order: number }[];
}

/** What ran before the last of the steps. */
function executionOf(
  debugClass: DebugClass,
  sierra: SierraFunction,
  steps: readonly Registers[],
): Execution {
  const definitions = new Map<number, Definition>();
  const ran: { readonly statement: number; readonly order: number }[] = [];
  let order = 0;
  const define = (pairs: readonly number[], ap: number, definer?: number): void => {
    order += 1;
    const [[, ...args] = []] = debugClass.code?.statements[definer ?? -1] ?? [];
    for (let at = 0; at < pairs.length; at += 2) {
      const [variable = -1, reference = -1] = pairs.slice(at, at + 2);
      // A variable that is an argument too is only moved.
      const moved = args.includes(variable) ? definitions.get(variable) : undefined;
      const first = moved ?? { order, statement: definer };
      definitions.set(variable, { reference, ap, order: first.order, statement: first.statement });
    }
    if (definer !== undefined) ran.push({ statement: definer, order });
  };
  define(sierra.parameters, 0);
  let statement = sierra.first;
  /** Statements without instructions run right before the next one with them. */
  const runTo = (end: number, ap: number): void => {
    for (; statement < end; statement += 1) {
      const [, branch = []] = debugClass.code?.statements[statement] ?? [];
      define(branch.slice(1), ap, statement);
    }
  };
  for (const [index, { pc, ap }] of steps.entries()) {
    const current = debugClass.statementAt(pc);
    if (current === undefined) continue;
    if (index === 0 && debugClass.startOf(current) !== debugClass.startOf(sierra.first)) {
      // The first steps were dropped.
      statement = current;
    }
    if (pc === debugClass.startOf(current)) runTo(current, ap);
    const next = steps[index + 1];
    const after = next && debugClass.statementAt(next.pc);
    if (!next || after === undefined || after === current) continue;
    const [, ...branches] = debugClass.code?.statements[current] ?? [];
    const taken = branches.find(([target = -1]) => debugClass.startOf(target) === next.pc);
    if (!taken) continue;
    define(taken.slice(1), next.ap, current);
    statement = taken[0] ?? after;
  }
  return { definitions, ran };
}

/** Sierra gas left at the latest gas check of the activation. */
export async function gasOf(
  debugClass: DebugClass,
  activation: Activation,
  memory: MemoryReader,
): Promise<bigint | undefined> {
  const steps = [...activation.steps()].reverse();
  const statement = debugClass.statementAt(steps.at(-1)?.pc ?? Number.POSITIVE_INFINITY);
  const sierra = statement === undefined ? undefined : debugClass.functionAt(statement);
  if (!sierra) return undefined;
  let latest: Definition | undefined;
  for (const definition of executionOf(debugClass, sierra, steps).definitions.values()) {
    const type = debugClass.code?.references[definition.reference]?.type ?? -1;
    if (debugClass.type(type)?.generic !== 'GasBuiltin') continue;
    if (!latest || definition.order >= latest.order) latest = definition;
  }
  const reference = debugClass.code?.references[latest?.reference ?? -1];
  if (!latest || !reference) return undefined;
  const registers = { ap: latest.ap, fp: activation.fp };
  const [cell] = await evaluateCells(reference.cells, registers, memory);
  return isPointer(cell) ? undefined : cell;
}
