// Packs the extension of VS Code, and checks what the packed file has.
//
//   node scripts/packages/vscode.mjs [FOLDER]   default: editors/vscode/dist
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../cargo.mjs';
import { manifestIn } from './workspaces.mjs';

/** Microsoft's packer. npx keeps it in the user's cache: it depends on more packages than all others here. */
const VSCE = '@vscode/vsce@3.9.2';
const EXTENSION = join(ROOT, 'editors', 'vscode');
/** Paths in the packed file, which is a zip archive. */
const FILES = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'extension/LICENSE.txt',
  'extension/dist/extension.cjs',
  'extension/package.json',
  'extension/readme.md',
];
const LARGEST = 30_000;

/** Bundles the extension into a file that the editor's Node loads. */
async function bundleExtension() {
  const bundle = await rolldown({
    input: join(EXTENSION, 'src', 'extension.ts'),
    platform: 'node',
    external: /^(node:|vscode$)/,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: 'node20' },
    checks: { pluginTimings: false },
  });
  await bundle.write({
    file: join(EXTENSION, 'dist', 'extension.cjs'),
    format: 'cjs',
    minify: true,
    comments: false,
  });
  await bundle.close();
}

/**
 * @param {string} folder for the packed file
 * @returns {string} its path
 */
function pack(folder) {
  const { name, version } = manifestIn(EXTENSION);
  const file = join(folder, `${name}-${version}.vsix`);
  const staged = mkdtempSync(join(tmpdir(), 'starkbox-vscode-'));
  try {
    mkdirSync(join(staged, 'dist'));
    for (const path of ['package.json', 'README.md', '.vscodeignore', 'dist/extension.cjs']) {
      copyFileSync(join(EXTENSION, path), join(staged, path));
    }
    copyFileSync(join(ROOT, 'LICENSE'), join(staged, 'LICENSE'));
    mkdirSync(folder, { recursive: true });
    const options = ['package', '--no-dependencies', '--out', file];
    execFileSync('npx', ['--yes', VSCE, ...options], { cwd: staged, stdio: 'inherit' });
  } finally {
    rmSync(staged, { recursive: true });
  }
  return file;
}

/**
 * The paths in a zip archive, by its central directory.
 *
 * @param {Buffer} bytes
 * @returns {string[]}
 */
function pathsIn(bytes) {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('the packed file is no zip archive');
  let at = bytes.readUInt32LE(end + 16);
  const paths = [];
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    paths.push(bytes.toString('utf8', at + 46, at + 46 + (name ?? 0)));
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return paths.sort();
}

await bundleExtension();
const packed = pack(resolve(process.argv[2] ?? join(EXTENSION, 'dist')));
const paths = pathsIn(readFileSync(packed));
const { size } = statSync(packed);
console.log(`${packed}: ${size} bytes\n${paths.join('\n')}`);
const wrong = [
  ...paths.filter((path) => !FILES.includes(path)).map((path) => `unexpected file ${path}`),
  ...FILES.filter((path) => !paths.includes(path)).map((path) => `missing file ${path}`),
  ...(size > LARGEST ? [`${size} bytes; the limit is ${LARGEST}`] : []),
];
if (wrong.length > 0) {
  console.error(`The packed extension is wrong:\n${wrong.join('\n')}`);
  process.exitCode = 1;
}
