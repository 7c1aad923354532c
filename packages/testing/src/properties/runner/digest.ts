// A hash of histories, to compare searches: cheap enough for every step.

const MULTIPLIERS = [0x01000193, 0x85ebca6b] as const;

/** Characters. */
const HASH_END = 12;

/** Two chains of 32 bits over characters. It guards against accidents, not against intent. */
export class RunDigest {
  #first = 0x811c9dc5;
  #second = 0x9747b28c;

  /** Adds the end of a hash, which tells hashes apart as well as all of it. */
  addEnd(hash: string): void {
    this.add(hash, hash.length - HASH_END);
  }

  add(text: string, start = 0): void {
    let first = this.#first;
    let second = this.#second;
    for (let at = Math.max(0, start); at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      first = Math.imul(first ^ code, MULTIPLIERS[0]);
      second = Math.imul(second ^ code, MULTIPLIERS[1]);
      second ^= second >>> 15;
    }
    // Separates texts.
    this.#first = Math.imul(first ^ 0x1f, MULTIPLIERS[0]);
    this.#second = Math.imul(second ^ 0x1f, MULTIPLIERS[1]);
  }

  get hex(): string {
    return hexOf(this.#first) + hexOf(this.#second);
  }
}

function hexOf(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
