// Untrusted text made safe to show: visible control characters, bounded length.

export interface EscapedText {
  readonly text: string;
  /** Full length, if the text was cut. */
  readonly cutFrom?: number;
}

const SHOWN = 200;
/** Stacked combining marks could cover other lines. */
const MARKS = 3;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
const MARK = /\p{M}/u;

export function escapeText(text: string, limit: number = SHOWN): EscapedText {
  let safe = '';
  let marks = 0;
  let length = 0;
  for (const character of text) {
    if (length >= limit) return { text: safe, cutFrom: text.length };
    length++;
    marks = MARK.test(character) ? marks + 1 : 0;
    if (marks > MARKS) continue;
    safe += INVISIBLE.test(character) ? codePoint(character) : character;
  }
  return { text: safe };
}

function codePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${code}⟩`;
}
