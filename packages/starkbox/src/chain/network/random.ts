// Repeatable random numbers: the same on every machine.

const WORD = 2 ** 32;

/**
 * Random numbers from 0 up to, and without, 1. They follow from a seed, a purpose and a position alone, so that
 * decisions for one purpose do not depend on the number of decisions for another one.
 */
export function randomNumbers(seed: number, purpose: string, position: number): () => number {
  const label = Array.from(purpose).reduce(
    (sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0),
    0,
  );
  let [a, b, c] = [seed | 0, label ^ Math.floor(seed / WORD), position | 0];
  let counter = Math.floor(position / WORD) + 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / WORD;
  };
  // Until each bit of the result depends on all of the start.
  for (let round = 0; round < 15; round += 1) next();
  return next;
}

/** Accuracy of `power`. */
const BITS = 12;

/**
 * A power of a number that is not negative; the exponent neither, and rounded to 2^-12. Products and square roots are
 * exact to the last bit on every machine, `Math.pow` is not.
 */
export function power(base: number, exponent: number): number {
  const whole = Math.floor(exponent);
  let [result, root, rest] = [1, base, exponent - whole];
  for (let times = 0; times < whole; times += 1) result *= base;
  for (let bit = 0; bit < BITS; bit += 1) {
    [root, rest] = [Math.sqrt(root), rest * 2];
    if (rest >= 1) [result, rest] = [result * root, rest - 1];
  }
  return result;
}
