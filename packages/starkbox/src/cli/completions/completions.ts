// Completions of the command line for shells, from the tables of options and commands.
import { optionKind, type Suggestions } from '../../config/option.js';
import { CONFIG_KEYS, OPTIONS } from '../../config/options.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { type CommandLineSyntax, type CommandSyntax, SHELLS, type TypedOption } from './syntax.js';
import { zshScript } from './zsh.js';

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (syntax: CommandLineSyntax) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** What the completions need of a command. */
export interface CommandFacts {
  readonly help: string;
  /** Names of its options, without those that every command has. */
  readonly takes: readonly string[];
  readonly suggests?: Suggestions;
}

/** What the completions need of an option of a command. */
export interface OptionFacts {
  readonly type: 'string' | 'boolean';
  /** Or what loads the words from the command that checks them. */
  readonly suggests?: Suggestions | (() => Promise<Suggestions>);
}

/** The script for a shell; `undefined` for one that is not in `SHELLS`. */
export async function completions(
  shell: string,
  commands: Readonly<Record<string, CommandFacts>>,
  options: Readonly<Record<string, OptionFacts>>,
): Promise<string | undefined> {
  const supported = SHELLS.find((name) => name === shell);
  if (supported === undefined) return undefined;
  const names = Object.keys(commands);
  const syntaxes: CommandSyntax[] = [];
  for (const [name, { help, takes, suggests }] of Object.entries(commands)) {
    const commandOptions = await Promise.all(
      takes.map((option) => commandOption(option, options[option])),
    );
    const all = [...commandOptions, JSON_OPTION, HELP_OPTION];
    syntaxes.push({ name, help: firstSentence(help), suggests, options: all });
  }
  return SCRIPTS[supported]({
    node: { name: '', help: '', suggests: [...names, 'help'], options: nodeOptions() },
    commands: [
      ...syntaxes,
      { name: 'help', help: 'Prints the options.', suggests: names, options: [] },
    ],
  });
}

const HELP_OPTION: TypedOption = { names: ['-h', '--help'], help: 'Print help.', value: undefined };
const JSON_OPTION: TypedOption = { names: ['--json'], help: 'Print JSON.', value: undefined };

function nodeOptions(): readonly TypedOption[] {
  const ours = CONFIG_KEYS.map((key): TypedOption => {
    const { flag, short, help, parse } = OPTIONS[key];
    const [long = '', placeholder = ''] = flag.split(' ');
    const isFlag = optionKind(OPTIONS[key]) === 'flag';
    return {
      names: short === undefined ? [long] : [short, long],
      help: firstSentence(help),
      value: isFlag
        ? undefined
        : { name: placeholder.replaceAll(/[<>[\].]/g, ''), suggests: parse.suggests },
    };
  });
  const file = { name: 'FILE', suggests: 'paths' } as const;
  return [
    ...ours,
    { names: ['--config'], help: 'A file with options.', value: file },
    { names: ['-V', '--version'], help: 'Print the version.', value: undefined },
    HELP_OPTION,
  ];
}

async function commandOption(name: string, facts: OptionFacts | undefined): Promise<TypedOption> {
  const { type = 'boolean', suggests: source } = facts ?? {};
  const suggests = typeof source === 'function' ? await source() : source;
  const value = { name: name.toUpperCase().replaceAll('-', '_'), suggests };
  return { names: [`--${name}`], help: '', value: type === 'string' ? value : undefined };
}

/** Shells show one line beside each name. */
function firstSentence(help: string): string {
  return help.replaceAll('\n', ' ').replace(/\. .*/, '').replace(/\.$/, '');
}
