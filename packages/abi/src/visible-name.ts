// Names that contracts and classes give themselves, made safe to show beside other names.

/** Characters of a name that are shown. */
const MAX_LENGTH = 60;
/** Combining marks in a row; more could cover other lines. */
const MARKS = /(\p{M}{3})\p{M}+/gu;
/** Control, format and private characters, and separators of lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
const REPLACEMENT = '\u{fffd}';

/** Undefined for an empty text, and for one that looks like an address. */
export function visibleName(text: string): string | undefined {
  // Cut twice: a long text costs little.
  const start = text.slice(0, 4 * MAX_LENGTH).replace(INVISIBLE, REPLACEMENT);
  const name = start.replace(MARKS, '$1').replace(/\s+/gu, ' ').trim();
  if (name === '' || /^0x/i.test(name) || /^\u{fffd}+$/u.test(name)) return undefined;
  const characters = [...name];
  if (characters.length <= MAX_LENGTH) return name;
  return `${characters.slice(0, MAX_LENGTH - 1).join('')}…`;
}
