// Base64 of registers into bytes; the language itself has no decoder.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const INVALID = 255;
const VALUES = new Uint8Array(128).fill(INVALID);
for (let value = 0; value < ALPHABET.length; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value;

/** @throws TypeError if the text is no base64 */
export function bytesOfBase64(text: string): Uint8Array {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === 61) length -= 1;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let at = 0;
  let bits = 0;
  let buffer = 0;
  for (let index = 0; index < length; index += 1) {
    const value = VALUES[text.charCodeAt(index)] ?? INVALID;
    if (value === INVALID) throw new TypeError(`Expected base64 at character ${index}.`);
    buffer = ((buffer << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at] = (buffer >> bits) & 0xff;
      at += 1;
    }
  }
  return bytes;
}

/** Unsigned 32-bit integers, little-endian. */
export function wordsOfBase64(text: string): Uint32Array {
  const bytes = bytesOfBase64(text);
  const words = new Uint32Array(bytes.length >> 2);
  for (let index = 0; index < words.length; index += 1) {
    const at = index << 2;
    words[index] =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24);
  }
  return words;
}
