// The Cairo compiler of the page.
import type { Members } from '@starkbox/abi/basics';

export interface Diagnostic {
  /** From 1 on. */
  readonly line: number;
  readonly message: string;
}

export type Compilation =
  | { readonly artifact: Members; readonly file: string }
  | { readonly diagnostics: readonly Diagnostic[] };

/** Compiles a contract to a class with debug information, or returns why it does not compile. */
export type Compile = (source: string) => Promise<Compilation>;

/** Undefined while the page has no compiler: it deploys classes that were compiled beforehand. */
export const compile: Compile | undefined = undefined;

export const NO_COMPILER =
  'This page has no Cairo compiler yet: it deploys the class that was compiled beforehand.';
