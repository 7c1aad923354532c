// The Sierra variables of a function: their types, which have the same value, and which are only intermediate.
import { BUILTIN, type DebugClass, type SierraFunction, type SierraType } from './debug-class.js';
import type { NamedVariable } from './names.js';

/** Library functions that hand a value on; the number is the index of its argument. */
const IDENTITIES: ReadonlyMap<string, number> = new Map([
  ['dup', 0],
  ['rename', 0],
  ['snapshot_take', 0],
  ['store_local', 1],
  ['store_temp', 0],
]);

const PANIC_RESULT = 'core::panics::PanicResult';

export class VariableFlow {
  readonly #debugClass: DebugClass;
  readonly #types = new Map<number, SierraType>();
  readonly #parents = new Map<number, number>();
  /** Statements with the variables that each of their branches leaves. */
  readonly #results: { readonly statement: number; readonly variables: readonly number[] }[] = [];
  readonly #definers = new Map<number, number[]>();
  readonly #panics = new Set<number>();
  readonly parameters: ReadonlySet<number>;

  constructor(debugClass: DebugClass, sierra: SierraFunction) {
    this.#debugClass = debugClass;
    const { references = [] } = debugClass.code ?? {};
    const setType = (variable: number, reference: number): void => {
      const type = debugClass.type(references[reference]?.type ?? -1);
      if (type) this.#types.set(variable, this.#plain(type));
    };
    const parameters = new Set<number>();
    for (let at = 0; at < sierra.parameters.length; at += 2) {
      parameters.add(sierra.parameters[at] ?? -1);
      setType(sierra.parameters[at] ?? -1, sierra.parameters[at + 1] ?? -1);
    }
    this.parameters = parameters;
    const sources = new Map<number, Set<number>>();
    for (let statement = sierra.first; statement < sierra.end; statement += 1) {
      this.#add(statement, setType, sources);
    }
    const panics = [...this.#panics];
    for (const [variable, from] of sources) {
      const [source] = from;
      // A variable of several sources joins branches.
      if (from.size === 1 && source !== undefined && source >= 0) this.#join(variable, source);
    }
    for (const variable of panics) this.#panics.add(this.rootOf(variable));
  }

  #add(
    statement: number,
    setType: (variable: number, reference: number) => void,
    sources: Map<number, Set<number>>,
  ): void {
    const { statements = [], libfuncs = [] } = this.#debugClass.code ?? {};
    const [[libfunc = -1, ...args] = [], ...branches] = statements[statement] ?? [];
    const name = libfuncs[libfunc] ?? '';
    const source = args[IDENTITIES.get(name) ?? -1] ?? -1;
    const isPanicMatch = name === 'enum_match' && this.#isPanicResult(args[0] ?? -1);
    for (const branch of branches) {
      const variables: number[] = [];
      for (let at = 1; at < branch.length; at += 2) {
        const variable = branch[at] ?? -1;
        setType(variable, branch[at + 1] ?? -1);
        variables.push(variable);
        if (isPanicMatch) this.#panics.add(variable);
        if (variable !== source) add(sources, variable, source);
        const definers = this.#definers.get(variable);
        if (definers) definers.push(statement);
        else this.#definers.set(variable, [statement]);
      }
      this.#results.push({ statement, variables });
    }
  }

  /** Types of snapshots and what they are of have the same cells. */
  #plain(type: SierraType): SierraType {
    const inner =
      type.generic === 'Snapshot' ? this.#debugClass.type(type.types[0] ?? -1) : undefined;
    return inner ?? type;
  }

  #isPanicResult(variable: number): boolean {
    return this.#types.get(variable)?.name.startsWith(PANIC_RESULT) ?? false;
  }

  #join(variable: number, source: number): void {
    const [root, other] = [this.rootOf(variable), this.rootOf(source)];
    if (root !== other) this.#parents.set(root, other);
  }

  /** A number that variables of the same value share. */
  rootOf(variable: number): number {
    let root = variable;
    for (let parent = this.#parents.get(root); parent !== undefined; ) {
      root = parent;
      parent = this.#parents.get(root);
    }
    return root;
  }

  typeOf(variable: number): SierraType | undefined {
    return this.#types.get(variable);
  }

  /** The statements that define a variable. */
  definersOf(variable: number): readonly number[] {
    return this.#definers.get(variable) ?? [];
  }

  /**
   * The Sierra variables that hold a whole variable of Cairo. Others that the annotation names hold builtins, results
   * before their panic check, or members. Undefined if it cannot be decided which.
   */
  holdersOf(named: NamedVariable): readonly number[] | undefined {
    const parameter = named.variables.find((variable) => this.parameters.has(variable));
    const variables = new Set(named.variables);
    for (const variable of named.variables) {
      const type = this.#types.get(variable);
      const isIntermediate = this.#isIntermediate(variable);
      if (!type || isIntermediate || BUILTIN.test(type.generic)) variables.delete(variable);
    }
    for (const { variables: results } of this.#results) {
      const parts = results.filter((variable) => variables.has(variable));
      const roots = new Set(parts.map((variable) => this.rootOf(variable)));
      if (roots.size > 1) for (const variable of parts) variables.delete(variable);
    }
    const types = new Set([...variables].map((variable) => this.#types.get(variable)));
    const type = this.#wholeType(
      types,
      parameter === undefined ? undefined : this.typeOf(parameter),
    );
    if (!type) return undefined;
    return [...variables].filter((variable) => this.#types.get(variable) === type);
  }

  /** Whether it holds a result before its panic check, or nothing: the condition of a branch. */
  #isIntermediate(variable: number): boolean {
    return (
      this.#panics.has(this.rootOf(variable)) ||
      this.#isPanicResult(variable) ||
      this.#types.get(variable)?.name === 'Unit'
    );
  }

  /** The one type, or the one that the others are members of. */
  #wholeType(
    types: ReadonlySet<SierraType | undefined>,
    parameterType: SierraType | undefined,
  ): SierraType | undefined {
    if (parameterType) return parameterType;
    const [type] = types;
    if (types.size === 1) return type;
    return [...types].find(
      (whole) =>
        whole && [...types].every((part) => part === whole || this.#hasMember(whole, part)),
    );
  }

  #hasMember(whole: SierraType, part: SierraType | undefined): boolean {
    // A tuple may be the arguments of a call.
    if (whole.generic !== 'Struct' || whole.name.startsWith('Tuple<')) return false;
    const members = whole.types.flatMap((id) => this.#debugClass.type(id) ?? []);
    return members.some((member) => this.#plain(member) === part || this.#hasMember(member, part));
  }
}

function add(sources: Map<number, Set<number>>, variable: number, source: number): void {
  const set = sources.get(variable);
  if (set) set.add(source);
  else sources.set(variable, new Set([source]));
}
