// Coverage by source line as LCOV, from visited Sierra statements and the debug information of artifacts.
import { type Members, membersOf } from '@starkbox/abi/basics';
import { ANNOTATIONS } from './artifact.js';

interface Hits {
  readonly lines: Map<number, number>;
  readonly functions: Map<string, { line: number; hits: number }>;
}

/** A line of the user's own source. */
interface SourceLocation {
  readonly file: string;
  /** The first line is 1. */
  readonly line: number;
  readonly function: string | undefined;
}

/** Whether the output of a compiler has the lines of its statements. */
export function hasPlaces(artifact: unknown): boolean {
  return Object.keys(annotation(artifact, 'locations')).length > 0;
}

export class LineCoverage {
  readonly #files = new Map<string, Hits>();

  /**
   * Adds a class.
   *
   * @param statements pairs of a statement that has code and how often it ran
   * @param artifact the class as a compiler writes it, with code locations
   */
  add(statements: readonly (readonly number[])[], artifact: unknown): void {
    const locations = annotation(artifact, 'locations');
    const functions = annotation(artifact, 'functions');
    const hitsByFile = new Map<string, Hits>();
    for (const [statement = 0, times = 0] of statements) {
      // A statement of inlined code has a line in each function around it.
      for (const location of locationsAt(locations[statement], functions[statement])) {
        raise(hitsIn(hitsByFile, location.file), location, times);
      }
    }
    for (const [file, hits] of hitsByFile) this.#merge(file, hits);
  }

  /** Other classes may have code of the same lines. */
  #merge(file: string, { lines, functions }: Hits): void {
    const all = hitsIn(this.#files, file);
    for (const [line, hits] of lines) all.lines.set(line, (all.lines.get(line) ?? 0) + hits);
    for (const [name, { line, hits }] of functions) {
      const total = all.functions.get(name);
      all.functions.set(name, {
        line: Math.min(line, total?.line ?? line),
        hits: hits + (total?.hits ?? 0),
      });
    }
  }

  /** Lines that ran, and lines with code. */
  get figures(): { readonly hit: number; readonly found: number } {
    const counts = [...this.#files.values()].flatMap(({ lines }) => [...lines.values()]);
    return { hit: counts.filter((hits) => hits > 0).length, found: counts.length };
  }

  /** One record for each file, sorted. */
  lcov(): string {
    const files = [...this.#files].sort(([file], [other]) => (file < other ? -1 : 1));
    return files.map(([file, hits]) => record(file, hits)).join('');
  }
}

function hitsIn(files: Map<string, Hits>, file: string): Hits {
  const hits = files.get(file) ?? { lines: new Map(), functions: new Map() };
  files.set(file, hits);
  return hits;
}

/** A line has many statements: it ran as often as the one that ran most often. */
function raise(
  { lines, functions }: Hits,
  { line, function: name }: SourceLocation,
  times: number,
): void {
  lines.set(line, Math.max(times, lines.get(line) ?? 0));
  if (name === undefined) return;
  const functionHits = functions.get(name);
  functions.set(name, {
    line: Math.min(line, functionHits?.line ?? line),
    hits: Math.max(times, functionHits?.hits ?? 0),
  });
}

function locationsAt(locations: unknown, functions: unknown): readonly SourceLocation[] {
  if (!Array.isArray(locations)) return [];
  const names: readonly unknown[] = Array.isArray(functions) ? functions : [];
  const isAligned = names.length === locations.length;
  return locations.flatMap((location: unknown, index) => {
    if (!Array.isArray(location)) return [];
    const [file, span, isGenerated]: unknown[] = location;
    const line = membersOf(membersOf(span)['start'])['line'];
    if (typeof file !== 'string' || typeof line !== 'number') return [];
    // Older compilers mark code that a macro wrote behind the path.
    if (isGenerated === true || file.includes('[') || isLibrary(file)) return [];
    const name = isAligned ? names[index] : undefined;
    return [{ file, line: line + 1, function: typeof name === 'string' ? name : undefined }];
  });
}

/** The core library, and packages from a registry or from git. */
export function isLibrary(file: string): boolean {
  return /(^|\/)(corelib|std\/core|scarb\/(registry|git))(\/|$)/.test(file);
}

function record(file: string, { lines, functions }: Hits): string {
  const sortedFunctions = [...functions].sort(
    ([name, { line: first }], [other, { line: second }]) =>
      first - second || (name < other ? -1 : 1),
  );
  const numbered = [...lines].sort(([line], [other]) => line - other);
  return [
    'TN:',
    `SF:${file}`,
    ...sortedFunctions.map(([name, { line }]) => `FN:${line},${name}`),
    ...sortedFunctions.map(([name, { hits }]) => `FNDA:${hits},${name}`),
    `FNF:${sortedFunctions.length}`,
    `FNH:${sortedFunctions.filter(([, { hits }]) => hits > 0).length}`,
    ...numbered.map(([line, hits]) => `DA:${line},${hits}`),
    `LF:${numbered.length}`,
    `LH:${numbered.filter(([, hits]) => hits > 0).length}`,
    'end_of_record\n',
  ].join('\n');
}

function annotation(artifact: unknown, kind: keyof typeof ANNOTATIONS): Members {
  const { tool, member } = ANNOTATIONS[kind];
  const info = membersOf(membersOf(artifact)['sierra_program_debug_info']);
  return membersOf(membersOf(membersOf(info['annotations'])[tool])[member]);
}
