// A project on disk as Scarb leaves it: artifacts with debug information, and the sources that they name.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { classTextWithPlaces } from '../../../../contracts/classes.js';

const SOURCES = fileURLToPath(new URL('../../../../contracts/src/', import.meta.url));

/** The folder of a project with these contracts, removed after the tests of the file. */
export async function createProject(contracts: readonly string[]): Promise<string> {
  const folder = temporaryFolderOfFile();
  const artifacts = join(folder, 'target', 'dev');
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(folder, 'Scarb.toml'), '[package]\nname = "contracts"\n');
  cpSync(SOURCES, join(folder, 'contracts', 'src'), { recursive: true });
  for (const name of contracts) {
    const text = await classTextWithPlaces(name);
    writeFileSync(join(artifacts, `contracts_${name}.contract_class.json`), text);
  }
  return folder;
}

/** The line of a source that contains a text. */
export function lineWith(text: string, part: string): number {
  const at = text.split('\n').findIndex((line) => line.includes(part));
  if (at < 0) throw new Error(`no line contains ${part}`);
  return at + 1;
}
