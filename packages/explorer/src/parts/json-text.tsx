// Untrusted JSON as text: indented, safe to show, cut when long.

import { parseJson, writeJson } from '../format/json.js';
import { escapeText } from '../format/untrusted-text.js';

const MAX_LENGTH = 60_000;
const MAX_LINE_LENGTH = 2_000;

/** Indented, if it is JSON. */
export function laidOut(text: string): string {
  try {
    return writeJson(parseJson(text), 2);
  } catch {
    return text;
  }
}

/** Safe to show, line by line. */
export function escapedLines(text: string): string {
  const start = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text;
  const lines = start.split('\n').map((line) => {
    const { text: safe, cutFrom } = escapeText(line, MAX_LINE_LENGTH);
    return cutFrom === undefined ? safe : `${safe}… ${cutFrom} characters`;
  });
  if (text.length > MAX_LENGTH) lines.push(`… ${text.length} characters in all`);
  return lines.join('\n');
}

export function JsonText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="json" aria-label={label} tabIndex={0}>
      <pre>{escapedLines(text)}</pre>
    </section>
  );
}
