// Object store behind the API of S3. It is loaded when such a store is first opened.

import { Agent, type ClientRequest, type IncomingHttpHeaders, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { realMilliseconds, reasonOf, stopwatch } from 'starkbox/registry';
import { checkKey, isKey } from './object-key.js';
import {
  type Condition,
  type ObjectStore,
  type StoredObject,
  UncertainError,
} from './object-store.js';
import { adviceFor, keyPageFrom, type Refusal, refusalFrom } from './s3-answers.js';
import { S3Signer, type SigningKey } from './s3-signature.js';

export interface S3Location extends SigningKey {
  readonly endpoint: URL;
  readonly bucket: string;
  /** Before all keys: empty, or ending with a slash. */
  readonly prefix: string;
  /** Limit of a request, without the time that its bytes take. */
  readonly seconds?: number | undefined;
}

const DEFAULT_SECONDS = 10;
/** A slower transfer counts as failed. */
const BYTES_PER_SECOND = 1024 * 1024;
const MOST_ATTEMPTS = 4;
const FIRST_DELAY_MILLISECONDS = 100;
const LARGEST_PAGE = 1000;
/** Connections without a request are closed, before a store closes them while a request is sent. */
const IDLE_MILLISECONDS = 4_000;
const NOTHING = new Uint8Array();

interface StoreRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** For messages. */
  readonly what: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export class S3Store implements ObjectStore {
  readonly displayName: string;
  readonly isExclusive = false;
  readonly #place: S3Location;
  readonly #signer: S3Signer;
  readonly #agent: Agent;
  #requests = 0;

  constructor(location: S3Location) {
    this.#place = location;
    this.displayName = `s3://${location.bucket}/${location.prefix} at ${location.endpoint.origin}`;
    this.#signer = new S3Signer(location);
    const options = { keepAlive: true, timeout: IDLE_MILLISECONDS };
    this.#agent = isSecure(location.endpoint) ? new SecureAgent(options) : new Agent(options);
  }

  get requests(): number {
    return this.#requests;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    const request = { method: 'GET', what: `read ${key}`, url: this.#urlOf(key) } as const;
    const { status, headers, bytes } = await this.#repeated(request);
    if (status === 200) {
      return { bytes, tag: this.#tagIn(headers, request), age: this.#ageIn(headers, request) };
    }
    const refusal = refusalFrom(status, bytes.toString());
    if (refusal.code === 'NoSuchKey') return undefined;
    throw this.#refused(request, refusal);
  }

  async put(key: string, bytes: Uint8Array, condition?: Condition): Promise<string | undefined> {
    const request = {
      method: 'PUT',
      what: `write ${key}`,
      url: this.#urlOf(key),
      headers: conditionHeaders(condition),
      body: bytes,
    } as const;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#once(request);
      if (answer.status === 200) return this.#tagIn(answer.headers, request);
      const refusal = refusalFrom(answer.status, answer.bytes.toString());
      if (refusal.status === 412) return undefined;
      // The object of the tag does not exist any more.
      if (refusal.code === 'NoSuchKey' && condition !== undefined) return undefined;
      // Another write of the key is under way, and this one was not done.
      const isConflict = refusal.status === 409 && refusal.code === 'ConditionalRequestConflict';
      if (!isConflict)
        throw isPassing(refusal)
          ? unsure(this.#sentence(request, refusal))
          : this.#refused(request, refusal);
      if (attempt === MOST_ATTEMPTS) throw unsure(this.#sentence(request, refusal));
      await delay(attempt);
    }
  }

  async delete(key: string): Promise<void> {
    const request = { method: 'DELETE', what: `delete ${key}`, url: this.#urlOf(key) } as const;
    const { status, bytes } = await this.#repeated(request);
    if (status === 204 || status === 200) return;
    const refusal = refusalFrom(status, bytes.toString());
    if (refusal.code !== 'NoSuchKey') throw this.#refused(request, refusal);
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<readonly string[]> {
    const storePrefix = this.#place.prefix;
    const keys: string[] = [];
    let last = after === undefined ? undefined : storePrefix + after;
    while (keys.length < limit) {
      const url = this.#bucketUrl();
      const count = Math.min(limit - keys.length, LARGEST_PAGE);
      url.search = new URLSearchParams({
        'list-type': '2',
        'encoding-type': 'url',
        prefix: storePrefix + prefix,
        'max-keys': String(count),
        ...(last === undefined ? {} : { 'start-after': last }),
      }).toString();
      const request = { method: 'GET', what: `list ${prefix}`, url } as const;
      const { status, bytes } = await this.#repeated(request);
      if (status !== 200) throw this.#refused(request, refusalFrom(status, bytes.toString()));
      const page = keyPageFrom(bytes.toString());
      if (!page) throw new Error(`${this.#failed(request)}: the response is not a list of objects`);
      // Other programs may have put objects there.
      keys.push(...page.keys.map((key) => key.slice(storePrefix.length)).filter(isKey));
      last = page.keys.at(-1);
      if (page.isLast || last === undefined) break;
    }
    return keys;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
  }

  #bucketUrl(): URL {
    const { endpoint, bucket } = this.#place;
    return new URL(`${endpoint.pathname.replace(/\/$/, '')}/${bucket}`, endpoint);
  }

  #urlOf(key: string): URL {
    checkKey(key);
    const url = this.#bucketUrl();
    url.pathname += `/${this.#place.prefix}${key}`;
    return url;
  }

  /** Sends a request that can be repeated, until it is answered. */
  async #repeated(request: StoreRequest): Promise<Answer> {
    const elapsed = stopwatch();
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === MOST_ATTEMPTS || elapsed() > this.#seconds;
      try {
        const answer = await this.#once(request);
        const { status, bytes } = answer;
        if (status < 429) return answer;
        const refusal = refusalFrom(status, bytes.toString());
        if (!isPassing(refusal)) return answer;
        if (isLast) throw unsure(this.#sentence(request, refusal));
      } catch (error) {
        if (isLast || !(error instanceof UncertainError)) throw error;
      }
      await delay(attempt);
    }
  }

  /** @throws UncertainError without an answer */
  async #once({ method, what, url, headers = {}, body = NOTHING }: StoreRequest): Promise<Answer> {
    const signed = this.#signer.headers({ method, url, headers, body }, realMilliseconds());
    const send = isSecure(url) ? secureRequest : request;
    const length = body === NOTHING ? {} : { 'content-length': body.length };
    const outgoing = send(url, { method, agent: this.#agent, headers: { ...signed, ...length } });
    const limit = new Limit(this.#seconds, body.length, outgoing);
    this.#requests += 1;
    try {
      return await answered(outgoing, body, limit);
    } catch (error) {
      throw unsure(`${this.#failed({ what })}: ${reasonOf(error)}`, error);
    } finally {
      limit.end();
    }
  }

  get #seconds(): number {
    return this.#place.seconds ?? DEFAULT_SECONDS;
  }

  #tagIn({ etag }: IncomingHttpHeaders, request: StoreRequest): string {
    if (etag !== undefined) return etag;
    throw unsure(
      `${this.#failed(request)}: the response has no ETag, which conditional writes need`,
    );
  }

  /** By the two times of one answer, so that the clock of this machine takes no part. */
  #ageIn(headers: IncomingHttpHeaders, request: StoreRequest): number {
    const now = Date.parse(headers.date ?? '');
    const written = Date.parse(headers['last-modified'] ?? '');
    if (Number.isNaN(now) || Number.isNaN(written)) {
      throw new Error(
        `${this.#failed(request)}: the response has no Date or no Last-Modified, which leases need. Use a store that sends both: S3, R2, MinIO or Ceph`,
      );
    }
    return Math.max(0, (now - written) / 1000);
  }

  #failed({ what }: Pick<StoreRequest, 'what'>): string {
    return `The object store ${this.displayName} could not ${what}`;
  }

  #sentence(request: StoreRequest, { status, code, message }: Refusal): string {
    const reason = [code, message].filter((part) => part !== '').join(', ');
    return `${this.#failed(request)}: HTTP ${status}${reason === '' ? '' : `, ${reason}`}`;
  }

  #refused(request: StoreRequest, refusal: Refusal): Error {
    const sentence = this.#sentence(request, refusal).replace(/\.$/, '');
    return new Error(`${sentence}. ${adviceFor(refusal, this.#place.bucket)}`);
  }
}

/** Sends a request, and reads the whole answer. */
function answered(outgoing: ClientRequest, body: Uint8Array, limit: Limit): Promise<Answer> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      limit.extend(Number(headers['content-length'] ?? 0));
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve({ status, headers, bytes: Buffer.concat(pieces) }));
      response.on('error', reject);
    });
    outgoing.end(body);
  });
}

/** Time limit of a request, which grows with the bytes that it moves. */
class Limit {
  readonly #request: ClientRequest;
  #seconds: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number, bytes: number, limited: ClientRequest) {
    this.#request = limited;
    this.#seconds = seconds;
    this.extend(bytes);
  }

  extend(bytes: number): void {
    this.end();
    this.#seconds += bytes / BYTES_PER_SECOND;
    this.#timer = setTimeout(() => {
      const seconds = Math.round(this.#seconds);
      this.#request.destroy(new Error(`it did not respond within ${seconds} s`));
    }, this.#seconds * 1000);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function isSecure({ protocol }: URL): boolean {
  return protocol === 'https:';
}

function conditionHeaders(condition: Condition | undefined): Readonly<Record<string, string>> {
  if (condition === undefined) return {};
  return condition === 'absent' ? { 'if-none-match': '*' } : { 'if-match': condition.tag };
}

/** Whether the same request can succeed later. */
function isPassing({ status }: Refusal): boolean {
  return status === 429 || (status >= 500 && status !== 501);
}

function unsure(message: string, cause?: unknown): UncertainError {
  return new UncertainError(message, { cause });
}

/** Longer after each attempt, and different for each node. */
function delay(attempt: number): Promise<void> {
  return sleep(FIRST_DELAY_MILLISECONDS * 2 ** (attempt - 1) * (0.5 + Math.random()));
}
