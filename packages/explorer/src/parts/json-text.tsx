// Untrusted JSON as text: indented, safe to show, cut when long.

import { parseJson, writeJson } from '../format/json.js';
import { disarm } from '../format/untrusted-text.js';

const LONGEST = 60_000;
const LONGEST_LINE = 2_000;

/** Indented, if it is JSON. */
export function laidOut(text: string): string {
  try {
    return writeJson(parseJson(text), 2);
  } catch {
    return text;
  }
}

/** Safe to show, line by line. */
export function disarmed(text: string): string {
  const shown = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  const lines = shown.split('\n').map((line) => {
    const { text: safe, cutFrom } = disarm(line, LONGEST_LINE);
    return cutFrom === undefined ? safe : `${safe}… ${cutFrom} characters`;
  });
  if (text.length > LONGEST) lines.push(`… ${text.length} characters in all`);
  return lines.join('\n');
}

export function JsonText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="json" aria-label={label} tabIndex={0}>
      <pre>{disarmed(text)}</pre>
    </section>
  );
}
