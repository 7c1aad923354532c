// A project in an empty folder, with packages of this repository and of its node_modules.
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this repository. */
export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of a new project of type module. The caller removes it. */
export function createLinkedProject(name: string, packages: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), `starkbox-${name}-`));
  for (const installed of packages) {
    const link = join(folder, 'node_modules', installed);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', installed), link);
  }
  writeFileSync(join(folder, 'package.json'), '{ "name": "project", "type": "module" }');
  return folder;
}
