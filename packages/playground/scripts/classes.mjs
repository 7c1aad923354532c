// Copies the classes of the ready contracts, with their debug information, to the files that the page loads.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

const ROOT = new URL('../../../', import.meta.url);
const OUT = new URL('../public/classes/', import.meta.url);
const VAULT =
  'packages/create-starkbox/template/base/target/dev/vault_Vault.contract_class.json.br';

const read = (path) => readFileSync(new URL(path, ROOT));
const CLASSES = {
  counter: () => gunzipSync(read('contracts/places/counter.sierra.json.gz')),
  token: () => gunzipSync(read('contracts/places/token.sierra.json.gz')),
  vault: () => brotliDecompressSync(read(VAULT)),
};

mkdirSync(OUT, { recursive: true });
for (const [name, text] of Object.entries(CLASSES)) {
  writeFileSync(new URL(`${name}.json.gz`, OUT), gzipSync(text(), { level: 9 }));
}
