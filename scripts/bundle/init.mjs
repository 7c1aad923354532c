// Copies the code and the template of create-starkbox into packages/starkbox/dist/init, for the command `starkbox init`.
//
//   node scripts/bundle/init.mjs   after `tsc -b packages`
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { replaceFolder } from './write.mjs';

const SOURCE = join(ROOT, 'packages', 'create-starkbox');

await replaceFolder(join(ROOT, 'packages', 'starkbox', 'dist', 'init'), (folder) => {
  for (const file of readdirSync(join(SOURCE, 'dist')).filter((name) => name.endsWith('.js'))) {
    cpSync(join(SOURCE, 'dist', file), join(folder, 'code', file));
  }
  cpSync(join(SOURCE, 'template'), join(folder, 'template'), { recursive: true });
});
