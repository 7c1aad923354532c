// Completions of the command line for shells, from the tables of options and commands.
import { optionKind, type Suggestions } from '../../config/option.js';
import { CONFIG_KEYS, OPTIONS } from '../../config/options.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import type { Place, TypedOption } from './place.js';
import { zshScript } from './zsh.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const SHELLS: readonly string[] = Object.keys(SCRIPTS);

/** What the completions need of a command. */
export interface CommandFacts {
  readonly help: string;
  /** Names of its options, without those that every command has. */
  readonly takes: readonly string[];
  readonly suggests?: Suggestions;
}

/** What the completions need of an option of a command. */
export interface ValueFacts {
  readonly type: 'string' | 'boolean';
  readonly suggests?: Suggestions;
}

/** The script for a shell; `undefined` for one that is not in `SHELLS`. */
export function completions(
  shell: string,
  commands: Readonly<Record<string, CommandFacts>>,
  values: Readonly<Record<string, ValueFacts>>,
): string | undefined {
  const script = Object.entries(SCRIPTS).find(([name]) => name === shell)?.[1];
  const names = Object.keys(commands);
  const ofCommand = ([name, { help, takes, suggests }]: [string, CommandFacts]): Place => ({
    name,
    help: firstSentence(help),
    suggests,
    options: [...takes.map((one) => commandOption(one, values[one])), JSON_OPTION, HELP_OPTION],
  });
  return script?.({
    node: { name: '', help: '', suggests: [...names, 'help'], options: nodeOptions() },
    commands: [
      ...Object.entries(commands).map(ofCommand),
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

function commandOption(name: string, facts: ValueFacts | undefined): TypedOption {
  const value = { name: name.toUpperCase().replaceAll('-', '_'), suggests: facts?.suggests };
  return { names: [`--${name}`], help: '', value: facts?.type === 'string' ? value : undefined };
}

/** Shells show one line beside each name. */
function firstSentence(help: string): string {
  return help.replaceAll('\n', ' ').replace(/\. .*/, '').replace(/\.$/, '');
}
