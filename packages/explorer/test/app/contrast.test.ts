// Contrast of text and background colours in both themes.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const TOKENS = readFileSync(new URL('../../src/styles/tokens.css', import.meta.url), 'utf8');
const [, light = '', dark = ''] =
  /:root \{([^}]*)\}[\s\S]*?:root\[data-theme="dark"\] \{([^}]*)\}/.exec(TOKENS) ?? [];

function tokens(block: string): ReadonlyMap<string, string> {
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6})/gi)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(foreground: string, background: string): number {
  const [dark = 0, light = 0] = [luminance(foreground), luminance(background)].sort(
    (a, b) => a - b,
  );
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  ['light', tokens(light)],
  ['dark', tokens(dark)],
])('the %s theme', (_name, theme) => {
  const of = (name: string): string => {
    const colour = theme.get(name);
    if (colour === undefined) throw new Error(`there is no token ${name}`);
    return colour;
  };
  const pairs = [
    ...['text', 'text-2', 'text-3', 'accent'].flatMap((text) =>
      ['canvas', 'surface', 'sunken', 'hover', 'selected'].map(
        (ground) => [text, ground, 4.5] as const,
      ),
    ),
    ...['ok', 'fail', 'warn', 'l1'].flatMap((text) =>
      ['canvas', 'surface', 'hover', 'selected', `${text}-tint`].map(
        (ground) => [text, ground, 4.5] as const,
      ),
    ),
    ['text', 'fail-tint', 4.5] as const,
    ['text-2', 'fail-tint', 4.5] as const,
    ['text', 'warn-tint', 4.5] as const,
    ['on-accent', 'accent', 4.5] as const,
    ...['surface', 'sunken', 'selected'].map((ground) => ['edge', ground, 3] as const),
  ];
  test.each(pairs)('%s on %s', (text, ground, least) => {
    expect(contrast(of(text), of(ground))).toBeGreaterThanOrEqual(least);
  });
});
