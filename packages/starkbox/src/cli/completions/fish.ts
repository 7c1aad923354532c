// Completions for fish.
import type { Suggestions } from '../../config/option.js';
import type { CommandLineSyntax, CommandSyntax, TypedOption } from './syntax.js';

/** A text between single quotes, where only these two have a meaning. */
function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

function offer(suggests: Suggestions | undefined): string {
  if (suggests === 'paths') return '-r -F';
  return suggests === undefined ? '-x' : `-x -a ${quote(suggests.join(' '))}`;
}

function optionLine(condition: string, { names, help, value }: TypedOption): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  return [
    'complete -c starkbox',
    `-n ${quote(condition)}`,
    ...flags,
    ...(help === '' ? [] : [`-d ${quote(help)}`]),
    ...(value ? [offer(value.suggests)] : []),
  ].join(' ');
}

function linesOf(command: CommandSyntax): readonly string[] {
  const condition = `__fish_seen_subcommand_from ${command.name}`;
  const begin = `complete -c starkbox -n ${quote(condition)}`;
  const words =
    command.suggests === 'paths' ? '-F' : `-a ${quote((command.suggests ?? []).join(' '))}`;
  return [
    `complete -c starkbox -n __fish_use_subcommand -a ${command.name} -d ${quote(command.help)}`,
    ...(command.suggests === undefined ? [] : [`${begin} ${words}`]),
    ...command.options.map((option) => optionLine(condition, option)),
  ];
}

export function fishScript({ node, commands }: CommandLineSyntax): string {
  const names = commands.map(({ name }) => name).join(' ');
  const isNode = `not __fish_seen_subcommand_from ${names}`;
  return `${[
    '# Completions of starkbox for fish: starkbox completions fish > ~/.config/fish/completions/starkbox.fish',
    'complete -c starkbox -f',
    ...commands.flatMap(linesOf),
    ...node.options.map((option) => optionLine(isNode, option)),
  ].join('\n')}\n`;
}
