// Knows how a text that somebody else wrote is shown so that it can neither hide anything nor pass for ours.

export interface Disarmed {
  readonly text: string;
  /** How long the whole is, if this is only its beginning. */
  readonly cutFrom?: number;
}

const SHOWN = 200;
/** Marks that are piled up on one letter can cover the lines above. */
const MARKS = 3;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
const MARK = /\p{M}/u;

export function disarm(text: string, limit: number = SHOWN): Disarmed {
  let shown = '';
  let marks = 0;
  let length = 0;
  for (const character of text) {
    if (length >= limit) return { text: shown, cutFrom: text.length };
    length++;
    marks = MARK.test(character) ? marks + 1 : 0;
    if (marks > MARKS) continue;
    shown += INVISIBLE.test(character) ? codePoint(character) : character;
  }
  return { text: shown };
}

function codePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${code}⟩`;
}
