// Comparison of an answer with the expected one, which reports only what differs.
import { inspect } from 'node:util';

/** Throws unless `found` has all that `wanted` has. Members that are not wanted do not count. */
export function agree(found: unknown, wanted: unknown, what = 'the answer'): void {
  const lines = [...disagreements(found, wanted, what)];
  if (lines.length > 0) throw new Error(lines.slice(0, MOST_LINES).join('\n'));
}

/** As `agree`, but members that are not wanted must not be there. */
export function agreeExactly(found: unknown, wanted: unknown, what?: string): void {
  agree(found, wanted, what);
  agree(wanted, found, what);
}

const MOST_LINES = 20;

function* disagreements(found: unknown, wanted: unknown, path: string): Iterable<string> {
  if (Object.is(found, wanted)) return;
  if (!isObject(found) || !isObject(wanted) || Array.isArray(found) !== Array.isArray(wanted)) {
    yield `${path} is ${shortened(found)} instead of ${shortened(wanted)}`;
    return;
  }
  if (Array.isArray(found) && Array.isArray(wanted) && found.length !== wanted.length) {
    yield `${path} has ${found.length} members instead of ${wanted.length}: ${shortened(found)}`;
    return;
  }
  for (const [name, part] of Object.entries(wanted)) {
    yield* disagreements(found[name], part, `${path}.${name}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shortened(value: unknown): string {
  const text = inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 2 });
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
