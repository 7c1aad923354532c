// Object stores in the MinIO of the tests.
import { S3Store } from '../../src/objects/s3-store.js';
import { BUCKET, CREDENTIALS } from './minio-server.js';

const { installedMinio }: { installedMinio: () => string | undefined } = await import(
  new URL('../../../../scripts/minio.mjs', import.meta.url).href
);

/** Undefined where MinIO is not installed, which is then said. */
export function minioBinary(unchecked: string): string | undefined {
  const binary = installedMinio();
  if (binary === undefined) {
    console.warn(
      `MinIO is not installed and ${unchecked} was not checked: node scripts/minio.mjs installs it.`,
    );
  }
  return binary;
}

/**
 * @param url of MinIO or of a proxy in front of it
 * @param seconds limit of a request
 */
export function storeAt(url: string, prefix: string, seconds?: number): S3Store {
  return new S3Store({
    ...CREDENTIALS,
    ...{ endpoint: new URL(url), bucket: BUCKET, prefix: `${prefix}/`, seconds },
  });
}
