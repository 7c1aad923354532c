// Tokens of a line of Cairo for colours: comments, texts, numbers, keywords, attributes.

export interface Token {
  readonly kind: 'plain' | 'comment' | 'text' | 'number' | 'keyword' | 'attribute';
  readonly text: string;
}

const KEYWORDS =
  'as|assert|break|const|continue|else|enum|extern|false|fn|for|if|impl|implicits|in|let|loop|match|mod|mut|nopanic|of|pub|ref|return|self|static|struct|super|trait|true|type|use|while';

/** Alternatives in the order of their precedence; each has a group. */
const TOKENS = new RegExp(
  [
    /(\/\/.*)/,
    /("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*')/,
    /(#\[[^\]]*\]?)/,
    /\b(\d[\w]*)\b/,
    new RegExp(`\\b(${KEYWORDS})\\b`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
const KINDS = ['comment', 'text', 'attribute', 'number', 'keyword'] as const;

/** The tokens of a line, whose texts together are the line. */
export function tokensOf(line: string): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: line.slice(end, match.index) });
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)] ?? 'plain';
    tokens.push({ kind, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < line.length) tokens.push({ kind: 'plain', text: line.slice(end) });
  return tokens;
}
