// Search for the known word that a mistyped one was probably meant to be.

/** More edits than this make another word. */
const MAX_EDITS = 3;

/**
 * The candidate with the fewest edits, or none if all of them are other words.
 *
 * @example
 * nearest('sed', ['accounts', 'seed']) // 'seed'
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const plainWord = plain(word);
  const most = Math.min(MAX_EDITS, Math.floor(plainWord.length / 3));
  return withFewest(candidates, (candidate) => {
    const other = plain(candidate);
    // Each letter more is an edit, so that a long text is not compared.
    const isFar = Math.abs(plainWord.length - other.length) > most;
    return { edits: isFar ? Number.POSITIVE_INFINITY : distance(plainWord, other), most };
  });
}

/** Of the candidates with at most as many edits as they may have, the first with the fewest. */
export function withFewest(
  candidates: Iterable<string>,
  compare: (candidate: string) => { readonly edits: number; readonly most: number },
): string | undefined {
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const { edits, most } = compare(candidate);
    if (edits > most || edits >= fewest) continue;
    best = candidate;
    fewest = edits;
  }
  return best;
}

/** `gas-price` and `gasPrice` are the same word. */
function plain(word: string): string {
  return word.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
}

/** Letters to insert, delete, replace or swap with the next one. */
export function distance(word: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= word.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = word[row - 1] === other[column - 1];
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped = word[row - 1] === other[column - 2] && word[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwapped) {
        edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
