// Completions for bash, from version 3.2 on.
import type { Suggestions } from '../../config/option.js';
import { type CommandLineSyntax, type CommandSyntax, quote } from './syntax.js';

/** Words that begin with what was typed, or the shell's own completion of paths, or nothing. */
function offer(suggests: Suggestions | undefined): string {
  if (suggests === 'paths') return 'return';
  if (suggests === undefined) return 'compopt +o default 2>/dev/null; return';
  return `COMPREPLY=($(compgen -W ${quote(suggests.join(' '))} -- "$word")); return`;
}

function valuesOf({ name, options }: CommandSyntax): readonly string[] {
  const taking = options.flatMap(({ names, value }) => (value ? [{ names, value }] : []));
  const offers = [...new Set(taking.map(({ value }) => offer(value.suggests)))];
  return offers.map((action) => {
    const names = taking.filter(({ value }) => offer(value.suggests) === action);
    const patterns = names.flatMap((option) => option.names.map((text) => `${name}:${text}`));
    return `    ${patterns.join('|')}) ${action} ;;`;
  });
}

function optionsOf({ name, options }: CommandSyntax): string {
  const names = options.flatMap((option) => option.names).join(' ');
  return `      ${name || '*'}) COMPREPLY=($(compgen -W ${quote(names)} -- "$word")) ;;`;
}

function wordsOf({ name, suggests }: CommandSyntax): string {
  // A node takes no other word than a command, and that comes first.
  const isFirst = name === '' ? `[ "$COMP_CWORD" -eq 1 ] || { ${offer(undefined)}; }; ` : '';
  return `    ${name || '*'}) ${isFirst}${offer(suggests)} ;;`;
}

export function bashScript({ node, commands }: CommandLineSyntax): string {
  const all = [...commands, node];
  return `# Completions of starkbox for bash: source <(starkbox completions bash)
_starkbox() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=
  COMPREPLY=()
  if [ "$COMP_CWORD" -gt 1 ]; then
    case \${COMP_WORDS[1]} in
      ${commands.map(({ name }) => name).join('|')}) command=\${COMP_WORDS[1]} ;;
    esac
  fi
  # An equals sign is a word of its own.
  if [ "$word" = = ]; then
    word=
  elif [ "$before" = = ]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ $word == -* ]]; then
    case $command in
${all.map(optionsOf).join('\n')}
    esac
    return
  fi
  case $command:$before in
${all.flatMap(valuesOf).join('\n')}
  esac
  case $command in
${all.map(wordsOf).join('\n')}
  esac
}
complete -o default -F _starkbox starkbox
`;
}
