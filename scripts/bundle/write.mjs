// What all bundles have in common: how they find our sources, and how they take the place of earlier ones.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { rolldown } from 'rolldown';

/**
 * Writes a bundle.
 *
 * @param {import('rolldown').InputOptions} input
 * @param {import('rolldown').OutputOptions} output
 * @returns {Promise<string[]>} the files that it is made of
 */
export async function writeBundle({ resolve, ...input }, output) {
  const bundle = await rolldown({
    checks: { eval: false, pluginTimings: false },
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, ...resolve },
    ...input,
  });
  const written = await bundle.write({ comments: false, ...output });
  await bundle.close();
  return written.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/**
 * Fills a folder elsewhere before it takes the place of an earlier one: a node may start from that, or a page load it.
 *
 * @param {string} folder
 * @param {(newFolder: string) => Promise<void> | void} fill
 */
export async function replaceFolder(folder, fill) {
  const newFolder = `${folder}.new`;
  rmSync(newFolder, { recursive: true, force: true });
  mkdirSync(newFolder, { recursive: true });
  await fill(newFolder);
  rmSync(folder, { recursive: true, force: true });
  renameSync(newFolder, folder);
}
