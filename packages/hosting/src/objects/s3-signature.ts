// Signatures of requests to the API of S3 (AWS Signature Version 4).
import { createHash, createHmac } from 'node:crypto';

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
}

export interface Signed {
  readonly method: string;
  readonly url: URL;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SCOPE_END = ['s3', 'aws4_request'];

/** It signs on this thread: a request has a few kilobytes, and a turn of another thread takes longer. */
export class S3Signer {
  readonly #key: SigningKey;
  /** The key of a day, which all of its requests have in common. */
  #daily: { readonly day: string; readonly key: Buffer } | undefined;

  constructor(key: SigningKey) {
    this.#key = key;
  }

  /**
   * The headers of a request, signed.
   *
   * @param now milliseconds since 1970
   */
  headers({ method, url, headers, body }: Signed, now: number): Readonly<Record<string, string>> {
    const { accessKeyId, sessionToken, region } = this.#key;
    const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
    const content = sha256(body);
    const all: Record<string, string> = {
      ...headers,
      host: url.host,
      'x-amz-content-sha256': content,
      'x-amz-date': time,
      ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    };
    const names = Object.keys(all).sort();
    const lines = names.map((name) => `${name}:${all[name]}\n`).join('');
    const signedNames = names.join(';');
    const request = [method, pathOf(url), queryOf(url), lines, signedNames, content].join('\n');
    const day = time.slice(0, 8);
    const scope = [day, region, ...SCOPE_END].join('/');
    const text = [ALGORITHM, time, scope, sha256(request)].join('\n');
    const signature = hmac(this.#keyOf(day), text).toString('hex');
    return {
      ...all,
      authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedNames}, Signature=${signature}`,
    };
  }

  #keyOf(day: string): Buffer {
    if (this.#daily?.day === day) return this.#daily.key;
    const { secretAccessKey, region } = this.#key;
    const first = hmac(`AWS4${secretAccessKey}`, day);
    const key = [region, ...SCOPE_END].reduce<Buffer>(hmac, first);
    this.#daily = { day, key };
    return key;
  }
}

function pathOf({ pathname }: URL): string {
  return pathname.split('/').map(decodeURIComponent).map(encoded).join('/');
}

function queryOf({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
}

/** With all characters but letters, digits, `-`, `.`, `_` and `~` as percent signs. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
