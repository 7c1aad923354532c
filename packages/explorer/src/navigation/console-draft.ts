// Call handed over from another page to the console.
import { go, to } from './route.js';

export interface Draft {
  readonly method: string;
  /** As JSON. */
  readonly params: string;
}

let onItsWay: Draft | undefined;

export function editInConsole(draft: Draft): void {
  onItsWay = draft;
  go(to('console', undefined, { method: draft.method }));
}

export function takeDraft(method: string): string | undefined {
  if (onItsWay?.method !== method) return undefined;
  const { params } = onItsWay;
  // Cleared later, because strict mode renders twice.
  setTimeout(() => {
    onItsWay = undefined;
  });
  return params;
}
