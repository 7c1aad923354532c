// Workloads with many clients: throughput of reads, subscriptions, connections; and forks.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { memberOf } from '@starkbox/abi/basics';
import { storageAddress } from '@starkbox/engine';
import { WebSocket } from 'ws';
import { hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { onBareServer } from '../harness/bare-server.js';
import { type RpcClient, RpcError, rpcBody } from '../harness/rpc-client.js';
import { transferTo } from '../harness/signed-requests.js';
import { balanceOf } from './first-seconds.js';
import { each, type Group, type Side, sendAll, single, Unable, type Workload } from './measure.js';

const run = promisify(execFile);

const isInstalled = await run('wrk', ['--version']).then(
  () => true,
  // It prints its version and ends with 1.
  ({ code }: { readonly code?: unknown }) => code !== 'ENOENT',
);

/** Requests a second by `wrk` with 16 connections. */
async function underWrk(node: RpcClient, seconds: number, method: string, params: object) {
  if (!isInstalled) throw new Unable('`wrk` is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-bench-'));
  try {
    const script = join(folder, 'post.lua');
    const body = rpcBody(method, params);
    writeFileSync(
      script,
      `wrk.method = 'POST'\nwrk.body = '${body}'\nwrk.headers['content-type'] = 'application/json'\n`,
    );
    const args = ['-t1', '-c16', `-d${seconds}s`, '-s', script, `${node.url}/rpc`];
    const { stdout } = await run('wrk', args);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const throughput = (name: string, method: string, params: object): Workload =>
  single(
    `wrk_${name}`,
    `\`${method}\` under \`wrk\`, 16 connections`,
    'per s',
    ({ node }, { seconds }) => underWrk(node, seconds, method, params),
    {
      rounds: 3,
      bare: (_, { seconds }) => onBareServer((server) => underWrk(server, seconds, method, params)),
    },
  );

export const READS: Group = {
  title: 'Reads under load',
  workloads: [
    throughput('block_number', 'starknet_blockNumber', {}),
    throughput('storage_at', 'starknet_getStorageAt', {
      contract_address: STRK,
      key: storageAddress('ERC20_total_supply'),
      block_id: 'latest',
    }),
    throughput('block_with_receipts', 'starknet_getBlockWithReceipts', {
      block_id: { block_number: 10 },
    }),
  ],
};

/** Sockets that each subscribe to new heads, and a count of what arrives. */
class Subscribers {
  readonly #sockets: WebSocket[] = [];
  received = 0;

  async open(url: string, sockets: number): Promise<void> {
    for (let at = 0; at < sockets; at += 1) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false });
      this.#sockets.push(socket);
      await once(socket, 'open');
      const subscribed = once(socket, 'message');
      socket.send(rpcBody('starknet_subscribeNewHeads'));
      const error = memberOf(JSON.parse(String((await subscribed)[0])), 'error');
      if (error !== undefined) throw new RpcError(error);
      socket.on('message', () => {
        this.received += 1;
      });
    }
  }

  /** Waits until so many notifications have come. */
  async until(count: number, limit: number): Promise<void> {
    const begin = performance.now();
    while (this.received < count) {
      if (performance.now() - begin > limit) {
        throw new Unable(`${count - this.received} of ${count} notifications did not come`);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.terminate();
  }
}

/** Milliseconds per transfer until the last subscriber has the notifications of all of them. */
async function subscribed({ node, signer }: Side, sockets: number): Promise<number> {
  const subscribers = new Subscribers();
  try {
    await subscribers.open(node.url, sockets);
    const before = subscribers.received;
    const requests = signer.transfers(20);
    const begin = performance.now();
    for (const request of requests) await node.send(request);
    await subscribers.until(before + sockets * requests.length, 30_000);
    return (performance.now() - begin) / requests.length;
  } finally {
    subscribers.close();
  }
}

export const CLIENTS: Group = {
  title: 'Subscribers',
  workloads: [
    single(
      'subscribed',
      'STRK transfer, delivered to 1,000 subscribers',
      'ms',
      (side, { sockets }) => subscribed(side, sockets),
      { rounds: 3 },
    ),
  ],
};

// Forks.

const HOLDERS = Array.from({ length: 20 }, (_, at) => hex(0x7000_0000 + at));

const forked: Workload = {
  figures: [
    { name: 'fork_start', title: 'fork: start to first answer', unit: 'ms' },
    { name: 'fork_call_cold', title: 'fork: call that reads a slot of the origin', unit: 'ms' },
    { name: 'fork_call_warm', title: 'fork: the same call again', unit: 'ms' },
    { name: 'fork_transfer_cold', title: 'fork: STRK transfer to an unread receiver', unit: 'ms' },
    { name: 'fork_transfer_warm', title: 'fork: transfer to the same receiver again', unit: 'ms' },
  ],
  rounds: 3,
  measure: async ({ address, signer, origin, another }) => {
    if ('url' in address) throw new Unable('needs a command that starts the node');
    const fork = await another(`--fork-network ${origin}`);
    try {
      const call = (at: number) => fork.call('starknet_call', balanceOf(HOLDERS[at] ?? ''));
      const [cold, warm] = [await each(10, call), await each(10, call)];
      const mine = signer.fresh();
      const transfers = () =>
        HOLDERS.slice(10).map((receiver) => mine.invoke([transferTo(receiver)]));
      const [first, second] = [await sendAll(fork, transfers()), await sendAll(fork, transfers())];
      return [fork.startTime ?? Number.NaN, cold, warm, first, second];
    } finally {
      await fork.end();
    }
  },
};

/** Both nodes fork ours, whose accounts have sent nothing, so that nonces begin at 0. */
export const FORKS: Group = {
  title: 'Forks',
  workloads: [
    single(
      'origin_mint',
      '`devnet_mint` before the forks',
      'ms',
      ({ node }) =>
        each(HOLDERS.length, (at) => node.call('devnet_mint', { address: HOLDERS[at], amount: 9 })),
      { rounds: 1 },
    ),
    forked,
  ],
};
