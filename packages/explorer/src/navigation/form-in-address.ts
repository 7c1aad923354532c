// Knows how a form that is half filled is kept in the address, behind the `#`, which is never sent anywhere.

const START = '#form=';
/** Longer ones are not kept: browsers and chats cut them. */
const LONGEST = 8_000;

/** What the address holds; anything at all, since anybody can write an address. */
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

/** Writes a form into the address once the typing pauses. */
export function remember(form: Readonly<Record<string, unknown>>): void {
  clearTimeout(timer);
  const page = location.pathname;
  timer = setTimeout(() => {
    if (location.pathname !== page) return;
    const hash = START + encodeURIComponent(JSON.stringify(form));
    const kept = hash.length > LONGEST ? '' : hash;
    if (kept !== location.hash)
      history.replaceState(null, '', location.pathname + location.search + kept);
  }, 200);
}
