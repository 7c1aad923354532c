// The code and debug information of a class: statements, functions, locations and types, by number.
import type { DEBUG_CLASS, DEBUG_CODE, DEBUG_SOURCE } from '@starkbox/spec';

/** A location of a statement. Line and column begin at 1. */
export interface CodeLocation {
  /** The Cairo function, as in `package::module::transfer`; empty if the debug information has none. */
  readonly function: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** Whether the function was inlined into the next one. */
  readonly isInlined: boolean;
  /** Whether a macro or an attribute wrote the code. */
  readonly isGenerated: boolean;
}

/** A function of the Sierra program. */
export interface SierraFunction {
  readonly id: number;
  readonly name?: string;
  /** The first statement, and the one after the last. */
  readonly first: number;
  readonly end: number;
  /** Pairs of a variable and the index of its reference. */
  readonly parameters: readonly number[];
  readonly results: readonly number[];
}

/** A type of the Sierra program. */
export interface SierraType {
  readonly id: number;
  readonly generic: string;
  /** The name in Cairo, as in `core::integer::u256`; of a Sierra type without one, the generic type. */
  readonly name: string;
  readonly size: number;
  readonly types: readonly number[];
  readonly values: readonly string[];
  /** Names of members or variants. */
  readonly members?: readonly string[];
}

/** Generic types that the compiler passes along, and memory that was reserved. */
export const BUILTIN: RegExp =
  /^(Bitwise|BuiltinCosts|Coupon|EcOp|GasBuiltin|GasReserve|Pedersen|Poseidon|RangeCheck|RangeCheck96|AddMod|MulMod|SegmentArena|System|Uninitialized)$/;

const LOCATION_WIDTH = 5;

export class DebugClass {
  readonly classHash: string;
  readonly name: string | undefined;
  /** The ABI as JSON text. */
  readonly abi: string | undefined;
  /** Why there is no code. */
  readonly note: string | undefined;
  readonly code: DEBUG_CODE | undefined;
  readonly source: DEBUG_SOURCE | undefined;
  /** Whether users cannot build it again with debug information. */
  readonly isPredeployed: boolean;
  /** Ordered by their first statements; empty without code. */
  readonly functions: readonly SierraFunction[];
  /** The files that locations name. */
  readonly files: readonly string[];
  readonly #types: ReadonlyMap<number, SierraType>;

  constructor(wire: DEBUG_CLASS) {
    this.classHash = wire.class_hash;
    this.name = wire.name;
    this.abi = wire.abi;
    this.note = wire.note;
    this.code = wire.code;
    this.source = wire.source;
    this.isPredeployed = wire.predeployed === true;
    this.functions = functionsOf(wire.code, wire.source);
    this.files = filesOf(wire.source);
    this.#types = typesOf(wire.code, wire.source);
  }

  /** Whether the class has Sierra statements, so that its steps have functions. */
  get hasCode(): boolean {
    return this.code !== undefined;
  }

  /** Whether statements have locations in files. */
  get hasLocations(): boolean {
    return this.files.length > 0;
  }

  /** The statement that an instruction belongs to. */
  statementAt(pc: number): number | undefined {
    if (!this.code || pc >= this.code.end) return undefined;
    const after = firstAbove(this.code.starts.length, (at) => this.code?.starts[at] ?? 0, pc);
    return after === 0 ? undefined : after - 1;
  }

  /** The offset of the first instruction of a statement. */
  startOf(statement: number): number {
    return this.code?.starts[statement] ?? this.code?.end ?? 0;
  }

  functionAt(statement: number): SierraFunction | undefined {
    const { functions } = this;
    const after = firstAbove(functions.length, (at) => functions[at]?.first ?? 0, statement);
    return functions[after - 1];
  }

  /** The locations of a statement, of the innermost function first. */
  locationsAt(statement: number): readonly CodeLocation[] {
    const { texts, location_starts, locations } = this.source ?? NO_SOURCE;
    const first = location_starts[statement] ?? 0;
    const end = location_starts[statement + 1] ?? first;
    return Array.from({ length: end - first }, (_, index) => {
      const at = (first + index) * LOCATION_WIDTH;
      const [name = -1, file = -1, line = -1, column = -1, generated] = locations.slice(
        at,
        at + LOCATION_WIDTH,
      );
      const path = texts[file];
      return {
        function: texts[name] ?? '',
        ...(path === undefined ? {} : { file: path, line: line + 1, column: column + 1 }),
        isInlined: first + index < end - 1,
        isGenerated: generated === 1,
      };
    });
  }

  type(id: number): SierraType | undefined {
    return this.#types.get(id);
  }
}

const NO_SOURCE: DEBUG_SOURCE = {
  texts: [],
  location_starts: [],
  locations: [],
  functions: [],
  types: [],
};

/** The number of ordered values that are at most `bound`. */
function firstAbove(length: number, valueAt: (index: number) => number, bound: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (valueAt(middle) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function functionsOf(
  code: DEBUG_CODE | undefined,
  source: DEBUG_SOURCE | undefined,
): readonly SierraFunction[] {
  const names = new Map(source?.functions.map(({ id, name }) => [id, name]));
  const functions = code?.functions ?? [];
  return functions.map((sierra, index) => {
    const name = names.get(sierra.id);
    const end = functions[index + 1]?.first ?? code?.starts.length ?? 0;
    return { ...sierra, end, ...(name === undefined ? {} : { name }) };
  });
}

function filesOf(source: DEBUG_SOURCE | undefined): readonly string[] {
  const { texts, locations } = source ?? NO_SOURCE;
  const files = new Set<string>();
  for (let at = 1; at < locations.length; at += LOCATION_WIDTH) {
    const file = texts[locations[at] ?? -1];
    if (file !== undefined) files.add(file);
  }
  return [...files];
}

function typesOf(
  code: DEBUG_CODE | undefined,
  source: DEBUG_SOURCE | undefined,
): ReadonlyMap<number, SierraType> {
  const names = new Map(source?.types.map((type) => [type.id, type]));
  const types = new Map<number, SierraType>();
  for (const declaration of code?.types ?? []) {
    const named = names.get(declaration.id);
    types.set(declaration.id, {
      ...declaration,
      name: named?.name ?? declaration.generic,
      ...(named?.members ? { members: named.members } : {}),
    });
  }
  return types;
}
