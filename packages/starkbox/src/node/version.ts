// Version of this package.
import { readFileSync } from 'node:fs';
import { object, string } from '../json/reader.js';

export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return string(object(parsed, 'package.json')['version'], 'package.json: version');
}
