// A copy of the repository with everything that is built, in which a release raises versions and packs packages.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { manifestIn, published, unpublished } from '../packages/workspaces.mjs';
import { runText } from '../processes.mjs';

/** Built files of a package, which git ignores. */
const BUILT = /^(dist|classes|starkbox-compiler(\.exe)?|.+\.(node|wasm))$/;

/**
 * @param {string} folder where the copy goes; it is made
 */
export function copyRepository(folder) {
  const listed = runText('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  const packages = [...published().values(), ...unpublished().values()];
  const built = packages.flatMap(({ folder: source }) =>
    readdirSync(source)
      .filter((name) => BUILT.test(name))
      .map((name) => relative(ROOT, join(source, name))),
  );
  for (const path of [...listed.split('\0'), ...built]) {
    // A file that was deleted in the work tree is still listed.
    if (path === '' || !existsSync(join(ROOT, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
}

/**
 * Raises the versions as the release workflow does, by the changesets of the copy.
 *
 * @param {string} copy
 * @param {'patch' | 'minor'} [rise] of one more changeset; the repository's own alone unless given
 * @returns {string} the version of every published package
 */
export function raiseVersions(copy, rise) {
  if (rise !== undefined) {
    const text = `---\n'starkbox': ${rise}\n---\n\nA rehearsal of the next release.\n`;
    writeFileSync(join(copy, '.changeset', 'rehearsal.md'), text);
  }
  // npm looks into node_modules where it exists, and the linked folder belongs to the work tree.
  rmSync(join(copy, 'node_modules'), { force: true });
  runText('npm', ['run', 'version-packages'], { cwd: copy });
  const remaining = readdirSync(join(copy, '.changeset')).filter((name) => name.endsWith('.md'));
  if (remaining.join() !== 'README.md')
    throw new Error(`changesets remain: ${remaining.join(', ')}`);
  const folders = [...published().values()].map(({ folder }) => join(copy, relative(ROOT, folder)));
  const versions = new Set(folders.map((folder) => manifestIn(folder).version));
  if (versions.size !== 1)
    throw new Error(`packages have the versions ${[...versions].join(', ')}`);
  return [...versions].join();
}

/**
 * @param {string} copy
 * @param {string} target where the packed packages go
 */
export function packCopy(copy, target) {
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  runText(process.execPath, [join(copy, 'scripts/pack.mjs'), target], { cwd: copy });
}
