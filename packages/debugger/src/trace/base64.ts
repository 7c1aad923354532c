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
  let index = 0;
  const valueAt = (letter: number): number => {
    const value = VALUES[text.charCodeAt(letter)] ?? INVALID;
    if (value === INVALID) throw new TypeError(`Expected base64 at character ${letter}.`);
    return value;
  };
  // Four letters are three bytes. Beyond the end of the array, a byte is ignored.
  for (; index + 4 <= length; index += 4) {
    const word =
      (valueAt(index) << 18) |
      (valueAt(index + 1) << 12) |
      (valueAt(index + 2) << 6) |
      valueAt(index + 3);
    bytes[at] = word >> 16;
    bytes[at + 1] = word >> 8;
    bytes[at + 2] = word;
    at += 3;
  }
  let rest = 0;
  for (let shift = 18; index < length; index += 1, shift -= 6) rest |= valueAt(index) << shift;
  for (let shift = 16; at < bytes.length; at += 1, shift -= 8) bytes[at] = rest >> shift;
  return bytes;
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** Unsigned 32-bit integers, little-endian. */
export function wordsOfBase64(text: string): Uint32Array {
  const bytes = bytesOfBase64(text);
  const count = bytes.length >> 2;
  if (IS_LITTLE_ENDIAN) return new Uint32Array(bytes.buffer, 0, count);
  const view = new DataView(bytes.buffer);
  return Uint32Array.from({ length: count }, (_, index) => view.getUint32(index * 4, true));
}
