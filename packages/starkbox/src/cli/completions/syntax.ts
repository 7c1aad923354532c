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
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Words, or what loads them from the command that checks them. */
export type LazySuggestions = Suggestions | (() => Promise<Suggestions>);

/** The placeholder of the value, empty for a flag; the meaning; and words that the placeholder does not tell. */
export type CommandOption = readonly [
  placeholder: string,
  meaning: string,
  suggests?: LazySuggestions,
];
export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** What the completions need of a command. */
export interface CommandFacts {
  /** A line for the list of commands. */
  readonly summary: string;
  /** Its options, besides `--json` and `--help`. */
  readonly takes: CommandOptions;
  /** Whether it prints data, which `--json` prints as JSON. */
  readonly hasJson: boolean;
  /** What a shell offers as its arguments. */
  readonly suggests?: LazySuggestions;
}

export function isFlag(option: CommandOption | undefined): boolean {
  return option?.[0] === '';
}
