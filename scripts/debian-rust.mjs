// Rust of Debian's unstable suite, for machines where rustup cannot get the library of a target. It lies in a folder of
// the user's cache, and runs there as in a system of its own.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './cargo.mjs';
import { CACHE } from './processes.mjs';

const SYSTEM = join(CACHE, 'debian-unstable');
const SOURCES = '/etc/apt';
const PACKAGES = [
  ...['rustc', 'cargo', 'ca-certificates', 'lld', 'libstd-rust-dev-wasm32', 'wasi-libc'],
  // For build scripts.
  ...['gcc', 'libc6-dev', 'pkg-config'],
];

/** @param {readonly string[]} command */
function runAsRoot(command) {
  const [program = '', ...args] = process.getuid?.() === 0 ? command : ['sudo', ...command];
  execFileSync(program, args, { stdio: 'inherit' });
}

/** @returns {string} the mirror that this system's packages come from */
function mirror() {
  const folders = [SOURCES, join(SOURCES, 'sources.list.d')].filter((path) => existsSync(path));
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const texts = files.filter((file) => /\.(list|sources)$/.test(file));
  const urls = texts.flatMap((file) => readFileSync(file, 'utf8').match(/https?:\/\/\S+/g) ?? []);
  const url = urls.find((address) => /\/debian\/?$/.test(address));
  if (url === undefined) throw new Error('this system names no mirror of Debian');
  return url;
}

function installSystem() {
  if (existsSync(join(SYSTEM, 'usr/bin/cargo'))) return;
  console.log(`installing Rust of Debian's unstable suite into ${SYSTEM}`);
  runAsRoot(['apt-get', 'install', '-yq', 'debootstrap']);
  const include = `--include=${PACKAGES.join(',')}`;
  runAsRoot(['debootstrap', '--variant=minbase', include, 'sid', SYSTEM, mirror()]);
}

/**
 * Runs cargo of that system with the folders of this one.
 *
 * @param {readonly string[]} args
 * @param {object} options
 * @param {string} options.cwd
 * @param {string} options.targetDir
 * @param {Readonly<Record<string, string>>} options.variables
 */
export function runDebianCargo(args, { cwd, targetDir, variables }) {
  installSystem();
  const cargoHome = process.env['CARGO_HOME'] ?? join(homedir(), '.cargo');
  const shared = [ROOT, cargoHome, targetDir, '/proc', '/dev', '/etc/resolv.conf', '/etc/ssl'];
  const mounts = shared.map((path) => {
    const inside = `"${SYSTEM}${path}"`;
    return `mkdir -p "$(dirname ${inside})"; [ -d "${path}" ] && mkdir -p ${inside} || touch ${inside}; mount --rbind "${path}" ${inside}`;
  });
  const env = {
    ...variables,
    CARGO_HOME: cargoHome,
    CARGO_TARGET_DIR: targetDir,
    RUSTC: '/usr/bin/rustc',
  };
  const assignments = Object.entries(env).map(([name, value]) => `${name}="${value}"`);
  const inside = `cd "${cwd}" && exec env PATH=/usr/bin:/bin ${assignments.join(' ')} /usr/bin/cargo ${args.join(' ')}`;
  // The mounts are gone with the namespace of the process.
  const script = [
    `mkdir -p "${targetDir}"`,
    ...mounts,
    `exec chroot "${SYSTEM}" sh -c '${inside}'`,
  ];
  runAsRoot(['unshare', '--mount', 'sh', '-ec', script.join('\n')]);
}
