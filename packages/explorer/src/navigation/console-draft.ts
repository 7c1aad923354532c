// Call handed over from another page to the console.
import { go, to } from './route.js';

export interface ConsoleCall {
  readonly method: string;
  /** As JSON. */
  readonly params: string;
}

let handedOver: ConsoleCall | undefined;

export function editInConsole(draft: ConsoleCall): void {
  handedOver = draft;
  go(to('console', undefined, { method: draft.method }));
}

export function takeDraft(method: string): string | undefined {
  if (handedOver?.method !== method) return undefined;
  const { params } = handedOver;
  // Cleared later, because strict mode renders twice.
  setTimeout(() => {
    handedOver = undefined;
  });
  return params;
}
