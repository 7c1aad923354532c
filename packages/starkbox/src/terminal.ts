// Colours of a terminal.

/** A stream that text is written to. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Only terminals have it. It takes NO_COLOR and similar variables into account. */
  hasColors?(): boolean;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

export function wantsColour(output: Output): boolean {
  return output.isTTY === true && output.hasColors?.() === true;
}

/** Colours text, if colours are on. */
export function painter(coloured: boolean): Paint {
  return (colour, text) =>
    coloured && text !== '' ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}
