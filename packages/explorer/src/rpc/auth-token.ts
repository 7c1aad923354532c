// Access token of the node: source, storage, rejection.
import { createStore } from '../state/store.js';

/** Session storage: the token lasts as long as the tab. */
const KEY = 'starkbox.token';
/** Characters that a header can carry. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** Whether the node rejected the last request for want of a valid token. */
export const tokenRejected = createStore(false);

/** Reads the token from the fragment of the address, which is not sent to a server, and removes it there. */
function takeFromAddress(): void {
  const written = /^#token=(.*)$/.exec(location.hash)?.[1];
  if (written === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  const text = decoded(written);
  if (!SENDABLE.test(text)) return;
  sessionStorage.setItem(KEY, text);
  tokenRejected.set(false);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function startToken(): void {
  takeFromAddress();
  // The fragment may be edited while the page is open.
  addEventListener('hashchange', takeFromAddress);
}

export function token(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Stores a token; returns the error if it cannot be one. */
export function giveToken(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return 'Enter the token.';
  if (!SENDABLE.test(trimmed)) return 'A token is ASCII without spaces.';
  sessionStorage.setItem(KEY, trimmed);
  tokenRejected.set(false);
  return undefined;
}
