// Reader of params: positional or named, validated against the documents, with felts in canonical form.
import { memberOf } from '@starkbox/abi/basics';
import { invalidParams } from '../../errors.js';
import {
  type Declared,
  type Documents,
  declaredIn,
  type Parameter,
  parametersOf,
} from './documents.js';
import { didYouMean, nearest } from './method-suggestions.js';
import type { LoadPrecompiled, Precompiled } from './precompiled.js';
import { Compiler } from './schema-compiler.js';

/** Turns what a caller sent into the named parameters of one method, or throws -32602. */
export type ParamsReader = (params: unknown) => Record<string, unknown>;

type Check = (params: Record<string, unknown>) => void;

/**
 * Readers for the methods of some documents. Nothing is read or compiled before its first use. With precompiled
 * checks, the documents and their compiler are needed only to explain a refusal.
 *
 * @example
 * const read = await new Schema(readDocuments).reader('starknet_getNonce');
 * read(['latest', '0x01']); // { block_id: 'latest', contract_address: '0x1' }
 */
export class Schema {
  readonly #load: () => Documents;
  readonly #loadPrecompiled: LoadPrecompiled | undefined;
  readonly #readers = new Map<string, ParamsReader>();
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #precompiled: ReadonlyMap<string, Precompiled> | undefined;
  #methods: ReadonlyMap<string, Declared> | undefined;
  #compiler: Compiler | undefined;

  constructor(load: () => Documents, precompiled?: LoadPrecompiled) {
    this.#load = load;
    this.#loadPrecompiled = precompiled;
  }

  /** Loads what the first call would otherwise wait for. */
  warm(): Promise<void> {
    this.#loading ??= this.#open().catch((error: unknown) => {
      // The next call tries again.
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /**
   * The reader of a method; what no document has takes nothing. A promise until everything is loaded,
   * the same for every method, so that calls are served in the order they came.
   */
  reader(method: string): ParamsReader | Promise<ParamsReader> {
    const reader = this.#readers.get(method);
    if (reader) return reader;
    if (this.#isLoaded) return this.#prepare(method);
    return this.warm().then(() => this.#prepare(method));
  }

  async #open(): Promise<void> {
    // Node does not try again to load a module that could not be opened; the documents can be compiled then.
    this.#precompiled = await this.#loadPrecompiled?.().catch(() => undefined);
    if (!this.#precompiled) this.#compile();
    this.#isLoaded = true;
  }

  #compile(): { readonly compiler: Compiler; readonly methods: ReadonlyMap<string, Declared> } {
    if (!this.#compiler || !this.#methods) {
      const documents = this.#load();
      this.#methods = declaredIn(documents);
      this.#compiler = new Compiler(documents);
    }
    return { compiler: this.#compiler, methods: this.#methods };
  }

  #prepare(method: string): ParamsReader {
    const { parameters, check } = this.#precompiled
      ? this.#precompiledCheck(method, this.#precompiled.get(method))
      : this.#ownCheck(method);
    const reader = (params: unknown): Record<string, unknown> => {
      const byName = toNamed(params, parameters);
      check?.(byName);
      return byName;
    };
    this.#readers.set(method, reader);
    return reader;
  }

  #ownCheck(method: string): { parameters: readonly Parameter[]; check: Check | undefined } {
    const { compiler, methods } = this.#compile();
    const declared = methods.get(method);
    const check = declared && declared.params.length > 0 ? compiler.check(declared) : undefined;
    return { parameters: parametersOf(declared), check };
  }

  /** What the precompiled check refuses, the compiler refuses with an explanation. */
  #precompiledCheck(
    method: string,
    precompiled: Precompiled | undefined,
  ): { parameters: readonly Parameter[]; check: Check | undefined } {
    const { parameters = [], accepts } = precompiled ?? {};
    if (!accepts) return { parameters, check: undefined };
    let explain: Check | undefined;
    const check = (params: Record<string, unknown>): void => {
      if (accepts(params)) return;
      try {
        explain ??= this.#ownCheck(method).check;
        explain?.(params);
      } catch (error) {
        // The policy of a page may forbid to compile.
        if (!(error instanceof EvalError)) throw error;
        invalidParams(
          `params: a value does not fit the specification of ${method}; to see which, allow 'unsafe-eval' in the content security policy`,
        );
      }
    };
    return { parameters, check };
  }
}

/** Presence and names; a new object, so that the caller's is not changed. */
function toNamed(params: unknown, parameters: readonly Parameter[]): Record<string, unknown> {
  const byName: Record<string, unknown> = {};
  const take = ({ name, required }: Parameter, value: unknown): void => {
    if (value !== undefined && (required || value !== null)) byName[name] = value;
    else if (required) invalidParams(`params.${name}: missing`);
  };
  if (Array.isArray(params)) {
    const most = parameters.length;
    if (params.length > most) {
      invalidParams(`params: expected at most ${most} in the list; got ${params.length}`);
    }
    parameters.forEach((parameter, i) => {
      take(parameter, params[i]);
    });
    return byName;
  }
  for (const name of Object.keys(params ?? {})) {
    if (parameters.every((parameter) => parameter.name !== name)) {
      const names = parameters.map((parameter) => parameter.name);
      const expected = names.join(', ') || 'no parameters';
      const suggestion = didYouMean(nearest(name, names));
      invalidParams(`params: unknown parameter ${name}; expected ${expected}${suggestion}`);
    }
  }
  for (const parameter of parameters) {
    take(parameter, memberOf(params, parameter.name));
  }
  return byName;
}
