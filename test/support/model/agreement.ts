// Comparison of an answer with the expected one, which reports only what differs.
import { inspect } from 'node:util';

/** Throws unless `actual` has all that `expected` has. Further members do not count. */
export function agree(actual: unknown, expected: unknown, what = 'the answer'): void {
  const lines = [...disagreements(actual, expected, what)];
  if (lines.length > 0) throw new Error(lines.slice(0, MAX_LINES).join('\n'));
}

/** As `agree`, but further members are not allowed. */
export function agreeExactly(actual: unknown, expected: unknown, what?: string): void {
  agree(actual, expected, what);
  agree(expected, actual, what);
}

const MAX_LINES = 20;

function* disagreements(actual: unknown, expected: unknown, path: string): Iterable<string> {
  if (Object.is(actual, expected)) return;
  if (
    !isObject(actual) ||
    !isObject(expected) ||
    Array.isArray(actual) !== Array.isArray(expected)
  ) {
    yield `${path} is ${shortened(actual)} instead of ${shortened(expected)}`;
    return;
  }
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length !== expected.length) {
    yield `${path} has ${actual.length} members instead of ${expected.length}: ${shortened(actual)}`;
    return;
  }
  for (const [name, part] of Object.entries(expected)) {
    yield* disagreements(actual[name], part, `${path}.${name}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shortened(value: unknown): string {
  const text = inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 2 });
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
