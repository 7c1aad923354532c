// Form state in the fragment of the page's address, which is never sent to a server.

const START = '#form=';
/** Longer states are not stored, because browsers and chats cut long addresses. */
const MAX_LENGTH = 8_000;

/** The stored state, which is untrusted. */
export function remembered(): Readonly<Record<string, unknown>> {
  if (!location.hash.startsWith(START)) return {};
  try {
    const value: unknown = JSON.parse(decodeURIComponent(location.hash.slice(START.length)));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : {};
  } catch {
    return {};
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Stores a form's state after a pause in typing. */
export function remember(form: Readonly<Record<string, unknown>>): void {
  clearTimeout(timer);
  const page = location.pathname;
  timer = setTimeout(() => {
    if (location.pathname !== page) return;
    const hash = START + encodeURIComponent(JSON.stringify(form));
    const fragment = hash.length > MAX_LENGTH ? '' : hash;
    if (fragment !== location.hash)
      history.replaceState(null, '', location.pathname + location.search + fragment);
  }, 200);
}
