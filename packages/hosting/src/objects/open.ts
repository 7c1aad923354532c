// Opener of object stores by the addresses that users give.
import { FolderStore } from './folder-store.js';
import { isKey } from './object-key.js';
import type { ObjectStore } from './object-store.js';

/** What the standard variables of AWS say about requests to an object store. */
export interface AwsSettings {
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  /** Of temporary credentials. */
  readonly sessionToken: string | undefined;
  readonly region: string | undefined;
}

export function awsSettings(): AwsSettings {
  const { env } = process;
  return {
    accessKeyId: env['AWS_ACCESS_KEY_ID'] || undefined,
    secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] || undefined,
    sessionToken: env['AWS_SESSION_TOKEN'] || undefined,
    region: env['AWS_REGION'] || undefined,
  };
}

const FORM = 's3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION';
const PARAMETERS = ['endpoint', 'region'];

/**
 * Opens an object store; a service is not asked yet.
 *
 * @param address `s3://bucket/prefix?endpoint=…&region=…`, or the path of a folder
 * @param mustExist whether to reject a folder that is not a store yet; by default it becomes one
 */
export async function openObjectStore(
  address: string,
  aws: AwsSettings,
  mustExist = false,
): Promise<ObjectStore> {
  const isFolder = !/^[a-z][a-z0-9+.-]+:\/\//i.test(address);
  return isFolder ? FolderStore.open(address, mustExist) : openS3(address, aws);
}

async function openS3(address: string, aws: AwsSettings): Promise<ObjectStore> {
  const url = urlOf(address);
  if (url?.protocol !== 's3:') wrong(address, 'it is neither a folder path nor of this form');
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    wrong(address, 'it does not name a bucket');
  if (url.username !== '' || url.password !== '') {
    wrong(address, 'credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  }
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  if (prefix !== '' && !isKey(prefix)) wrong(address, `"${prefix}" is not a key prefix`);
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) wrong(address, `unknown parameter "${unknown}"`);
  const region = url.searchParams.get('region') ?? aws.region ?? 'us-east-1';
  const endpoint = urlOf(url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`);
  if (!endpoint || !/^https?:$/.test(endpoint.protocol))
    wrong(address, 'its endpoint is not a URL');
  const { accessKeyId, secretAccessKey, sessionToken } = aws;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error(
      `The object store s3://${bucket}/${prefix} needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN for temporary ones`,
    );
  }
  const { S3Store } = await import('./s3-store.js');
  return new S3Store({
    ...{ endpoint, bucket, region, accessKeyId, secretAccessKey, sessionToken },
    prefix: prefix === '' ? '' : `${prefix}/`,
  });
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function wrong(address: string, reason: string): never {
  // What it contains may be a password.
  const redacted = address.replace(/\/\/[^/@]*@/, '//…@');
  throw new Error(
    `"${redacted}" is not the address of an object store: ${reason}. The form is ${FORM}`,
  );
}
