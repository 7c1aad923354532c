// Knows the terminal's codes for colours, and when they are welcome.

/** What we need of a stream that text is written to. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Of terminals. Takes NO_COLOR and its like into account. */
  hasColors?(): boolean;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

export function wantsColour(output: Output): boolean {
  return output.isTTY === true && output.hasColors?.() === true;
}

/** Colours text, or leaves it as it is. */
export function painter(coloured: boolean): Paint {
  return (colour, text) =>
    coloured && text !== '' ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}
