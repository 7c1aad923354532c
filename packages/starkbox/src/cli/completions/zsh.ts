// Completions for zsh.
import type { Suggestions } from '../../config/option.js';
import { type CommandLineSyntax, type CommandSyntax, quote, type TypedOption } from './syntax.js';

/** Inside of a specification, brackets and colons have a meaning. */
function plain(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

function action(suggests: Suggestions | undefined): string {
  if (suggests === 'paths') return '_files';
  return suggests === undefined ? ' ' : `(${suggests.join(' ')})`;
}

function specifications({ names, help, value }: TypedOption): readonly string[] {
  const described = help === '' ? '' : `[${plain(help)}]`;
  const argument = value ? `:${plain(value.name)}:${action(value.suggests)}` : '';
  const others = names.length > 1 ? `(${names.join(' ')})` : '';
  return names.map((name) => quote(`${others}${name}${described}${argument}`));
}

function argumentsOf({ options, suggests }: CommandSyntax): string {
  const words = suggests === undefined ? [] : [quote(`*:word:${action(suggests)}`)];
  const all = [...options.flatMap(specifications), ...words];
  return ['_arguments', ...all].join(' \\\n        ');
}

function commandCase(command: CommandSyntax): string {
  // What follows a command is completed as if the command were the program.
  return `      ${command.name})
        shift words; (( CURRENT-- ))
        ${argumentsOf(command)}
        return ;;`;
}

export function zshScript({ node, commands }: CommandLineSyntax): string {
  const described = commands.map(({ name, help }) => `    ${quote(`${name}:${plain(help)}`)}`);
  return `#compdef starkbox
# Completions of starkbox for zsh: source <(starkbox completions zsh), or a file named _starkbox in a folder of $fpath
_starkbox() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT > 2 )); then
    case $words[2] in
${commands.map(commandCase).join('\n')}
    esac
  elif [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  ${argumentsOf({ ...node, suggests: undefined })}
}
if [[ $funcstack[1] == _starkbox ]]; then
  _starkbox "$@"
else
  compdef _starkbox starkbox
fi
`;
}
