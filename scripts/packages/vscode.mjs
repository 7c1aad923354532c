// Packs the extension of VS Code, and checks its size.
//
//   node scripts/packages/vscode.mjs [FOLDER]   default: editors/vscode/dist
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeBundle } from '../bundle/write.mjs';
import { ROOT } from '../cargo.mjs';
import { manifestIn } from './workspaces.mjs';

/** Microsoft's packer. npx keeps it in the user's cache: it depends on more packages than all others here. */
const VSCE = '@vscode/vsce@3.9.2';
const EXTENSION = join(ROOT, 'editors', 'vscode');
/** Most bytes of the packed file. */
const MAX_BYTES = 30_000;

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

// A file that the editor's Node loads.
await writeBundle(
  {
    input: join(EXTENSION, 'src', 'extension.ts'),
    platform: 'node',
    external: /^(node:|vscode$)/,
    transform: { target: 'node20' },
  },
  { file: join(EXTENSION, 'dist', 'extension.cjs'), format: 'cjs', minify: true },
);
const packed = pack(resolve(process.argv[2] ?? join(EXTENSION, 'dist')));
const { size } = statSync(packed);
console.log(`${packed}: ${size} bytes`);
if (size > MAX_BYTES) {
  console.error(`The packed extension is larger than ${MAX_BYTES} bytes`);
  process.exitCode = 1;
}
