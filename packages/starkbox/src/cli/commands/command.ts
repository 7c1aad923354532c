// Runner of the commands other than running a node, and their help.
import { parseArgs } from 'node:util';
import { UsageError } from '../../config/option.js';
import { reasonOf } from '../../errors.js';
import { nearest } from '../../nearest-word.js';
import { painter } from '../../terminal.js';
import { isFlag } from '../completions/syntax.js';
import type { Surroundings } from './format.js';
import { type HelpStyle, helpWidth, section, termLines, wrapText } from './help-text.js';
import type { Command } from './row.js';
import { COMMANDS } from './table.js';

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** Whether a command exits as `diff` does. */
export function isComparison(name: string): boolean {
  return COMMANDS[name]?.compares === true;
}

/** A command as help, the manual page and the reference describe it. */
export interface CommandFacts {
  readonly usage: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly options: readonly (readonly [flag: string, meaning: string])[];
  readonly examples: readonly (readonly [line: string, meaning: string])[];
}

export const COMMAND_FACTS: Readonly<Record<string, CommandFacts>> = Object.fromEntries(
  Object.entries(COMMANDS).map(([name, command]) => [name, factsOf(name, command)]),
);

function factsOf(
  name: string,
  { args, summary, details, takes, examples, hasJson }: Command,
): CommandFacts {
  const ours = Object.entries(takes).map(
    ([option, [placeholder, meaning]]): readonly [string, string] => [
      `--${option}${placeholder === '' ? '' : ` <${placeholder}>`}`,
      meaning,
    ],
  );
  const json: readonly (readonly [string, string])[] = hasJson ? [['--json', 'Print JSON.']] : [];
  const options = [...ours, ...json];
  const words = ['starkbox', name, args, options.length === 0 ? '' : '[options]'];
  return {
    usage: words.filter(Boolean).join(' '),
    summary,
    details: details ?? [],
    options,
    examples: examples ?? [],
  };
}

const withUsage = (message: string, name: string): string =>
  `${message}\nUsage: ${COMMAND_FACTS[name]?.usage}`;

/** Help of a command; undefined for a name that is none. */
export function commandHelp(name: string, style: HelpStyle): string | undefined {
  const facts = Object.hasOwn(COMMAND_FACTS, name) ? COMMAND_FACTS[name] : undefined;
  if (facts === undefined) return undefined;
  const { usage, summary, details, options, examples } = facts;
  const lines = [
    `${style.paint('bold', 'Usage:')} ${usage}`,
    '',
    ...wrapText(`${summary}.`, style.width),
    ...details.flatMap((paragraph) => ['', ...wrapText(paragraph, style.width)]),
    ...section('Options', termLines([...options, ['-h, --help', 'Print help.']], style), style),
    ...(examples.length === 0 ? [] : section('Examples', termLines(examples, style), style)),
  ];
  return `${lines.join('\n')}\n`;
}

/** The text to print; throws a `UsageError` for invalid arguments. */
export async function runCommand(
  argv: readonly string[],
  {
    env = {},
    paint = painter(false),
    width,
    readInput = async () => '',
    progress,
  }: Partial<Surroundings> = {},
): Promise<string> {
  const [name = '', ...rest] = argv;
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`unknown command '${name}'`);
  const { values, positionals } = parseWords(rest, name, command);
  if (values['help']) {
    const style = { paint, width: helpWidth(width) };
    const isOnArguments = positionals.length > 0 && command.helpOn !== undefined;
    if (isOnArguments) return command.helpOn(positionals, style);
    return commandHelp(name, style) ?? '';
  }
  const { json, help: _help, ...options } = values;
  checkPositionals(positionals, name, command);
  const url = command.readsNode && options['file'] === undefined ? env['STARKBOX_URL'] : undefined;
  const token = Object.hasOwn(command.takes, 'auth-token') ? env['STARKBOX_AUTH_TOKEN'] : undefined;
  const chosen = {
    ...(url ? { url } : {}),
    ...(token ? { 'auth-token': token } : {}),
    ...options,
  };
  const surroundings = { env, paint, width, readInput, progress };
  const style = { json: json === true, paint, width, progress };
  return command.run({ positionals, values: chosen, style, surroundings });
}

function checkPositionals(
  positionals: readonly string[],
  name: string,
  { args, positionals: expected }: Command,
): void {
  const { least, most = Infinity } =
    typeof expected === 'number' ? { least: expected, most: expected } : expected;
  if (positionals.length < least) {
    const missing = args.split(' ').slice(positionals.length, least).join(' and ');
    throw new UsageError(
      withUsage(`${missing} ${/ and /.test(missing) ? 'are' : 'is'} missing`, name),
    );
  }
  const superfluous = positionals[most];
  if (superfluous !== undefined) {
    throw new UsageError(withUsage(`unexpected argument '${superfluous}'`, name));
  }
}

function unknownOption(name: string, option: string, { takes }: Command): string {
  const near = nearest(option, Object.keys(takes));
  const hint =
    near === undefined
      ? `'starkbox ${name} --help' lists its options`
      : `did you mean '--${near}'?`;
  return `unknown option '--${option}' of starkbox ${name}: ${hint}`;
}

function parseWords(args: readonly string[], name: string, command: Command) {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    ...(command.hasJson && { json: { type: 'boolean' } }),
  };
  for (const [option, row] of Object.entries(command.takes)) {
    options[option] = { type: isFlag(row) ? 'boolean' : 'string' };
  }
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    const [, option] = /Unknown option '--?([^']*)'/.exec(reasonOf(error)) ?? [];
    throw new UsageError(
      option === undefined ? reasonOf(error) : unknownOption(name, option, command),
    );
  }
}
