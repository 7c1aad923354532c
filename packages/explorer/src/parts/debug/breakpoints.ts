// Breakpoints of this browser tab. They hold for every transaction.
import type { Breakpoint } from '@starkbox/debugger';
import { createBrowserStore, type Store } from '../../state/store.js';

/** The browser's storage can hold any text, so that each entry is checked. */
export const breakpoints: Store<readonly Breakpoint[]> = createBrowserStore(
  'sessionStorage',
  'starkbox.breakpoints',
  (stored) => (Array.isArray(stored) ? stored.flatMap(readBreakpoint) : []),
);

function readBreakpoint(stored: unknown): readonly Breakpoint[] {
  if (typeof stored !== 'object' || stored === null || !('id' in stored)) return [];
  const { id, line, ...texts } = { line: undefined, ...stored };
  if (typeof id !== 'string') return [];
  const location = readLine(line);
  return [
    {
      id,
      ...(location ? { line: location } : {}),
      ...textIn(texts, 'function'),
      ...textIn(texts, 'contract'),
      ...textIn(texts, 'condition'),
    },
  ];
}

function readLine(stored: unknown): Breakpoint['line'] {
  if (typeof stored !== 'object' || stored === null) return undefined;
  if (!('file' in stored && 'line' in stored)) return undefined;
  const { file, line } = stored;
  return typeof file === 'string' && typeof line === 'number' ? { file, line } : undefined;
}

function textIn<Name extends 'function' | 'contract' | 'condition'>(
  stored: object,
  name: Name,
): { readonly [Key in Name]?: string } {
  const value: unknown = Object.getOwnPropertyDescriptor(stored, name)?.value;
  // A computed key has the type `string`, so that the result is built by name.
  const result: { [Key in Name]?: string } = {};
  if (typeof value === 'string') result[name] = value;
  return result;
}

/** The breakpoint of a line; that of a typed file name holds for each file whose path ends with it. */
export function breakpointAt(
  all: readonly Breakpoint[],
  file: string,
  line: number,
): Breakpoint | undefined {
  return all.find(
    ({ line: at }) => at?.line === line && (at.file === file || file.endsWith(`/${at.file}`)),
  );
}

export function toggleBreakpoint(file: string, line: number): void {
  const all = breakpoints.get();
  const present = breakpointAt(all, file, line);
  if (present) removeBreakpoint(present.id);
  else breakpoints.set([...all, { id: `${file}:${line}`, line: { file, line } }]);
}

/** Stops at each entry into functions of this name, or into any function of a contract. */
export function addBreakpoint(kind: 'function' | 'contract', name: string): void {
  const id = `${kind} ${name}`;
  breakpoints.set([...withoutId(id), { id, [kind]: name }]);
}

export function removeBreakpoint(id: string): void {
  breakpoints.set(withoutId(id));
}

/** An empty condition removes it. */
export function setCondition(id: string, condition: string): void {
  breakpoints.set(
    breakpoints.get().map((breakpoint) => {
      if (breakpoint.id !== id) return breakpoint;
      const { condition: _old, ...others } = breakpoint;
      return condition === '' ? others : { ...others, condition };
    }),
  );
}

const withoutId = (id: string): readonly Breakpoint[] =>
  breakpoints.get().filter((breakpoint) => breakpoint.id !== id);
