// Classes that ran: their code, lines, variables and sources.
import type { Scope } from './debugger.js';
import { type ClassCode, CodeTable, LineTable } from './lines.js';

/** What is read of a class. */
export interface ClassData {
  readonly name?: string | undefined;
  readonly abi?: string | undefined;
  /** Why there is no code. */
  readonly note?: string | undefined;
  readonly files: readonly string[];
  /** Undefined for Cairo 0, and for code of another compiler version. */
  readonly code: ClassCode | undefined;
}

export class Classes {
  readonly lines: LineTable = new LineTable();
  readonly #data: ReadonlyMap<string, ClassData>;
  readonly #tables = new Map<string, CodeTable>();

  constructor(data: ReadonlyMap<string, ClassData>) {
    this.#data = data;
    for (const [hash, { code }] of data) {
      if (code) this.#tables.set(hash, new CodeTable(code, this.lines));
    }
  }

  get(hash: string): ClassData | undefined {
    return this.#data.get(hash);
  }

  table(hash: string): CodeTable | undefined {
    return this.#tables.get(hash);
  }

  /** Hashes and data. */
  entries(): Iterable<readonly [hash: string, data: ClassData]> {
    return this.#data;
  }
}

/** The scope of code whose variables are unknown. */
export const noScope = (note: string): Scope => ({ variables: [], unmapped: 0, note });
