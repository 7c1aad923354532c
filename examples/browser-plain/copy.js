// Copies the files that the page loads from the installed packages. Those of other packages are below the folder of the page's.
import { cpSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const TARGET = 'public/starkbox';
const pathOf = (specifier) => fileURLToPath(import.meta.resolve(specifier));

rmSync(TARGET, { recursive: true, force: true });
cpSync(dirname(pathOf('starkbox/browser')), TARGET, { recursive: true });
for (const file of ['@starkbox/engine-wasm/worker.js', '@starkbox/engine-wasm/engine.wasm']) {
  cpSync(pathOf(file), `${TARGET}/${file}`);
}
const classes = dirname(pathOf('@starkbox/engine/classes/index.json'));
cpSync(classes, `${TARGET}/@starkbox/engine/classes`, { recursive: true });
