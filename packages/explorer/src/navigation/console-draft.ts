// Knows the call that somebody wants to work on in the console, on its way there from another page.
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
  // Whoever asks twice in one breath gets it twice.
  setTimeout(() => {
    onItsWay = undefined;
  });
  return params;
}
