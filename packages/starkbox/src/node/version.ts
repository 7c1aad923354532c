// Version of this package.
import { readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from '../files/package-folder.js';
import { object, string } from '../json/reader.js';

/** Returns the version of this package. */
export function packageVersion(): string {
  const file = new URL('package.json', PACKAGE_FOLDER);
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return string(object(parsed, 'package.json')['version'], 'package.json: version');
}
