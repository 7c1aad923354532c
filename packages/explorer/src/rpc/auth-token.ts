// Knows the token of a guarded node: where it comes from, where it is kept, and whether it was refused.

/** Kept for this tab only; whatever else a browser keeps outlives it. */
const KEY = 'starkbox.token';
/** What a header can carry. */
const SENDABLE = /^[\x21-\x7e]+$/;

let isRefused = false;
const watchers = new Set<() => void>();

function announce(refused: boolean): void {
  if (refused === isRefused) return;
  isRefused = refused;
  for (const watcher of watchers) watcher();
}

/** It arrives behind the `#` of the address, which is never sent anywhere, and is taken out of sight at once. */
function takeFromAddress(): void {
  const written = /^#token=(.*)$/.exec(location.hash)?.[1];
  if (written === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  const given = decoded(written);
  if (!SENDABLE.test(given)) return;
  sessionStorage.setItem(KEY, given);
  announce(false);
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
  // Somebody may write it behind the address of a page that is open.
  addEventListener('hashchange', takeFromAddress);
}

export function token(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Why it cannot be one; undefined if it was taken. */
export function giveToken(text: string): string | undefined {
  const given = text.trim();
  if (given === '') return 'Write the token.';
  if (!SENDABLE.test(given)) return 'A token has no spaces and no letters beyond ASCII.';
  sessionStorage.setItem(KEY, given);
  announce(false);
  return undefined;
}

/** The node wants a token, and what we sent was none or not the right one. */
export function refuseToken(): void {
  announce(true);
}

export function isTokenRefused(): boolean {
  return isRefused;
}

export function onToken(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
