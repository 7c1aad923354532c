// JSON for people: short values on one line, with colours on a terminal.
import { isObject } from '@starkbox/abi/basics';
import { stringify } from '../../json/json.js';
import type { HelpStyle } from './help-text.js';

/** A value as indented JSON. */
export function coloured(value: unknown, style: HelpStyle, indent = ''): string {
  const line = stringify(value);
  if (!Array.isArray(value) && !isObject(value)) return paintValue(value, line, style);
  const entries: readonly (readonly [prefix: string, member: unknown])[] = Array.isArray(value)
    ? value.map((item: unknown) => ['', item])
    : Object.entries(value).map(([name, member]) => [
        `${style.paint('cyan', JSON.stringify(name))}: `,
        member,
      ]);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0) return `${open}${close}`;
  const inner = `${indent}  `;
  const members = entries.map(([prefix, member]) => `${prefix}${coloured(member, style, inner)}`);
  // The spaces behind colons and commas, and those inside of braces.
  const length = indent.length + line.length + 2 * entries.length + 2;
  const isShort = length <= style.width && !members.some((member) => member.includes('\n'));
  if (isShort) {
    const space = Array.isArray(value) ? '' : ' ';
    return `${open}${space}${members.join(', ')}${space}${close}`;
  }
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`;
}

function paintValue(value: unknown, text: string, { paint }: HelpStyle): string {
  if (typeof value === 'string') return paint('green', text);
  return value === null ? paint('dim', text) : paint('yellow', text);
}
