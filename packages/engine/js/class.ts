// Contract classes, and the built-in ones.

import type * as binding from '../binding.js';
import { addon, readBuiltinClass } from './addon.js';
import { callNow, callWorker } from './call.js';
import { EngineError } from './error.js';

/** Bounds on a class and on its compilation. What is left out is not bounded, or at its default. */
export interface ClassLimits {
  /** Length of the compiled class as JSON, in bytes. */
  readonly compiledBytes?: number;
  /** Felts of CASM bytecode. */
  readonly bytecodeFelts?: number;
  /** Felts of the Sierra program. */
  readonly sierraFelts?: number;
  /** How long the compiler may run; 30 s by default. */
  readonly compileMillis?: number;
  /** How much memory the compiler may hold; 4 GiB by default. */
  readonly compilerMemory?: number;
}

/** Sizes of a class. */
export interface ClassFigures {
  readonly sierraVersion?: string;
  readonly sierraFelts: number;
  readonly bytecodeFelts: number;
  readonly abiBytes: number;
}

/** A libfunc that public networks refuse. */
export interface UnauditedLibfunc {
  readonly name: string;
  /** The Sierra version from which it is audited; none if it is not on the list. */
  readonly auditedSince?: string;
}

/** A function of a Sierra program. */
export interface SierraFunction {
  /** Its first statement; the next function's first statement ends it. */
  readonly first: number;
  /** Its number in the program, by which debug information names it. */
  readonly id: number;
}

/** The Sierra statements of a class, and where they leave their variables. */
export interface SierraVariables {
  /** The offset into the bytecode of each statement; those without bytecode have the next one's. */
  readonly starts: readonly number[];
  /** The offset after the last statement. */
  readonly end: number;
  /** Ordered by their first statements; parameters are pairs of a variable and the index of its reference. */
  readonly functions: readonly {
    readonly id: number;
    readonly first: number;
    readonly parameters: readonly number[];
    readonly results: readonly number[];
  }[];
  /** A type, and an expression for each cell with the registers after the statement. */
  readonly references: readonly { readonly type: number; readonly cells: readonly string[] }[];
  /** Names of generic libfuncs. */
  readonly libfuncs: readonly string[];
  /**
   * For each statement, the libfunc and its arguments, then its branches: the next statement, then pairs of a variable
   * and the index of its reference. Empty for a return.
   */
  readonly statements: readonly (readonly (readonly number[])[])[];
  readonly types: readonly {
    readonly id: number;
    readonly generic: string;
    /** The number of cells. */
    readonly size: number;
    readonly types: readonly number[];
    readonly values: readonly string[];
  }[];
}

/** As the compiler writes it. */
interface StatementsWithVariables {
  readonly starts: readonly number[];
  readonly end: number;
  readonly variables: Omit<SierraVariables, 'starts' | 'end'>;
}

const MAKE = Symbol('only the engine makes classes');

function parseClass(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A contract class, compiled and ready to run. What is compiled twice is held once. */
export class Class {
  readonly hash: string;
  readonly kind: 'sierra' | 'cairo0';
  /** The hash that a DECLARE must carry; none for Cairo 0. */
  readonly compiledClassHash: string | undefined;
  /** @internal */
  readonly native: binding.Class;

  /** @internal */
  constructor(make: symbol, native: binding.Class) {
    if (make !== MAKE) throw new EngineError('input', 'use Class.compile or Class.withCasm');
    this.native = native;
    this.hash = native.hash;
    this.kind = native.isSierra ? 'sierra' : 'cairo0';
    this.compiledClassHash = native.compiledClassHash ?? undefined;
  }

  /** @internal */
  static of(native: binding.Class): Class {
    return new Class(MAKE, native);
  }

  /**
   * Reads a class (Sierra or Cairo 0; as a compiler writes it or as the RPC carries it) and
   * compiles it within bounds of time and memory.
   *
   * @example
   * const counter = await Class.compile(await readFile('counter.sierra.json', 'utf8'));
   * console.log(counter.hash, counter.compiledClassHash);
   */
  static async compile(json: string, limits: ClassLimits = {}): Promise<Class> {
    return Class.of(await callWorker(() => addon.Class.compile(json, { ...limits })));
  }

  /** As `compile`, with CASM that was compiled earlier by the same compiler. */
  static async withCasm(json: string, casm: string): Promise<Class> {
    return Class.of(await callWorker(() => addon.Class.withCasm(json, casm)));
  }

  /**
   * Reads what `pack` wrote, at once: hashes are trusted, and code is parsed when it first runs.
   */
  static unpack(bytes: Uint8Array): Class {
    return Class.of(callNow(() => addon.Class.unpack(bytes)));
  }

  /** The class with its CASM as one piece of bytes. */
  pack(): Promise<Uint8Array> {
    return callWorker(() => this.native.pack());
  }

  /** Parses the code now, so that the first execution does not wait for it. */
  warm(): Promise<void> {
    return callWorker(() => this.native.warm());
  }

  /** The class hash alone; nothing is compiled. */
  static hashOf(json: string): Promise<string> {
    return callWorker(() => addon.Class.hashOf(json));
  }

  /** Whether the compiler of this process wrote its code. Other code may have hints that no hash covers. */
  get isCompiledHere(): boolean {
    return this.native.isCompiledHere;
  }

  get figures(): ClassFigures {
    return this.native.figures;
  }

  /** The class as `starknet_getClass` shows it, as JSON text. */
  json(): Promise<string> {
    return callWorker(() => this.native.wire());
  }

  /**
   * The Sierra statements that have bytecode, in order: the others, such as renames, are in no trace. Compiles the
   * class once more when first asked, as {@link functions} does.
   */
  codedStatements(): Promise<readonly number[]> {
    return callWorker(() => this.native.codedStatements());
  }

  /**
   * The Sierra statements with the cells where they leave their variables, for debuggers. Compiles the class once
   * more; rejects a class that runs code of another compiler version.
   */
  async variables(): Promise<SierraVariables> {
    const text = await callWorker(() => this.native.variables());
    const { starts, end, variables }: StatementsWithVariables = JSON.parse(text);
    return { starts, end, ...variables };
  }

  /** The compiled class as JSON text. Sierra only. */
  casm(): Promise<string> {
    return callWorker(() => this.native.casm());
  }

  /** The compiled class hash of protocol versions before 0.14.1; none for Cairo 0. */
  async compiledClassHashPoseidon(): Promise<string | undefined> {
    return (await callWorker(() => this.native.compiledClassHashPoseidon())) ?? undefined;
  }

  /** The first libfunc that is not on the compiler's list of audited ones, for the Sierra version of the class. */
  async unauditedLibfunc(): Promise<UnauditedLibfunc | undefined> {
    return (await callWorker(() => this.native.unauditedLibfunc())) ?? undefined;
  }

  /**
   * The functions of the Sierra program, ordered by their first statement. Compiles the class once more when
   * first asked; fails if the code that runs is not what the pinned compiler makes of it.
   */
  functions(): Promise<readonly SierraFunction[]> {
    return callWorker(() => this.native.functions());
  }

  /** The ABI, parsed; empty where a class has none or one that is not JSON: it is not validated. */
  async abi(): Promise<readonly unknown[]> {
    const { abi }: { abi?: unknown } = JSON.parse(await this.json());
    const list = typeof abi === 'string' ? parseClass(abi) : abi;
    return Array.isArray(list) ? list : [];
  }
}

/** The classes that public networks have and every local chain starts with. */
export type BuiltinClass = 'account' | 'account-cairo0' | 'strk' | 'eth' | 'udc' | 'udc-cairo0';

const builtins = new Map<BuiltinClass, Promise<Class>>();

/** Loads a class of the build output, once; it is packed, so nothing is compiled or hashed. */
export function builtinClass(name: BuiltinClass): Promise<Class> {
  const loading = builtins.get(name) ?? loadBuiltin(name);
  builtins.set(name, loading);
  return loading;
}

async function loadBuiltin(name: BuiltinClass): Promise<Class> {
  try {
    return Class.unpack(await readBuiltinClass(name));
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw new EngineError(
      'class',
      `the built-in class ${name} is missing: run \`npm run build:classes\``,
    );
  }
}
