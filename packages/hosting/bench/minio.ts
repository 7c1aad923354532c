// MinIO for the scenarios of hosting: the installed program, and what nodes need to reach it.
import { ROOT } from '../../../bench/repository.js';
import { CREDENTIALS } from '../test/support/minio-server.js';

const { installedMinio }: { installedMinio: () => string | undefined } = await import(
  new URL('scripts/minio.mjs', ROOT).href
);

export function minioBinary(): string {
  const binary = installedMinio();
  if (binary === undefined) throw new Error('MinIO is not installed: node scripts/minio.mjs');
  return binary;
}

/** Variables of the environment of a node. */
export const STORE_ENVIRONMENT: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
};
