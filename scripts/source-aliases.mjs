// Where bundlers and tests find the entries of our packages: in their sources, so that nothing needs to be compiled.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, published, unpublished } from './packages/workspaces.mjs';

/** @returns {Record<string, string>} the source of each entry that is used as `tsc` compiles it, without a bundle */
export function entrySources() {
  const workspaces = [...published().values(), ...unpublished().values()];
  return Object.fromEntries(
    workspaces.flatMap(({ folder, manifest }) => {
      const sources = join(folder, existsSync(join(folder, 'js')) ? 'js' : 'src');
      return entriesOf(manifest).flatMap(([entry, { default: built = '' }]) => {
        const source = join(sources, built.replace('dist/', '').replace(/\.js$/, '.ts'));
        const name = `${manifest.name}${entry.slice(1)}`;
        return source.endsWith('.ts') && existsSync(source) ? [[name, source]] : [];
      });
    }),
  );
}

/**
 * @param {Readonly<Record<string, string>>} bundled sources of entries that have a bundle
 * @returns {{ find: RegExp, replacement: string }[]} the setting `resolve.alias` of Vite
 */
export function sourceAliases(bundled = {}) {
  return Object.entries({ ...entrySources(), ...bundled }).map(([name, replacement]) => ({
    find: new RegExp(`^${name}$`),
    replacement,
  }));
}
