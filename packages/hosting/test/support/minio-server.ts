// A real MinIO on a free port, with an empty bucket. Benches use it too, so that it imports no sources.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';

export const BUCKET = 'starkbox';
const ATTEMPTS = 600;

/** As `openObjectStore` takes them. */
export const CREDENTIALS = {
  accessKeyId: 'starkbox',
  secretAccessKey: 'starkbox-secret',
  sessionToken: undefined,
  region: 'us-east-1',
};

export class MinioServer {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly url: string;

  constructor(process: ChildProcess, folder: string, url: string) {
    this.#process = process;
    this.#folder = folder;
    this.url = url;
  }

  static async start(binary: string): Promise<MinioServer> {
    const folder = mkdtempSync(join(tmpdir(), 'starkbox-minio-'));
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(binary, ['server', '--quiet', '--address', address, folder], {
      stdio: 'ignore',
      env: {
        HOME: folder,
        MINIO_ROOT_USER: CREDENTIALS.accessKeyId,
        MINIO_ROOT_PASSWORD: CREDENTIALS.secretAccessKey,
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
      },
    });
    const server = new MinioServer(child, folder, `http://${address}`);
    const client = new AwsClient({ ...signing(), retries: 0 });
    for (let attempt = 1; ; attempt += 1) {
      const answer = await client
        .fetch(`${server.url}/${BUCKET}`, { method: 'PUT' })
        .catch(() => undefined);
      if (answer?.status === 200) return server;
      if (attempt === ATTEMPTS || child.exitCode !== null) {
        await server.close();
        throw new Error(`MinIO did not start: ${answer?.status ?? 'no answer'}`);
      }
      await sleep(50);
    }
  }

  /** The address of a store for `openObjectStore`. @param url of a proxy in front of it */
  place(prefix: string, url: string = this.url): string {
    return `s3://${BUCKET}/${prefix}?endpoint=${url}`;
  }

  /** The sum of the objects below a prefix, and their number. */
  async sizeBelow(prefix: string): Promise<{ readonly bytes: number; readonly objects: number }> {
    const client = new AwsClient(signing());
    let [bytes, objects] = [0, 0];
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ 'list-type': '2', prefix });
      if (token !== undefined) query.set('continuation-token', token);
      const page = await (await client.fetch(`${this.url}/${BUCKET}?${query}`)).text();
      for (const [, size] of page.matchAll(/<Size>(\d+)<\/Size>/g)) {
        bytes += Number(size);
        objects += 1;
      }
      token = /<NextContinuationToken>(.*)<\/NextContinuationToken>/.exec(page)?.[1];
    } while (token !== undefined);
    return { bytes, objects };
  }

  /** Ends the process without waiting for that. */
  kill(): void {
    this.#process.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.kill('SIGKILL')) {
      await once(this.#process, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function signing(): ConstructorParameters<typeof AwsClient>[0] {
  const { accessKeyId, secretAccessKey, region } = CREDENTIALS;
  return { accessKeyId, secretAccessKey, service: 's3', region };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
