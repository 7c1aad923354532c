// Platforms that the engine is built for. Each has a package with the addon and the compiler.

export interface Platform {
  readonly os: string;
  readonly cpu: string;
  /** The C library, where a system has two. */
  readonly libc?: 'glibc' | 'musl';
  /** What Rust calls it. */
  readonly target: string;
}

/** By the names that napi gives to addons. Of two for the same system, the first is tried first. */
export const PLATFORMS: Readonly<Record<string, Platform>> = {
  'linux-x64-gnu': {
    os: 'linux',
    cpu: 'x64',
    libc: 'glibc',
    target: 'x86_64-unknown-linux-gnu',
  },
  'linux-x64-musl': {
    os: 'linux',
    cpu: 'x64',
    libc: 'musl',
    target: 'x86_64-unknown-linux-musl',
  },
  'linux-arm64-gnu': {
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    target: 'aarch64-unknown-linux-gnu',
  },
  'linux-arm64-musl': {
    os: 'linux',
    cpu: 'arm64',
    libc: 'musl',
    target: 'aarch64-unknown-linux-musl',
  },
  'darwin-x64': { os: 'darwin', cpu: 'x64', target: 'x86_64-apple-darwin' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64', target: 'aarch64-apple-darwin' },
  'win32-x64-msvc': { os: 'win32', cpu: 'x64', target: 'x86_64-pc-windows-msvc' },
  'win32-arm64-msvc': { os: 'win32', cpu: 'arm64', target: 'aarch64-pc-windows-msvc' },
};

export function packageFor(platform: string): string {
  return `@starkbox/engine-${platform}`;
}

/** The package with the engine for everything else that runs JavaScript. */
export const WASM_PACKAGE = '@starkbox/engine-wasm';

export function addonFile(platform: string): string {
  return `starkbox-engine.${platform}.node`;
}

/** The executable that compiles classes; it is beside the addon. */
export function compilerFile(os: string): string {
  return `starkbox-compiler${os === 'win32' ? '.exe' : ''}`;
}
