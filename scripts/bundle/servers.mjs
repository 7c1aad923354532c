// Bundles the servers of `starkbox mcp` and `starkbox debug` into packages/starkbox/dist: our code, what it needs of the
// libraries of their protocols, and the licences of what is bundled.
//
//   node scripts/bundle/servers.mjs   after `tsc -b packages`
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { writeParts } from './third-party.mjs';
import { replaceFolder, writeBundle } from './write.mjs';

/**
 * @param {string} name of the private package
 * @param {RegExp} external modules that stay packages, which starkbox depends on
 * @param {(folder: string) => void} [addFiles]
 */
async function bundleServer(name, external, addFiles = () => {}) {
  await replaceFolder(join(ROOT, 'packages', 'starkbox', 'dist', name), async (folder) => {
    const modules = await writeBundle(
      {
        input: { serve: join(ROOT, 'packages', name, 'src', 'serve.ts') },
        platform: 'node',
        external,
        transform: { target: 'node20.19' },
      },
      { dir: folder, format: 'esm', minify: true },
    );
    writeParts(folder, modules);
    addFiles(folder);
  });
}

/** @param {string} folder which gets the pages of the documentation */
function copyPages(folder) {
  cpSync(join(ROOT, 'docs'), join(folder, 'docs'), {
    recursive: true,
    filter: (path) =>
      !/\/(node_modules|\.[^/]+)$/.test(path) && (!/\.[a-z]+$/.test(path) || path.endsWith('.md')),
  });
}

await bundleServer('mcp', /^(node:|starkbox$|@starkbox\/engine$)/, copyPages);
await bundleServer('debug-adapter', /^(node:|@starkbox\/abi$)/);
