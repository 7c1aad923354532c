// Texts on a terminal: colours, and texts from outside without control characters.

/** An output stream. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width of a terminal. */
  readonly columns?: number;
  /** Terminals have it, and take NO_COLOR and FORCE_COLOR into account; pipes do not. */
  hasColors?(): boolean;
}

const LEAST_COLUMNS = 80;

/** Columns that a line may take; undefined where nothing is wrapped or shortened. */
export function widthOf({ isTTY, columns }: Output): number | undefined {
  return isTTY === true ? Math.max(LEAST_COLUMNS, columns ?? 0) : undefined;
}

/**
 * An output with the colours that FORCE_COLOR requires of a pipe.
 *
 * @param forced the value of the variable
 */
export function withForcedColour(output: Output, forced: string | undefined): Output {
  if (output.isTTY === true || forced === undefined || /^(0|false)$/.test(forced)) return output;
  return { write: (text) => output.write(text), hasColors: () => true };
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

export function usesColour(output: Output): boolean {
  return output.hasColors?.() === true;
}

/** Colours text, if colours are on. */
export function painter(coloured: boolean): Paint {
  return (colour, text) =>
    coloured && text !== '' ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

/**
 * Control characters except tabs and line breaks, and characters that change the direction of a text: a terminal acts
 * on them, so that a text from outside could overwrite or imitate others.
 */
const CONTROL = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Shows control characters as JSON escapes them; a JSON text stays equal. */
export function visible(text: string): string {
  return text.replace(CONTROL, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Separates the colours of `painter` from texts. */
const COLOUR_CODE: RegExp = new RegExp(`(\u001b\\[(?:0|${Object.values(CODES).join('|')})m)`);

/** As `visible`, for text that `painter` has coloured. */
export function visiblePainted(text: string, coloured: boolean): string {
  if (!coloured) return visible(text);
  const parts = text.split(COLOUR_CODE);
  return parts.map((part, index) => (index % 2 === 0 ? visible(part) : part)).join('');
}

/**
 * Cuts a long text, and appends how long it was.
 *
 * @param length of the whole text, where the given one is a part of it
 */
export function shortenText(text: string, longest: number, length: number = text.length): string {
  if (text.length <= longest && length <= longest) return text;
  return `${text.slice(0, longest)}… (${length} characters)`;
}
