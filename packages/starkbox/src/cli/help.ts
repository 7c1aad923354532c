// Help on the command line: the first screen, and topics.
import {
  defaultText,
  environmentExamples,
  GROUPS,
  type Group,
  longName,
  type Option,
  optionKind,
  UsageError,
} from '../config/option.js';
import { CONFIG_KEYS, type ConfigKey, LINE_OPTIONS, OPTIONS } from '../config/options.js';
import { HELP_SUMMARY, START_SUMMARY, TOPICS } from '../config/topics.js';
import { OTHER_VARIABLES } from '../config/variables.js';
import { nearest } from '../nearest-word.js';
import { COMMAND_FACTS, COMMAND_NAMES, commandHelp } from './commands/command.js';
import { type HelpStyle, section, termLines, wrapText } from './commands/help-text.js';

/** Columns of the names of options on the first screen: a longer placeholder is left out. */
const MAX_NAME_LENGTH = 24;
/** Characters of a default on the first screen: longer ones are left out. */
const MAX_DEFAULT_LENGTH = 12;
const INDENT = ' '.repeat(6);

/** Command lines that show what options do, with their meaning. */
export const EXAMPLES: readonly (readonly [line: string, meaning: string])[] = [
  ['starkbox --seed 0', 'the same accounts every time'],
  ['starkbox --fork-network mainnet', 'a fork of the latest block'],
  ['starkbox --port 0 --quiet', 'any free port, and little output'],
];

/** Every line of options has this form in help, in the manual page and in the reference. */
export interface OptionFacts {
  /** All names, with the placeholder of the value. */
  readonly names: readonly string[];
  readonly help: string;
  /** The legal values, unless it is a flag. */
  readonly values: string | undefined;
  readonly default: string | undefined;
  readonly variables: readonly string[];
  /** The key in config files. */
  readonly key: ConfigKey;
}

export function optionFacts(key: ConfigKey): OptionFacts {
  const option: Option<unknown> = OPTIONS[key];
  const { short, flag, aliases = [], fallback } = option;
  return {
    names: [...(short === undefined ? [] : [short]), flag, ...aliases],
    help: option.help,
    values: optionKind(option) === 'flag' ? undefined : option.parse.expects,
    default: defaultText(option),
    variables: [...environmentExamples(option), ...(fallback ? [fallback.variable] : [])],
    key,
  };
}

export function keysOf(group: Group): readonly ConfigKey[] {
  return CONFIG_KEYS.filter((key) => OPTIONS[key].group === group);
}

/**
 * Help on a command or topic, or the first screen without a word.
 *
 * @throws UsageError for a word that is neither
 */
export function helpOn(word: string | undefined, style: HelpStyle): string {
  if (word === undefined || word === 'start') return firstScreen(style);
  const ofCommand = word === 'help' ? firstScreen(style) : commandHelp(word, style);
  if (ofCommand !== undefined) return ofCommand;
  const lines = topicLines(word.toLowerCase(), style);
  if (lines !== undefined) return `${lines.join('\n')}\n`;
  const near = nearest(word, [...COMMAND_NAMES, ...TOPICS, 'start']);
  const hint =
    near === undefined ? `the topics are ${TOPICS.join(', ')}` : `did you mean '${near}'?`;
  throw new UsageError(`no help on '${word}': ${hint}`);
}

function firstScreen(style: HelpStyle): string {
  const commands: readonly (readonly [string, string])[] = [
    ['start', START_SUMMARY],
    ...Object.entries(COMMAND_FACTS).map(([name, { summary }]): [string, string] => [
      name,
      summary,
    ]),
    ['help', HELP_SUMMARY],
  ];
  const options = [
    ...CONFIG_KEYS.map((key): Option<unknown> => OPTIONS[key]).flatMap((option) => {
      const { flag, short, brief } = option;
      return brief === undefined ? [] : [briefRow(flag, short, brief, defaultText(option))];
    }),
    ...Object.values(LINE_OPTIONS).map(({ flag, short, brief }) => briefRow(flag, short, brief)),
  ];
  const more: readonly (readonly [string, string])[] = [
    ['starkbox --help all', 'all options: values, defaults, variables, config keys'],
    ['starkbox help TOPIC', TOPICS.join(', ')],
  ];
  const lines = [
    'A local Starknet node for developers.',
    '',
    `${style.paint('bold', 'Usage:')} starkbox [start] [options]`,
    '       starkbox COMMAND [arguments]',
    ...section('Commands', termLines(commands, style), style),
    ...section('Options of a node', termLines(options, style), style),
    ...section('More', termLines(more, style), style),
  ];
  return `${lines.join('\n')}\n`;
}

function briefRow(
  flag: string,
  short: string | undefined,
  brief: string,
  preset?: string,
): [string, string] {
  const name = flag.length <= MAX_NAME_LENGTH ? flag : longName({ flag });
  const isShown = preset !== undefined && preset.length <= MAX_DEFAULT_LENGTH;
  return [
    short === undefined ? name : `${short}, ${name}`,
    isShown ? `${brief} [${preset}]` : brief,
  ];
}

function topicLines(topic: string, style: HelpStyle): readonly string[] | undefined {
  if (topic === 'all') return allLines(style);
  if (topic === 'environment') return environmentLines(style);
  if (topic === 'config') return configLines(style);
  return isGroup(topic) ? groupLines(topic, style) : undefined;
}

function isGroup(word: string): word is Group {
  return Object.hasOwn(GROUPS, word);
}

const groupsInOrder: readonly Group[] = Object.keys(GROUPS).filter(isGroup);

function allLines(style: HelpStyle): readonly string[] {
  return [
    `${style.paint('bold', 'Usage:')} starkbox [start] [options]`,
    ...groupsInOrder.flatMap((group) => ['', ...groupLines(group, style)]),
    '',
    style.paint('bold', 'Command line:'),
    ...Object.values(LINE_OPTIONS).flatMap((option) => {
      const { flag, short, aliases, help, defaultText: preset, variable } = option;
      const names = [...(short === undefined ? [] : [short]), ...aliases, flag];
      const facts = [
        ...(preset === undefined ? [] : [`Default: ${preset}`]),
        ...(variable === undefined ? [] : [`Variable: ${variable}`]),
      ];
      return optionLines(names, help, facts, style);
    }),
  ];
}

function groupLines(group: Group, style: HelpStyle): readonly string[] {
  return [
    style.paint('bold', `${GROUPS[group]}:`),
    ...keysOf(group).flatMap((key) => {
      const { names, help, values, default: preset, variables } = optionFacts(key);
      const facts = [
        ...(values === undefined ? [] : [`Value: ${values}`]),
        ...(preset === undefined ? [] : [`Default: ${preset}`]),
        `Variable: ${variables.join(' or ')}`,
        `Config key: ${key}`,
      ];
      return optionLines(names, help, facts, style);
    }),
  ];
}

/** Facts that fit into a line together stay together. */
function optionLines(
  names: readonly string[],
  help: string,
  facts: readonly string[],
  { width, paint }: HelpStyle,
): readonly string[] {
  const lines: string[] = [];
  for (const fact of facts) {
    const last = lines.at(-1);
    const joined = last === undefined ? fact : `${last}   ${fact}`;
    if (last !== undefined && INDENT.length + joined.length <= width)
      lines[lines.length - 1] = joined;
    else lines.push(fact);
  }
  return [
    `  ${paint('cyan', names.join(', '))}`,
    ...wrapText(help, width, INDENT),
    ...lines.flatMap((line) =>
      (INDENT.length + line.length <= width ? [INDENT + line] : wrapText(line, width, INDENT)).map(
        (text) => paint('dim', text),
      ),
    ),
  ];
}

function environmentLines(style: HelpStyle): readonly string[] {
  const rows = CONFIG_KEYS.map((key): [string, string] => {
    const { variables } = optionFacts(key);
    const [first = '', ...others] = variables;
    const also = others.length === 0 ? '' : ` Also ${others.join(' and ')}.`;
    return [first, `${longName(OPTIONS[key])}.${also}`];
  });
  const others = Object.entries(OTHER_VARIABLES).map(([name, meaning]): [string, string] => [
    name,
    `${capitalise(meaning.replaceAll('`', ''))}.`,
  ]);
  return [
    ...wrapText(
      'Every option has a variable. An argument overrides a variable, and a variable overrides a config file. An empty variable counts as unset. A variable of a flag holds true or false.',
      style.width,
    ),
    '',
    ...wrapText(
      'Variables of starknet-devnet, such as PORT, work too. If both are set, the variable with STARKBOX_ counts. A value that the option cannot have is ignored with a warning, because the variable may belong to another program.',
      style.width,
    ),
    ...section('Options', termLines(rows, style), style),
    ...section('Others', termLines(others, style), style),
  ];
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function configLines(style: HelpStyle): readonly string[] {
  const rows = CONFIG_KEYS.map((key): [string, string] => [key, longName(OPTIONS[key])]);
  return [
    ...wrapText(
      'A config file is starkbox.config.json, or starkbox.config.mjs with an object as its default export, in the working directory. --config FILE or STARKBOX_CONFIG names another file. Arguments and variables override it.',
      style.width,
    ),
    '',
    '  { "seed": 0, "accounts": 3, "blockGenerationOn": "demand" }',
    ...section('Keys', termLines(rows, style), style),
  ];
}
