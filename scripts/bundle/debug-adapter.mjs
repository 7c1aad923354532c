// Bundles the adapter of `starkbox debug` into packages/starkbox/dist/debug-adapter: our code, the debugger, and the
// library of the Debug Adapter Protocol, with its licence.
//
//   node scripts/bundle/debug-adapter.mjs   after `tsc -b packages`
//
// @starkbox/abi stays a package, which starkbox depends on.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../cargo.mjs';
import { packageOf, writeParts } from './third-party.mjs';

const FOLDER = join(ROOT, 'packages', 'starkbox', 'dist', 'debug-adapter');
const NEW_FOLDER = `${FOLDER}.new`;

rmSync(NEW_FOLDER, { recursive: true, force: true });
const bundle = await rolldown({
  input: { serve: join(ROOT, 'packages', 'debug-adapter', 'src', 'serve.ts') },
  platform: 'node',
  external: /^(node:|@starkbox\/abi$)/,
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
writeParts(
  NEW_FOLDER,
  modules.flatMap((id) => packageOf(id) ?? []),
);
if (existsSync(FOLDER)) rmSync(FOLDER, { recursive: true });
renameSync(NEW_FOLDER, FOLDER);
