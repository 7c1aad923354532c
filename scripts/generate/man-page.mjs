// The manual page of the command, from the tables of options and commands.
import { COMMAND_FACTS } from '../../packages/starkbox/dist/cli/commands/command.js';
import { EXAMPLES, keysOf, optionFacts } from '../../packages/starkbox/dist/cli/help.js';
import { GROUPS } from '../../packages/starkbox/dist/config/option.js';
import { LINE_OPTIONS } from '../../packages/starkbox/dist/config/options.js';
import { OTHER_VARIABLES } from '../../packages/starkbox/dist/config/variables.js';

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

/** @param {ReturnType<typeof optionFacts>['key']} key */
function option(key) {
  const { names, help, values, default: preset, variables } = optionFacts(key);
  const bold = variables.map((name) => `\\fB${plain(name)}\\fR`);
  const facts = [
    ...(values === undefined ? [] : [`Value: ${plain(values)}.`]),
    ...(preset === undefined ? [] : [`Default: ${plain(preset)}.`]),
    `Variable: ${bold.join(' or ')}.`,
    `Config key: \\fB${key}\\fR.`,
  ];
  return ['.TP', names.map(flagged).join(', '), plain(help), ...facts].join('\n');
}

/** @param {(typeof LINE_OPTIONS)[keyof typeof LINE_OPTIONS]} option */
function lineOption({ flag, short, aliases, help, variable }) {
  const names = [...(short === undefined ? [] : [short]), ...aliases, flag];
  const facts = variable === undefined ? [] : [`Variable: \\fB${plain(variable)}\\fR.`];
  return ['.TP', names.map(flagged).join(', '), plain(help), ...facts].join('\n');
}

/** @param {string} text */
function verbatim(text) {
  return ['.PP', '.nf', plain(text), '.fi'].join('\n');
}

/** @param {[string, (typeof COMMAND_FACTS)[string]]} entry */
function command([name, { usage, summary, details, options, examples }]) {
  return [
    `.SS ${name}`,
    plain(`${summary}.`),
    verbatim(usage),
    ...details.flatMap((paragraph) => ['.PP', plain(paragraph)]),
    ...options.flatMap(([flag, meaning]) => ['.TP', flagged(flag), plain(meaning)]),
    ...examples.map(([line]) => verbatim(line)),
  ].join('\n');
}

/** @returns {string} */
export function manPage() {
  const groups = /** @type {(keyof typeof GROUPS)[]} */ (Object.keys(GROUPS));
  const grouped = groups.map((group) => [
    `.SS ${plain(GROUPS[group])}`,
    ...keysOf(group).map(option),
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
    'Without a command, starts a node that serves JSON\\-RPC over HTTP and WebSocket, with funded accounts.',
    'Arguments count before environment variables, and variables before a config file.',
    '.SH COMMANDS',
    ...Object.entries(COMMAND_FACTS).map(command),
    '.SH OPTIONS',
    ...grouped.flat(),
    '.SS Command line',
    ...Object.values(LINE_OPTIONS).map(lineOption),
    '.SH ENVIRONMENT',
    'If an option has two variables and both are set, the variable that begins with STARKBOX_ counts.',
    'An empty variable counts as unset.',
    'NO_COLOR turns colours off. FORCE_COLOR turns them on in a pipe.',
    ...Object.entries(OTHER_VARIABLES).flatMap(([name, meaning]) => [
      '.TP',
      `.B ${plain(name)}`,
      plain(meaning.replaceAll('`', '')),
    ]),
    '.SH FILES',
    '.TP',
    '.IR starkbox.config.json ", " starkbox.config.mjs',
    'Options, in the working directory.',
    '.SH EXIT STATUS',
    '.TP',
    '.B 0',
    'A signal ended the node, or the command succeeded.',
    '.TP',
    '.B 1',
    'The node cannot start or cannot listen, or the command failed.',
    '.TP',
    '.B 2',
    'The options are not valid.',
    '.SH EXAMPLES',
    '.nf',
    ...EXAMPLES.map(([line, meaning]) => plain(`${line.padEnd(36)}${meaning}`)),
    '.fi',
  ].join('\n')}\n`;
}
