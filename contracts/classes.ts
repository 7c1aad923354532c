// The compiled contracts as tests read them: of either compiler, with places in their sources, and the marks there.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** The Cairo release that compiled a class. */
export type Generation = '2.8' | '2.19';

/** What the tests of this process use; `TEST_CAIRO=2.8` chooses the older one. */
export const GENERATION: Generation = process.env['TEST_CAIRO'] === '2.8' ? '2.8' : '2.19';

/** What is kept of the older compiler. */
export const KEPT: readonly string[] = ['counter', 'reverter'];

/** The class of a contract; one that is not kept of the older compiler is of the newer. */
export function classFile(name: string, generation: Generation = GENERATION): URL {
  const folder = generation === '2.8' && KEPT.includes(name) ? 'cairo-2.8' : 'cairo';
  return new URL(`./${folder}/${name}.sierra.json`, import.meta.url);
}

export function classText(name: string, generation: Generation = GENERATION): Promise<string> {
  return readFile(classFile(name, generation), 'utf8');
}

/**
 * The same class with the debug information that says which statement belongs to which line; or as it is compiled
 * without optimizations, which is another class.
 */
export async function classTextWithPlaces(
  name: string,
  folder: 'places' | 'unoptimized' = 'places',
): Promise<string> {
  const file = new URL(`./${folder}/${name}.sierra.json.gz`, import.meta.url);
  return gunzipSync(await readFile(file)).toString();
}

/** Options of a node whose accounts are of the same generation as the contracts. */
export const ACCOUNTS: { readonly accountClassCustom?: string } =
  GENERATION === '2.8' ? {} : { accountClassCustom: fileURLToPath(classFile('account')) };

/** A line that fails, as `// fails: NAME` marks it. */
export interface Mark {
  /** As the places of a class name it, such as `contracts/src/counter.cairo`. */
  readonly file: string;
  /** From 1 on. */
  readonly line: number;
}

/** The marks of all sources by their names. */
export function marks(): ReadonlyMap<string, Mark> {
  const folder = new URL('./src/', import.meta.url);
  const byName = new Map<string, Mark>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.cairo')) continue;
    for (const [index, text] of readFileSync(new URL(file, folder), 'utf8').split('\n').entries()) {
      const name = /\/\/ fails: (\w+)$/.exec(text)?.[1];
      if (name === undefined) continue;
      if (byName.has(name)) throw new Error(`two lines are marked ${name}`);
      byName.set(name, { file: `contracts/src/${file}`, line: index + 1 });
    }
  }
  return byName;
}
