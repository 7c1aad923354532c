// Installer of MinIO for the tests of object stores: Go builds it once, into the user's cache.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, installAsMain, isMain, makeFolder, runVisibly } from './processes.mjs';

/** Its makers publish no binaries any more. */
const VERSION = 'v0.0.0-20260212201848-7aac2a2c5b7c';

/** The folder of the binary; it exists only when complete. */
const FOLDER = join(CACHE, `minio-${VERSION}`);

/** @returns {string | undefined} the binary, undefined before the installation */
export function installedMinio() {
  const binary = join(FOLDER, 'minio');
  return existsSync(binary) ? binary : undefined;
}

function install() {
  console.log('Go builds MinIO, once; this takes five minutes on two cores');
  makeFolder(FOLDER, (partial) =>
    runVisibly('go', ['install', '-ldflags=-s -w', `github.com/minio/minio@${VERSION}`], {
      env: { ...process.env, GOBIN: partial, CGO_ENABLED: '0' },
    }),
  );
}

if (isMain(import.meta.url)) {
  const advice = 'install Go 1.24 or later, and let this machine reach proxy.golang.org.';
  installAsMain('minio', advice, () => {
    if (installedMinio() === undefined) install();
    console.log(`MinIO is in ${FOLDER}`);
  });
}
