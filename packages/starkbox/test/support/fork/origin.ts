// An origin for tests: a real node with some history, behind a proxy that can fail.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultyProxy } from '@starkbox/test-support/fork/proxy';
import { OriginClient, type OriginClientOptions } from '../../../src/fork/origin/client.js';
import type { RequestPolicy } from '../../../src/fork/origin/remote.js';
import { createChain, type LocalChain } from '../../../src/index.js';
import { silentLog } from '../../../src/log.js';

/** Soon enough for a test, and with several attempts. */
export const QUICK: Partial<RequestPolicy> = { queueTimeout: 5000, backoff: 4 };

export interface TestOrigin extends AsyncDisposable {
  readonly node: LocalChain;
  readonly proxy: FaultyProxy;
  /** A folder of its own, gone afterwards. */
  readonly folder: string;
  readonly connect: (options?: Partial<OriginClientOptions>) => Promise<OriginClient>;
  readonly close: () => Promise<void>;
}

export async function startOrigin(): Promise<TestOrigin> {
  const node = await createChain({ seed: 0, port: 0 });
  const { url } = await node.listen();
  const proxy = await FaultyProxy.before(url);
  const folder = await mkdtemp(join(tmpdir(), 'fork-'));
  const opened: OriginClient[] = [];
  const close = async (): Promise<void> => {
    await Promise.allSettled(opened.map((upstream) => upstream.close()));
    await proxy.close();
    await node.close();
    await rm(folder, { recursive: true });
  };
  return {
    node,
    proxy,
    folder,
    async connect(options = {}) {
      const upstream = await OriginClient.connect({
        urls: [proxy.url],
        log: silentLog,
        policy: QUICK,
        ...options,
      });
      opened.push(upstream);
      return upstream;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Mints tokens in a block of its own. */
export async function mint(node: LocalChain, address: string, amount: number): Promise<void> {
  await node.request('devnet_mint', { address, amount, unit: 'FRI' });
}
