// The manual page of the command, from the tables of options and commands.
import { EXAMPLES } from '../../packages/starkbox/dist/cli/arguments.js';
import { COMMAND_FACTS } from '../../packages/starkbox/dist/cli/commands/command.js';
import { defaultText, environmentExamples } from '../../packages/starkbox/dist/config/option.js';
import { CONFIG_KEYS, OPTIONS } from '../../packages/starkbox/dist/config/options.js';

/**
 * A text that roff prints as it is: minus signs that can be copied, and no line that looks like a request.
 *
 * @param {string} text
 */
function plain(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&')
    .replaceAll('…', '...');
}

/**
 * A flag with its value, which is set in italics.
 *
 * @param {string} flag
 */
function flagged(flag) {
  const [name = '', value] = flag.split(' ');
  return `\\fB${plain(name)}\\fR${value === undefined ? '' : ` \\fI${plain(value.replaceAll(/[<>]/g, ''))}\\fR`}`;
}

/** @param {(typeof CONFIG_KEYS)[number]} key */
function option(key) {
  const definition = OPTIONS[key];
  const preset = defaultText(definition);
  const names = [
    ...(definition.short === undefined ? [] : [definition.short]),
    definition.flag,
  ].map(flagged);
  const variables = environmentExamples(definition).map((name) => `\\fB${plain(name)}\\fR`);
  const facts = [
    ...(preset === undefined ? [] : [`Default: ${plain(preset)}.`]),
    `Variable: ${variables.join(' or ')}.`,
  ];
  return ['.TP', names.join(', '), plain(definition.help), ...facts].join('\n');
}

/** @param {string} text */
function verbatim(text) {
  return ['.PP', '.nf', plain(text), '.fi'].join('\n');
}

/** @param {[string, (typeof COMMAND_FACTS)[string]]} entry */
function command([name, { help, usage }]) {
  const [words = '', ...details] = help.split('\n\n');
  return [
    `.SS ${name}`,
    plain(words.replaceAll('\n', ' ')),
    verbatim(usage),
    ...details.map(verbatim),
  ].join('\n');
}

/** @returns {string} */
export function manPage() {
  const groups = [...new Set(CONFIG_KEYS.map((key) => OPTIONS[key].group))];
  const grouped = groups.map((group) => [
    `.SS ${plain(group)}`,
    ...CONFIG_KEYS.filter((key) => OPTIONS[key].group === group).map(option),
  ]);
  return `${[
    '.\\" Generated from the tables of options and commands: npm run gen:docs',
    '.TH STARKBOX 1 "" "Starkbox" "Starkbox Manual"',
    '.SH NAME',
    'starkbox \\- a local Starknet node for developers',
    '.SH SYNOPSIS',
    '.B starkbox',
    '.RI [ options ]',
    '.br',
    '.B starkbox',
    '.I command',
    '.RI [ arguments ]',
    '.SH DESCRIPTION',
    'Without a command, starts a node that answers JSON\\-RPC over HTTP and WebSocket, with accounts that hold tokens.',
    'An option counts as an argument first, then as an environment variable, then as a key of a config file.',
    '.SH COMMANDS',
    ...Object.entries(COMMAND_FACTS).map(command),
    '.SH OPTIONS',
    ...grouped.flat(),
    '.SS More',
    [
      '.TP',
      flagged('--config <FILE>'),
      'A file with options.',
      'Variable: \\fBSTARKBOX_CONFIG\\fR.',
    ].join('\n'),
    ['.TP', `${flagged('-V')}, ${flagged('--version')}`, 'Print the version.'].join('\n'),
    ['.TP', `${flagged('-h')}, ${flagged('--help')}`, 'Print help.'].join('\n'),
    '.SH ENVIRONMENT',
    'An option that has two variables takes the one that begins with STARKBOX_ if both are set.',
    'An empty variable counts as unset.',
    'NO_COLOR turns colours off.',
    '.SH FILES',
    '.TP',
    '.IR starkbox.config.json ", " starkbox.config.mjs',
    'Options, in the directory where the node is started.',
    '.SH EXIT STATUS',
    '.TP',
    '.B 0',
    'The node was ended by a signal, or the command succeeded.',
    '.TP',
    '.B 1',
    'The node cannot do what it is asked, or cannot listen.',
    '.TP',
    '.B 2',
    'The options cannot be understood.',
    '.SH EXAMPLES',
    '.nf',
    plain(EXAMPLES),
    '.fi',
  ].join('\n')}\n`;
}
