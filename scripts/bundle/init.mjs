// Copies the code and the template of create-starkbox into packages/starkbox/dist/init, for the command `starkbox init`.
//
//   node scripts/bundle/init.mjs   after `tsc -b packages`
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';

const SOURCE = join(ROOT, 'packages', 'create-starkbox');
const FOLDER = join(ROOT, 'packages', 'starkbox', 'dist', 'init');
const NEW_FOLDER = `${FOLDER}.new`;

rmSync(NEW_FOLDER, { recursive: true, force: true });
mkdirSync(join(NEW_FOLDER, 'code'), { recursive: true });
for (const file of readdirSync(join(SOURCE, 'dist')).filter((name) => name.endsWith('.js'))) {
  cpSync(join(SOURCE, 'dist', file), join(NEW_FOLDER, 'code', file));
}
cpSync(join(SOURCE, 'template'), join(NEW_FOLDER, 'template'), { recursive: true });
rmSync(FOLDER, { recursive: true, force: true });
renameSync(NEW_FOLDER, FOLDER);
