// A row of the table of commands.
import { type CommandFacts, type CommandOptions, isFlag } from '../completions/syntax.js';
import type { Style, Surroundings } from './format.js';
import type { HelpStyle } from './help-text.js';

/** The options of a command as they were typed. */
export type Words<Options> = {
  readonly [Name in keyof Options]?: Options[Name] extends readonly ['', string] ? boolean : string;
};

/** The arguments of a command. */
interface CommandArguments<Options> {
  readonly positionals: readonly string[];
  readonly values: Words<Options>;
  readonly style: Style;
  readonly surroundings: Surroundings;
}

export interface Command<Options = object> extends CommandFacts {
  /** Arguments besides options, as usage shows them. */
  readonly args: string;
  /** Their number, or the least and the largest number. */
  readonly positionals: number | { readonly least: number; readonly most?: number };
  /** Paragraphs behind the summary. */
  readonly details?: readonly string[];
  readonly takes: Options & CommandOptions;
  /** Lines of a command line each, with what they do. */
  readonly examples?: readonly (readonly [line: string, meaning: string])[];
  /** Whether `--url` is the node to read, which the variable names otherwise. */
  readonly readsNode?: boolean;
  /** Help about its arguments, where they have some of their own. */
  readonly helpOn?: (positionals: readonly string[], style: HelpStyle) => Promise<string>;
  /** Whether it exits as `diff` does: 0 if both are equal, 1 if they differ, 2 on trouble. */
  readonly compares?: boolean;
  /** The text to print. Throws `DifferenceFound` with the report of a comparison. */
  readonly run: (words: CommandArguments<Options>) => Promise<string>;
}

/** A command whose options have the types that its placeholders tell. */
export function command<const Options extends CommandOptions>(row: Command<Options>): Command {
  return {
    ...row,
    async run({ values, ...words }) {
      if (!areValues(row.takes, values)) throw new Error('an option has a value of another type');
      return row.run({ ...words, values });
    },
  };
}

function areValues<Options extends CommandOptions>(
  takes: Options,
  values: object,
): values is Words<Options> {
  return Object.entries(values).every(
    ([name, value]) => typeof value === (isFlag(takes[name]) ? 'boolean' : 'string'),
  );
}
