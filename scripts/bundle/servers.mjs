// Bundles the servers of `starkbox mcp` and `starkbox debug` into packages/starkbox/dist: our code, what it needs of the
// libraries of their protocols, and the licences of what is bundled.
//
//   node scripts/bundle/servers.mjs   after `tsc -b packages`
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../cargo.mjs';
import { packageOf, writeParts } from './third-party.mjs';

/**
 * @param {string} name of the private package
 * @param {RegExp} external modules that stay packages, which starkbox depends on
 * @param {(folder: string) => void} [addFiles]
 */
async function bundleServer(name, external, addFiles = () => {}) {
  const target = join(ROOT, 'packages', 'starkbox', 'dist', name);
  const fresh = `${target}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const bundle = await rolldown({
    input: { serve: join(ROOT, 'packages', name, 'src', 'serve.ts') },
    platform: 'node',
    external,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: 'node20.19' },
    checks: { pluginTimings: false },
  });
  const { output } = await bundle.write({
    dir: fresh,
    format: 'esm',
    minify: true,
    comments: false,
  });
  await bundle.close();
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeParts(
    fresh,
    modules.flatMap((id) => packageOf(id) ?? []),
  );
  addFiles(fresh);
  if (existsSync(target)) rmSync(target, { recursive: true });
  renameSync(fresh, target);
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
