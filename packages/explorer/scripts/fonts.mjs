// Plugin of the build: the fonts with the characters that pages use, as files beside the style sheets, and their licence.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';

const { resolve } = createRequire(import.meta.url);
const FOLDER = new URL('../src/styles/fonts/', import.meta.url);
const NAMES = ['geist', 'geist-mono'];
/** The weights of the tokens. */
const WEIGHTS = { wght: { min: 400, max: 600 } };

/** @param {number} first @param {number} last */
const range = (first, last) =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, at) => first + at));

/** ASCII, Latin-1, and the punctuation and signs of pages, errors and messages. */
const CHARACTERS = `${range(0x20, 0x7e)}${range(0xa0, 0xff)}–—‘’“”•…‹›€↑↓−`;

/** @param {string} name */
async function writeSubset(name) {
  const whole = await readFile(
    resolve(`@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`),
  );
  const subset = await subsetFont(whole, CHARACTERS, {
    targetFormat: 'woff2',
    variationAxes: WEIGHTS,
    // Figures of equal width, kerning and composed characters; ligatures would change code.
    keepFeatures: ['ccmp', 'kern', 'mark', 'tnum', 'zero'],
    noHinting: true,
  });
  // Two builds may run at the same time.
  const file = fileURLToPath(new URL(`${name}.woff2`, FOLDER));
  await writeFile(`${file}.${process.pid}`, subset);
  await rename(`${file}.${process.pid}`, file);
}

/** @returns {import('vite').Plugin} */
export function fonts() {
  return {
    name: 'fonts',
    async buildStart() {
      await mkdir(FOLDER, { recursive: true });
      await Promise.all(NAMES.map(writeSubset));
    },
    async generateBundle() {
      for (const name of NAMES) {
        const source = await readFile(resolve(`@fontsource-variable/${name}/LICENSE`), 'utf8');
        this.emitFile({ type: 'asset', fileName: `assets/${name}-license.txt`, source });
      }
    },
  };
}
