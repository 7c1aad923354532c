// Completions of the command line for shells, from the tables of options and commands.
import { longName, optionKind, type Suggestions } from '../../config/option.js';
import { CONFIG_KEYS, LINE_OPTIONS, OPTIONS } from '../../config/options.js';
import { HELP_SUMMARY, START_SUMMARY, TOPICS } from '../../config/topics.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import {
  type CommandFacts,
  type CommandLineSyntax,
  type CommandOption,
  type CommandSyntax,
  isFlag,
  type LazySuggestions,
  SHELLS,
  type TypedOption,
} from './syntax.js';
import { zshScript } from './zsh.js';

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (syntax: CommandLineSyntax) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The script for a shell; `undefined` for one that is not in `SHELLS`. */
export async function completions(
  shell: string,
  commands: Readonly<Record<string, CommandFacts>>,
): Promise<string | undefined> {
  const supported = SHELLS.find((name) => name === shell);
  if (supported === undefined) return undefined;
  const names = ['start', ...Object.keys(commands)];
  const syntaxes: CommandSyntax[] = [];
  for (const [name, { summary, takes, hasJson, suggests }] of Object.entries(commands)) {
    const commandOptions = await Promise.all(Object.entries(takes).map(commandOption));
    const all = [...commandOptions, ...(hasJson ? [JSON_OPTION] : []), HELP_OPTION];
    syntaxes.push({ name, help: summary, suggests: await loadSuggestions(suggests), options: all });
  }
  return SCRIPTS[supported]({
    node: { name: '', help: '', suggests: [...names, 'help'], options: nodeOptions() },
    commands: [
      { name: 'start', help: START_SUMMARY, suggests: undefined, options: nodeOptions() },
      ...syntaxes,
      { name: 'help', help: HELP_SUMMARY, suggests: [...names, ...TOPICS], options: [] },
    ],
  });
}

async function loadSuggestions(
  suggests: LazySuggestions | undefined,
): Promise<Suggestions | undefined> {
  return typeof suggests === 'function' ? suggests() : suggests;
}

const HELP_OPTION: TypedOption = { names: ['-h', '--help'], help: 'Print help', value: undefined };
const JSON_OPTION: TypedOption = { names: ['--json'], help: 'Print JSON', value: undefined };

function nodeOptions(): readonly TypedOption[] {
  const ours = CONFIG_KEYS.map((key): TypedOption => {
    const { flag, short, help, parse, aliases = [] } = OPTIONS[key];
    const [long = '', placeholder = ''] = flag.split(' ');
    const isFlag = optionKind(OPTIONS[key]) === 'flag';
    return {
      names: [...(short === undefined ? [] : [short]), long, ...aliases],
      help: firstSentence(help),
      value: isFlag
        ? undefined
        : { name: placeholder.replaceAll(/[<>[\].]/g, ''), suggests: parse.suggests },
    };
  });
  const file = { name: 'FILE', suggests: 'paths' } as const;
  const { config, version } = LINE_OPTIONS;
  return [
    ...ours,
    { names: [longName(config)], help: firstSentence(config.help), value: file },
    {
      names: [version.short, ...version.aliases, longName(version)],
      help: firstSentence(version.help),
      value: undefined,
    },
    HELP_OPTION,
  ];
}

async function commandOption([name, option]: [string, CommandOption]): Promise<TypedOption> {
  const [placeholder, meaning, suggests = wordsOf(placeholder)] = option;
  const value = {
    name: name.toUpperCase().replaceAll('-', '_'),
    suggests: await loadSuggestions(suggests),
  };
  return {
    names: [`--${name}`],
    help: firstSentence(meaning),
    value: isFlag(option) ? undefined : value,
  };
}

/** Files for `FILE`, and the words of `class|contract`. */
function wordsOf(placeholder: string): Suggestions | undefined {
  if (['FILE', 'FOLDER'].includes(placeholder)) return 'paths';
  return placeholder.includes('|') ? placeholder.split('|') : undefined;
}

/** Shells show one line beside each name. */
function firstSentence(help: string): string {
  return help.replaceAll('\n', ' ').replace(/\. .*/, '').replace(/\.$/, '');
}
