// Base64 of registers into numbers.

declare const atob: (text: string) => string;

/**
 * Reads unsigned 32-bit integers, little-endian.
 *
 * @throws TypeError if the text is not base64
 */
export function wordsOfBase64(text: string): Uint32Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new TypeError('Expected base64.');
  const letters = atob(text);
  const byteAt = (index: number): number => letters.charCodeAt(index);
  return Uint32Array.from({ length: letters.length >> 2 }, (_, word) => {
    const at = word * 4;
    return (
      (byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16) | (byteAt(at + 3) << 24)) >>> 0
    );
  });
}
