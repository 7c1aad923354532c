// Writes abi/NAME.ts for each class that Scarb has built, so that TypeScript checks calls and events.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const CLASSES = 'target/dev';
const ENDING = '.contract_class.json';

mkdirSync('abi', { recursive: true });
for (const file of readdirSync(CLASSES).filter((name) => name.endsWith(ENDING))) {
  // Scarb calls the file PACKAGE_CONTRACT.contract_class.json.
  const name = file.slice(file.lastIndexOf('_', file.length - ENDING.length) + 1, -ENDING.length);
  const { abi } = JSON.parse(readFileSync(`${CLASSES}/${file}`, 'utf8'));
  const code = `export const ${name}Abi = ${JSON.stringify(abi, null, 2)} as const;\n`;
  const path = `abi/${name.toLowerCase()}.ts`;
  writeFileSync(path, `// From ${file}, by scripts/abi.mjs.\n${code}`);
  console.log(`${path}: ${abi.length} entries`);
}
