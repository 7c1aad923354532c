// The text of a Cairo file: its functions, and the variables that they declare with the blocks where they are visible.

/** A position in a file. Lines and columns begin at 0. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export interface Declaration extends TextPosition {
  readonly name: string;
  readonly isMutable: boolean;
  /** The end of the block where it is visible. */
  readonly end: TextPosition;
}

/** An assignment, a call of a method, or a reference that is passed: the variable may have another value after it. */
export interface Change {
  readonly name: string;
  readonly line: number;
  /** The lines of the loops around it. */
  readonly loops: readonly { readonly first: number; readonly last: number }[];
}

export interface FunctionText {
  readonly start: TextPosition;
  readonly parameterEnd: TextPosition;
  readonly end: TextPosition;
  readonly declarations: readonly Declaration[];
  readonly changes: readonly Change[];
}

interface Token extends TextPosition {
  readonly text: string;
}

const TOKEN =
  /\/\/.*|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\.)*'|[A-Za-z_]\w*|\d\w*|::|=>|->|&&|\|\||\S/g;
const NAME = /^[a-z_][a-z0-9_]*$/i;
const OPENING: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
]);
const CLOSING: ReadonlySet<string> = new Set(OPENING.values());
const NO_BINDING: ReadonlySet<string> = new Set(['mut', 'ref', '_', 'true', 'false']);

/** Methods of the core library that change nothing. */
const READING = /^(at|clone|is_empty|len|span)$/;

export function isBefore(first: TextPosition, second: TextPosition): boolean {
  return first.line < second.line || (first.line === second.line && first.column < second.column);
}

export class SourceFile {
  readonly #lines: readonly string[];
  readonly #tokens: readonly Token[];
  /** The index of the token that closes each opening one. */
  readonly #closers = new Map<number, number>();
  readonly #openers = new Map<number, number>();
  #functions: readonly FunctionText[] | undefined;

  constructor(text: string) {
    this.#lines = text.split('\n');
    this.#tokens = tokensOf(text);
    const open: number[] = [];
    for (const [index, { text: token }] of this.#tokens.entries()) {
      if (OPENING.has(token)) open.push(index);
      else if (CLOSING.has(token)) {
        const opener = open.pop() ?? -1;
        this.#closers.set(opener, index);
        this.#openers.set(index, opener);
      }
    }
  }

  /** Whether a word stands at a position. Columns count characters. */
  hasAt(word: string, { line, column }: TextPosition): boolean {
    const characters = [...(this.#lines[line] ?? '')];
    return characters.slice(column, column + word.length).join('') === word;
  }

  /** The innermost function around a position. */
  functionAt(position: TextPosition): FunctionText | undefined {
    this.#functions ??= this.#readFunctions();
    return this.#functions.findLast(
      ({ start, end }) => !isBefore(position, start) && !isBefore(end, position),
    );
  }

  #readFunctions(): readonly FunctionText[] {
    return this.#tokens.flatMap((token, index) => {
      if (token.text !== 'fn' || !NAME.test(this.#text(index + 1))) return [];
      const parameters = this.#find(index + 2, '(');
      const afterParameters = (this.#closers.get(parameters) ?? parameters) + 1;
      const body = this.#find(afterParameters, '{', ';');
      const last = this.#closers.get(body);
      const end = this.#tokens[last ?? -1];
      if (last === undefined || !end) return [];
      const declarations = [
        ...this.#bindings(parameters + 1, afterParameters - 1, end, true),
        ...this.#declarationsIn(body, last),
      ];
      const parameterEnd = this.#tokens[afterParameters] ?? end;
      const changes = this.#changesIn(body, last);
      return [{ start: token, parameterEnd, end, declarations, changes }];
    });
  }

  #changesIn(body: number, last: number): readonly Change[] {
    const changes: Change[] = [];
    const loops: { readonly first: number; readonly last: number; readonly end: number }[] = [];
    for (let index = body + 1; index < last; index += 1) {
      const { text = '', line = 0 } = this.#tokens[index] ?? {};
      while ((loops.at(-1)?.end ?? last) < index) loops.pop();
      if (/^(for|while|loop)$/.test(text)) {
        const end = this.#closers.get(this.#skipTo(index + 1, ['{'])) ?? index;
        loops.push({ first: line, last: this.#tokens[end]?.line ?? line, end });
      }
      if (!NAME.test(text) || !this.#isChange(index)) continue;
      changes.push({ name: text, line, loops: [...loops] });
    }
    return changes;
  }

  #isChange(index: number): boolean {
    if (/^(\.|::|let|mut)$/.test(this.#text(index - 1))) return false;
    if (this.#text(index - 1) === 'ref') return true;
    let next = index + 1;
    while (this.#text(next) === '.' || this.#text(next) === '[') {
      next = (this.#closers.get(next) ?? next + 1) + 1;
    }
    if (this.#text(next) === '(') return next > index + 1 && !READING.test(this.#text(next - 1));
    const operator = /^[-+*/%&|^]$/.test(this.#text(next)) ? next + 1 : next;
    return this.#text(operator) === '=' && this.#text(operator + 1) !== '=';
  }

  #text(index: number): string {
    return this.#tokens[index]?.text ?? '';
  }

  /** The next token with one of the texts. */
  #find(from: number, ...texts: readonly string[]): number {
    let index = from;
    while (index < this.#tokens.length && !texts.includes(this.#text(index))) index += 1;
    return index;
  }

  #declarationsIn(body: number, last: number): readonly Declaration[] {
    const declarations: Declaration[] = [];
    const blocks: number[] = [body];
    for (let index = body + 1; index < last; index += 1) {
      const text = this.#text(index);
      if (text === '{') blocks.push(index);
      if (text === '}') blocks.pop();
      const blockEnd = this.#tokens[this.#closers.get(blocks.at(-1) ?? body) ?? last];
      const pattern = this.#patternAt(index);
      if (!pattern || !blockEnd) continue;
      const end =
        pattern.scope === undefined ? blockEnd : (this.#tokens[pattern.scope] ?? blockEnd);
      declarations.push(...this.#bindings(pattern.first, pattern.end, end, false));
    }
    return declarations;
  }

  /** The tokens of a pattern that a token begins or ends, and the token that ends its own block, if it has one. */
  #patternAt(
    index: number,
  ):
    | { readonly first: number; readonly end: number; readonly scope?: number | undefined }
    | undefined {
    const text = this.#text(index);
    if (text === 'let') {
      const end = this.#skipTo(index + 1, ['=', ':', ';']);
      const isCondition = /^(if|while|&&)$/.test(this.#text(index - 1));
      const scope = isCondition ? this.#closers.get(this.#skipTo(end, ['{'])) : undefined;
      return { first: index + 1, end, scope };
    }
    if (text === 'for') {
      const end = this.#skipTo(index + 1, ['in']);
      return { first: index + 1, end, scope: this.#closers.get(this.#skipTo(end, ['{'])) };
    }
    if (text === '=>') {
      const scope = this.#closers.get(index + 1) ?? this.#skipTo(index + 1, [',', '}']);
      return { first: this.#armStart(index), end: index, scope };
    }
    if (text === '|' && /^[=(,]$/.test(this.#text(index - 1))) {
      const end = this.#find(index + 1, '|');
      const scope = this.#closers.get(end + 1) ?? this.#skipTo(end + 1, [',', ')', ';']);
      return { first: index + 1, end, scope };
    }
    return undefined;
  }

  /** The next token with one of the texts, outside of brackets that open meanwhile. */
  #skipTo(from: number, texts: readonly string[]): number {
    let index = from;
    while (index < this.#tokens.length && !texts.includes(this.#text(index))) {
      index = (this.#closers.get(index) ?? index) + 1;
    }
    return index;
  }

  /** The first token of the pattern before an arrow. */
  #armStart(arrow: number): number {
    let depth = 0;
    let index = arrow - 1;
    for (; index > 0; index -= 1) {
      const text = this.#text(index);
      if (depth === 0 && /^[,{}]$/.test(text) && text !== '}') break;
      if (CLOSING.has(text)) {
        // The block of the arm before, which may have no comma.
        if (depth === 0 && text === '}' && !this.#isPatternBlock(index)) break;
        depth += 1;
      } else if (OPENING.has(text)) depth -= 1;
    }
    return index + 1;
  }

  /** Whether braces hold the members of a struct in a pattern: a name is before them. */
  #isPatternBlock(close: number): boolean {
    return NAME.test(this.#text((this.#openers.get(close) ?? 0) - 1));
  }

  /** Names that a pattern binds, or parameters. */
  #bindings(
    first: number,
    end: number,
    scope: TextPosition,
    needsType: boolean,
  ): readonly Declaration[] {
    const declarations: Declaration[] = [];
    let depth = 0;
    for (let index = first; index < end; index += 1) {
      const token = this.#tokens[index];
      const next = this.#text(index + 1);
      if (!token) break;
      if (OPENING.has(token.text) || token.text === '<') depth += 1;
      else if (CLOSING.has(token.text) || token.text === '>') depth -= 1;
      if (!/^[a-z_]/.test(token.text) || !NAME.test(token.text)) continue;
      if (NO_BINDING.has(token.text) || this.#text(index - 1) === '::') continue;
      if (needsType && (depth !== 0 || next !== ':')) continue;
      if (!needsType) {
        if (/^(::|\(|\{|!)$/.test(next) || (next === ':' && depth > 0)) continue;
        // The type of a closure's parameter.
        if (this.#text(index - 1) === ':' && depth === 0) continue;
      }
      const { text: name, line, column } = token;
      const isMutable = /^(mut|ref)$/.test(this.#text(index - 1));
      declarations.push({ name, line, column, isMutable, end: scope });
    }
    return declarations;
  }
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 0;
  let lineStart = 0;
  let scanned = 0;
  for (const match of text.matchAll(TOKEN)) {
    for (let at = text.indexOf('\n', scanned); at >= 0 && at < match.index; ) {
      line += 1;
      lineStart = at + 1;
      scanned = at + 1;
      at = text.indexOf('\n', scanned);
    }
    const [word] = match;
    if (word.startsWith('//')) continue;
    const column = [...text.slice(lineStart, match.index)].length;
    tokens.push({ text: word, line, column });
  }
  return tokens;
}
