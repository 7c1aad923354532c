// Felts as text: canonical form, shortened forms, short strings.

const HEX = /^0x[0-9a-f]{1,64}$/i;

/** Lower case without leading zeros; undefined if the text is not a hexadecimal number. */
export function canonicalFelt(text: string): string | undefined {
  const trimmed = text.trim();
  if (!HEX.test(trimmed)) return undefined;
  return `0x${trimmed
    .slice(2)
    .toLowerCase()
    .replace(/^0+(?=.)/, '')}`;
}

export function toFelt(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** `0x3923…549c` */
export function shortHash(felt: string): string {
  return shorten(felt, 4);
}

/** `0x64b488…5691` */
export function shortAddress(felt: string): string {
  return shorten(felt, 6);
}

function shorten(felt: string, head: number): string {
  return felt.length <= head + 8 ? felt : `${felt.slice(0, head + 2)}…${felt.slice(-4)}`;
}

/** The short string in a felt; undefined unless it has two or more characters, all printable ASCII. */
export function decodeShortString(felt: string): string | undefined {
  const digits = felt.slice(2);
  if (digits.length < 4 || digits.length > 62 || digits.length % 2 !== 0) return undefined;
  let text = '';
  for (let at = 0; at < digits.length; at += 2) {
    const code = Number.parseInt(digits.slice(at, at + 2), 16);
    if (code < 0x20 || code > 0x7e) return undefined;
    text += String.fromCharCode(code);
  }
  return text;
}
