// Names of Cairo variables: which Sierra variables of a function hold them, by the compiler's annotation.
import type { DEBUG_SOURCE } from '@starkbox/spec';
import type { DebugClass, SierraFunction } from './debug-class.js';
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
  of(debugClass: DebugClass, { first, end }: SierraFunction): string | undefined {
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
  const open = new Map(
    functions.map((sierra) => {
      const definitions = definedLines(debugClass, sierra);
      return [sierra.id, annotations.filter((annotation) => fits(annotation, definitions))];
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
  const sorted = (list: readonly number[]): string => entriesOf(list).sort().join(' ');
  return names.length === other.names.length && sorted(names) === sorted(other.names);
}

function entriesOf(names: readonly number[]): string[] {
  return Array.from({ length: names.length / NAME_WIDTH }, (_, index) =>
    names.slice(index * NAME_WIDTH, (index + 1) * NAME_WIDTH).join(','),
  );
}

/** The last line of the function's own code that defines each variable; parameters are defined on no line. */
function definedLines(
  debugClass: DebugClass,
  { first, end, parameters }: SierraFunction,
): ReadonlyMap<number, number> {
  const lines = new Map<number, number>();
  for (let at = 0; at < parameters.length; at += 2) {
    lines.set(parameters[at] ?? -1, Number.POSITIVE_INFINITY);
  }
  for (let statement = first; statement < end; statement += 1) {
    const [, ...branches] = debugClass.code?.statements[statement] ?? [];
    const line = debugClass.locationsAt(statement).at(-1)?.line ?? Number.POSITIVE_INFINITY;
    for (const branch of branches) {
      for (let at = 1; at < branch.length; at += 2) {
        const variable = branch[at] ?? -1;
        lines.set(variable, Math.max(line, lines.get(variable) ?? 0));
      }
    }
  }
  return lines;
}

/** Whether a function has all named variables, and none is defined before it is declared. */
function fits({ names, span }: Annotation, lines: ReadonlyMap<number, number>): boolean {
  for (let at = 0; at < names.length; at += NAME_WIDTH) {
    const line = lines.get(names[at] ?? -1);
    if (line === undefined) return false;
    const declared = names[at + 2] ?? 0;
    const isOwn = declared >= (span[0] ?? 0) && declared <= (span[2] ?? 0);
    if (isOwn && line < declared + 1) return false;
  }
  return true;
}

function namesOf({ file, span, names }: Annotation, texts: readonly string[]): FunctionNames {
  const byDeclaration = new Map<string, NamedVariable & { readonly variables: number[] }>();
  for (let at = 0; at < names.length; at += NAME_WIDTH) {
    const [variable = 0, text = 0, line = 0, column = 0] = names.slice(at, at + NAME_WIDTH);
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
