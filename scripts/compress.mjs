// Compression of the built files in a folder, so that a node serves them as they are.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('usage: compress.mjs FOLDER, from the root of the repository');
const OUTPUT = fileURLToPath(new URL(`../${folder}`, import.meta.url));

for (const name of readdirSync(OUTPUT, { recursive: true, encoding: 'utf8' })) {
  const file = join(OUTPUT, name);
  if (!statSync(file).isFile() || !/\.(html|js|css|svg)$/.test(name)) continue;
  const content = readFileSync(file);
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  );
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
}
