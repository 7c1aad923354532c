// What can be typed on the command line, as scripts for shells need it.
import type { Suggestions } from '../../config/option.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export interface TypedOption {
  readonly names: readonly string[];
  readonly help: string;
  /** Of an option that takes one. */
  readonly value: { readonly name: string; readonly suggests: Suggestions | undefined } | undefined;
}

/** The options and words behind a command, or behind the name of the program. */
export interface CommandSyntax {
  /** Empty for the program itself, which runs a node. */
  readonly name: string;
  readonly help: string;
  readonly suggests: Suggestions | undefined;
  readonly options: readonly TypedOption[];
}

export interface CommandLineSyntax {
  readonly node: CommandSyntax;
  readonly commands: readonly CommandSyntax[];
}

/** A text between single quotes, as bash and zsh read it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
