// The bill of materials by `npm sbom`, checked against the schema of CycloneDX.
//
//   node scripts/packages/bill.mjs FILE     of the packages in the lock file, the build's marked as of development
//
// The schemas come from a fixed package of npm, which is unpacked once into the user's cache.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { ROOT } from '../cargo.mjs';
import { CACHE, makeFolder, runText } from '../processes.mjs';

const SCHEMAS = '@cyclonedx/cyclonedx-library@10.3.0';
const FOLDER = join(CACHE, SCHEMAS.replaceAll('/', '-'));

function unpackSchemas() {
  if (existsSync(FOLDER)) return;
  makeFolder(FOLDER, (partial) => {
    mkdirSync(partial, { recursive: true });
    const options = ['pack', '--silent', '--ignore-scripts', '--pack-destination', partial];
    const file = runText('npm', [...options, SCHEMAS]).trim();
    runText('tar', ['-xzf', file, '--strip-components', '3', 'package/res/schema'], {
      cwd: partial,
    });
  });
}

/**
 * @param {string} name of a schema
 * @returns {object}
 */
function readSchema(name) {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.SNAPSHOT.schema.json`), 'utf8'));
}

const [, , target] = process.argv;
if (target === undefined) throw new Error('usage: node scripts/packages/bill.mjs FILE');
unpackSchemas();
const text = runText('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
  cwd: ROOT,
});
/** @type {{ specVersion: string, components: object[] }} */
const bill = JSON.parse(text);
// Formats of strings, such as of addresses in other scripts, would need a further package.
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
for (const name of ['spdx', 'jsf-0.82']) {
  ajv.addSchema(readSchema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
}
const validate = ajv.compile(readSchema(`bom-${bill.specVersion}`));
if (/** @type {boolean} */ (validate(bill))) {
  writeFileSync(target, text);
  console.log(`${target}: CycloneDX ${bill.specVersion}, ${bill.components.length} packages`);
} else {
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath} ${message}`,
  );
  console.error(`npm sbom wrote no valid CycloneDX ${bill.specVersion}:\n${faults.join('\n')}`);
  process.exitCode = 1;
}
