// Installer of MinIO for the tests of object stores: Go builds it once, into the user's cache.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Its makers publish no binaries any more. */
const VERSION = 'v0.0.0-20260212201848-7aac2a2c5b7c';

/** @returns {string} the folder of the binary; it exists only when complete */
function folder() {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'starkbox', `minio-${VERSION}`);
}

/** @returns {string | undefined} the binary, undefined before the installation */
export function installedMinio() {
  const binary = join(folder(), 'minio');
  return existsSync(binary) ? binary : undefined;
}

function install() {
  const target = folder();
  const partial = `${target}.partial`;
  mkdirSync(dirname(target), { recursive: true });
  rmSync(partial, { recursive: true, force: true });
  console.log('Go builds MinIO, once; this takes five minutes on two cores');
  const { status, error } = spawnSync(
    'go',
    ['install', '-ldflags=-s -w', `github.com/minio/minio@${VERSION}`],
    {
      stdio: 'inherit',
      env: { ...process.env, GOBIN: partial, CGO_ENABLED: '0' },
    },
  );
  if (status !== 0) throw new Error(`go install failed: ${error?.message ?? status}`);
  renameSync(partial, target);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    if (installedMinio() === undefined) install();
    console.log(`MinIO is in ${folder()}`);
  } catch (error) {
    console.error(
      `minio: ${error instanceof Error ? error.message : error}\n  What to do: install Go 1.24 or later, and let this machine reach proxy.golang.org.`,
    );
    process.exitCode = 1;
  }
}
