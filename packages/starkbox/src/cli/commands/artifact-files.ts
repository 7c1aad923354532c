// Compiled classes in a folder of artifacts, as commands read them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARTIFACT } from '../../debug-info/artifact.js';
import { reasonOf } from '../../errors.js';

/** Where Scarb writes. */
export const ARTIFACTS = 'target/dev';

/** The texts of the classes in a folder and below, by the order of their names. */
export function* artifactsIn(folder: string): Generator<string> {
  for (const name of filesIn(folder)) yield readFileSync(join(folder, name), 'utf8');
}

function filesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => ARTIFACT.test(name)).sort();
  } catch (error) {
    throw new Error(
      `cannot read the artifacts: ${reasonOf(error)}. --artifacts names their folder`,
      {
        cause: error,
      },
    );
  }
}
