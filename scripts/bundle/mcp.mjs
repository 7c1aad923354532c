// Bundles the server of `starkbox mcp` into packages/starkbox/dist/mcp: the files of the SDK that stdio needs, our code,
// the pages of the documentation, and the licenses of what is bundled.
//
//   node scripts/bundle/mcp.mjs   after `tsc -b packages`
//
// starkbox and its engine stay packages: the server loads them when a chain is started.
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../cargo.mjs';
import { packageOf, writeParts } from './third-party.mjs';

const FOLDER = join(ROOT, 'packages', 'starkbox', 'dist', 'mcp');
const NEW_FOLDER = `${FOLDER}.new`;

rmSync(NEW_FOLDER, { recursive: true, force: true });
const bundle = await rolldown({
  input: { serve: join(ROOT, 'packages', 'mcp', 'src', 'serve.ts') },
  platform: 'node',
  external: /^(node:|starkbox$|@starkbox\/engine$)/,
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  transform: { target: 'node20.19' },
  checks: { pluginTimings: false },
});
const { output } = await bundle.write({
  dir: NEW_FOLDER,
  format: 'esm',
  minify: true,
  comments: false,
});
await bundle.close();
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
const bundled = modules.flatMap((id) => packageOf(id) ?? []);
writeParts(NEW_FOLDER, bundled);
cpSync(join(ROOT, 'docs'), join(NEW_FOLDER, 'docs'), {
  recursive: true,
  filter: (path) =>
    !/\/(node_modules|\.[^/]+)$/.test(path) && (!/\.[a-z]+$/.test(path) || path.endsWith('.md')),
});
if (existsSync(FOLDER)) rmSync(FOLDER, { recursive: true });
renameSync(NEW_FOLDER, FOLDER);
