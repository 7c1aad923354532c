// Keys of objects.

const LONGEST_KEY = 800;
const LONGEST_SEGMENT = 200;

/** Segments of letters, digits, `.`, `_` and `-` between slashes, so that a key is a path on every system. */
export function isKey(text: string): boolean {
  return text.length <= LONGEST_KEY && text.split('/').every(isSegment);
}

function isSegment(segment: string): boolean {
  return segment.length <= LONGEST_SEGMENT && /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(segment);
}

export function checkKey(key: string): void {
  if (isKey(key)) return;
  throw new Error(
    `"${key}" is not an object key: segments of letters, digits, ".", "_" and "-", none of which begins with ".", are joined by "/"`,
  );
}
