// Highlighting of Cairo source, line by line: no token of our contracts spans lines.

export type TokenKind =
  | 'comment'
  | 'string'
  | 'attribute'
  | 'number'
  | 'keyword'
  | 'type'
  | 'function'
  | 'plain';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORD =
  /^(as|assert|break|const|continue|else|enum|extern|false|fn|for|if|impl|implicits|in|let|loop|match|mod|mut|nopanic|of|pub|ref|return|self|static|struct|super|trait|true|type|use|while)$/;
const NUMBER_TYPE = /^(u8|u16|u32|u64|u128|u256|u512|usize|i8|i16|i32|i64|i128|felt252|bool)$/;

/** Alternatives in the order of their groups: comment, attribute, string, number, name. */
const TOKENS =
  /(\/\/.*)|(#!?\[[^\]]*\])|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\b\d[\w]*)|([A-Za-z_]\w*)/g;

/** The tokens of a line; joined, their texts are the line. */
export function tokensOf(line: string): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    const [text, comment, attribute, string, number] = match;
    if (match.index > end) tokens.push({ kind: 'plain', text: line.slice(end, match.index) });
    end = match.index + text.length;
    const kind =
      comment !== undefined
        ? 'comment'
        : attribute !== undefined
          ? 'attribute'
          : string !== undefined
            ? 'string'
            : number !== undefined
              ? 'number'
              : kindOfName(text, line.slice(end));
    tokens.push({ kind, text });
  }
  if (end < line.length) tokens.push({ kind: 'plain', text: line.slice(end) });
  return tokens;
}

function kindOfName(name: string, after: string): TokenKind {
  if (KEYWORD.test(name)) return 'keyword';
  if (NUMBER_TYPE.test(name) || /^[A-Z]/.test(name)) return 'type';
  return /^!?\(/.test(after) ? 'function' : 'plain';
}
