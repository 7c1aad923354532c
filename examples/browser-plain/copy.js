// Copies the files that the page loads from the installed packages into public/starkbox.
import { cpSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const TARGET = 'public/starkbox';
const pathOf = (specifier) => fileURLToPath(import.meta.resolve(specifier));

rmSync(TARGET, { recursive: true, force: true });
cpSync(dirname(pathOf('starkbox/browser')), TARGET, { recursive: true });
cpSync(pathOf('@starkbox/engine-wasm/engine.wasm'), `${TARGET}/engine.wasm`);
cpSync(dirname(pathOf('@starkbox/engine/classes/index.json')), `${TARGET}/classes`, {
  recursive: true,
});
