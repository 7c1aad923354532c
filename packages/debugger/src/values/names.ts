// Names of Cairo variables: which Sierra variables of a function hold them, by the compiler's annotation.
import type { DEBUG_SOURCE } from '@starkbox/spec';
import { BUILTIN, type DebugClass, type SierraFunction } from './debug-class.js';
import { isBefore, type TextPosition } from './source-file.js';

/** A variable of Cairo with the Sierra variables that hold it at some time. */
export interface NamedVariable extends TextPosition {
  readonly name: string;
  readonly variables: readonly number[];
}

export interface FunctionNames {
  readonly file: string;
  readonly start: TextPosition;
  readonly end: TextPosition;
  readonly variables: readonly NamedVariable[];
}

type Annotation = NonNullable<DEBUG_SOURCE['variables']>[number];

const LOCATION_WIDTH = 5;
const NAME_WIDTH = 6;
/** How names of functions that the compiler writes for closures begin. */
const CLOSURE = 'Generated `';
const CLOSURE_TRAITS = '/ops/function.cairo';
/** More than any line has. */
const MAX_COLUMNS = 2 ** 20;
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/**
 * The names of each Sierra function, by its number. The annotation numbers functions in another way than the program,
 * so they are matched by file and span, and among functions of one span by their variables. Functions that match in
 * more than one way have no names.
 */
export function matchNames(debugClass: DebugClass): ReadonlyMap<number, FunctionNames> {
  const { source, functions } = debugClass;
  const names = new Map<number, FunctionNames>();
  if (!source?.variables) return names;
  const functionsBySpan = new Map<string, SierraFunction[]>();
  const spans = new Spans(source.variables);
  for (const sierra of functions) {
    const key = spans.of(debugClass, sierra);
    if (key === undefined) continue;
    const list = functionsBySpan.get(key);
    if (list) list.push(sierra);
    else functionsBySpan.set(key, [sierra]);
  }
  for (const [key, sierraFunctions] of functionsBySpan) {
    for (const [id, annotation] of assign(debugClass, sierraFunctions, spans.annotations(key))) {
      names.set(id, namesOf(annotation, source.texts));
    }
  }
  return names;
}

const keyOf = ({ file, span }: Annotation): string => `${file} ${span.join(' ')}`;

/** Annotations by their spans. */
class Spans {
  readonly #byKey = new Map<string, Annotation[]>();
  readonly #byFile = new Map<number, Annotation[]>();

  constructor(annotations: readonly Annotation[]) {
    for (const annotation of annotations) {
      const key = keyOf(annotation);
      const sameSpan = this.#byKey.get(key);
      if (sameSpan) sameSpan.push(annotation);
      else {
        this.#byKey.set(key, [annotation]);
        const inFile = this.#byFile.get(annotation.file) ?? [];
        this.#byFile.set(annotation.file, [...inFile, annotation]);
      }
    }
  }

  annotations(key: string): readonly Annotation[] {
    return this.#byKey.get(key) ?? [];
  }

  /** The span that has most of the outermost locations of a function: others are of code that macros wrote. */
  of(debugClass: DebugClass, { first, end, name = '' }: SierraFunction): string | undefined {
    if (name.startsWith(CLOSURE)) return this.#ofClosures(debugClass);
    const counts = new Map<string, number>();
    const { location_starts: starts = [], locations = [] } = debugClass.source ?? {};
    for (let statement = first; statement < end; statement += 1) {
      const begin = starts[statement] ?? 0;
      const last = (starts[statement + 1] ?? begin) - 1;
      if (last < begin) continue;
      const [, file = -1, line = -1, column = -1] = locations.slice(
        last * LOCATION_WIDTH,
        (last + 1) * LOCATION_WIDTH,
      );
      const key = this.#around(file, { line, column });
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const [most] = [...counts].sort(([, count], [, other]) => other - count);
    return most?.[0];
  }

  /** Functions of closures are annotated as those of the traits that closures implement. */
  #ofClosures(debugClass: DebugClass): string | undefined {
    const keys = [...this.#byKey].flatMap(([key, [annotation]]) => {
      const file = debugClass.source?.texts[annotation?.file ?? -1] ?? '';
      return file.endsWith(CLOSURE_TRAITS) ? [key] : [];
    });
    return keys.length === 1 ? keys[0] : undefined;
  }

  #around(file: number, position: TextPosition): string | undefined {
    const annotation = this.#byFile.get(file)?.find(({ span: [line = 0, column = 0, ...last] }) => {
      const end = { line: last[0] ?? 0, column: last[1] ?? 0 };
      return !isBefore(position, { line, column }) && isBefore(position, end);
    });
    return annotation && keyOf(annotation);
  }
}

/** Pairs of functions and annotations of one span that fit in one way only. */
function assign(
  debugClass: DebugClass,
  functions: readonly SierraFunction[],
  annotations: readonly Annotation[],
): readonly (readonly [id: number, annotation: Annotation])[] {
  // Without an annotation for each, one of another function could be the only one that fits.
  if (functions.length > annotations.length) return [];
  const open = new Map(
    functions.map((sierra) => {
      const definitions = definitionsOf(debugClass, sierra);
      const hasAll = annotations.filter(({ names }) => hasVariables(names, definitions));
      const isOnly = functions.length === 1 && annotations.length === 1;
      return [
        sierra.id,
        isOnly ? hasAll : hasAll.filter((annotation) => fits(annotation, sierra, definitions)),
      ];
    }),
  );
  const assigned: (readonly [number, Annotation])[] = [];
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const [id, candidates] of open) {
      const [annotation] = candidates;
      const isSure = annotation && candidates.every((other) => hasSameNames(other, annotation));
      if (!isSure) continue;
      assigned.push([id, annotation]);
      open.delete(id);
      for (const [other, rest] of open) open.set(other, without(rest, annotation));
      isChanged = true;
    }
  }
  return assigned;
}

function without(annotations: readonly Annotation[], assigned: Annotation): Annotation[] {
  return annotations.filter((annotation) => annotation !== assigned);
}

function hasSameNames({ names }: Annotation, other: Annotation): boolean {
  const sortKey = (list: readonly number[]): string => entries(list).map(String).sort().join(' ');
  return names.length === other.names.length && sortKey(names) === sortKey(other.names);
}

/** Where a Sierra variable is defined. */
interface Definitions {
  /** The last line of the function that defines each variable: infinite for a parameter, or where code is inlined. */
  readonly lines: ReadonlyMap<number, number>;
  /** Parameters of the Cairo function, or captured variables of a loop: without builtins. */
  readonly parameters: readonly number[];
}

function definitionsOf(
  debugClass: DebugClass,
  { first, end, parameters }: SierraFunction,
): Definitions {
  const lines = new Map<number, number>();
  const ownParameters: number[] = [];
  for (let at = 0; at < parameters.length; at += 2) {
    const [variable = -1, reference = -1] = parameters.slice(at, at + 2);
    lines.set(variable, Number.POSITIVE_INFINITY);
    const type = debugClass.type(debugClass.code?.references[reference]?.type ?? -1);
    if (!BUILTIN.test(type?.generic ?? '')) ownParameters.push(variable);
  }
  for (let statement = first; statement < end; statement += 1) {
    const [, ...branches] = debugClass.code?.statements[statement] ?? [];
    const [location, ...outer] = debugClass.locationsAt(statement);
    const line = outer.length > 0 ? undefined : location?.line;
    for (const branch of branches) {
      for (let at = 1; at < branch.length; at += 2) {
        const variable = branch[at] ?? -1;
        lines.set(variable, Math.max(line ?? Number.POSITIVE_INFINITY, lines.get(variable) ?? 0));
      }
    }
  }
  return { lines, parameters: ownParameters };
}

function hasVariables(names: readonly number[], { lines }: Definitions): boolean {
  return entries(names).every(([variable]) => lines.has(variable));
}

/**
 * Whether a function can be the one of an annotation: no variable is defined before it is declared, and the parameters
 * of a function that is no loop and no closure are declared in their order.
 */
function fits(
  { names, span }: Annotation,
  { name = '' }: SierraFunction,
  { lines, parameters }: Definitions,
): boolean {
  const declarations = new Map<number, number>();
  for (const [variable, , line, column] of entries(names)) {
    const isOwn = line >= (span[0] ?? 0) && line <= (span[2] ?? 0);
    if (isOwn && (lines.get(variable) ?? 0) < line + 1) return false;
    if (isOwn) declarations.set(variable, line * MAX_COLUMNS + column);
  }
  if (/[\]}]$/.test(name)) return true;
  const ordered = parameters.map((variable) => declarations.get(variable) ?? -1);
  return ordered.every((position, index) => position > (ordered[index - 1] ?? -1));
}

function entries(names: readonly number[]): readonly (readonly [number, number, number, number])[] {
  return Array.from({ length: names.length / NAME_WIDTH }, (_, index) => {
    const [variable = 0, text = 0, line = 0, column = 0] = names.slice(index * NAME_WIDTH);
    return [variable, text, line, column];
  });
}

function namesOf({ file, span, names }: Annotation, texts: readonly string[]): FunctionNames {
  const byDeclaration = new Map<string, NamedVariable & { readonly variables: number[] }>();
  for (const [variable, text, line, column] of entries(names)) {
    const name = texts[text] ?? '';
    if (!IDENTIFIER.test(name)) continue;
    const key = `${name} ${line} ${column}`;
    const named = byDeclaration.get(key) ?? { name, line, column, variables: [] };
    named.variables.push(variable);
    byDeclaration.set(key, named);
  }
  const [line = 0, column = 0, endLine = 0, endColumn = 0] = span;
  return {
    file: texts[file] ?? '',
    start: { line, column },
    end: { line: endLine, column: endColumn },
    variables: [...byDeclaration.values()],
  };
}
