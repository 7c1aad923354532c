// Workloads with many clients: throughput of reads, subscriptions, connections, forks.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { storageAddress } from '@starkbox/engine';
import { WebSocket } from 'ws';
import { STRK } from '../../packages/engine/test/fixtures/chain.js';
import { Contender } from './contender.js';
import { each, type Group, type Side, type Workload } from './measure.js';
import { Signer } from './signed-requests.js';

const run = promisify(execFile);

/** Requests a second by `wrk` with 16 connections; undefined if it is not installed. */
const throughput = (name: string, method: string, params: object): Workload => ({
  name: `wrk_${name}`,
  title: `\`${method}\` under \`wrk\``,
  unit: 'per s',
  rounds: 3,
  measure: async ({ node }, { seconds }) => {
    const folder = mkdtempSync(join(tmpdir(), 'starkbox-bench-'));
    try {
      const script = join(folder, 'post.lua');
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      writeFileSync(
        script,
        `wrk.method = 'POST'\nwrk.body = '${body}'\nwrk.headers['content-type'] = 'application/json'\n`,
      );
      const duration = `${Math.max(1, Math.round(seconds))}s`;
      const args = ['-t1', '-c16', `-d${duration}`, '-s', script, `${node.url}/rpc`];
      const { stdout } = await run('wrk', args);
      return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
});

export const READS: Group = {
  title: 'Reads under load',
  workloads: [
    {
      name: 'transfers_before_reads',
      title: 'STRK transfer before the reads',
      unit: 'ms',
      rounds: 1,
      measure: ({ node, signer }) => {
        const requests = signer.transfers(20);
        return each(requests.length, (at) => node.send(requests[at] ?? ''));
      },
    },
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
      const request = { jsonrpc: '2.0', id: 1, method: 'starknet_subscribeNewHeads', params: {} };
      socket.send(JSON.stringify(request));
      await subscribed;
      socket.on('message', () => {
        this.received += 1;
      });
    }
  }

  async until(count: number): Promise<void> {
    while (this.received < count) await new Promise((resolve) => setTimeout(resolve, 1));
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
    await subscribers.until(before + sockets * requests.length);
    return (performance.now() - begin) / requests.length;
  } finally {
    subscribers.close();
  }
}

/** Milliseconds until all of many clients that connect at once have their first answer. */
function connected({ node }: Side, connections: number): Promise<number> {
  const { hostname, port } = new URL(node.url);
  const body = '{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber","params":{}}';
  const request = `POST /rpc HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const begin = performance.now();
  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(request));
      socket.once('data', () => {
        socket.destroy();
        resolve();
      });
      socket.on('error', reject);
    });
  return Promise.all(Array.from({ length: connections }, client)).then(
    () => performance.now() - begin,
  );
}

export const CLIENTS: Group = {
  title: 'Many clients',
  workloads: [
    {
      name: 'subscribed',
      title: 'STRK transfer, delivered to 1,000 subscribers',
      unit: 'ms',
      rounds: 2,
      measure: (side, { sockets }) => subscribed(side, sockets),
    },
    {
      name: 'connections',
      title: '2,000 clients connect at once, until all are answered',
      unit: 'ms',
      rounds: 3,
      measure: (side, { connections }) => connected(side, connections),
    },
  ],
};

/** Milliseconds of the first transfers on a fork of the measured node. */
const forked: Workload = {
  name: 'fork',
  title: 'start of a fork and 5 transfers on it',
  unit: 'ms',
  rounds: 3,
  measure: async ({ address, kept }) => {
    const origin = kept.get('origin');
    if ('url' in address || typeof origin !== 'string') return undefined;
    const begin = performance.now();
    const fork = await Contender.open({ command: `${address.command} --fork-network ${origin}` });
    try {
      for (const request of new Signer().transfers(5)) await fork.send(request);
      return performance.now() - begin;
    } finally {
      await fork.close();
    }
  },
};

export const FORKS: Group = {
  title: 'Forks',
  workloads: [
    {
      name: 'origin_mint',
      title: '`devnet_mint` on the origin',
      unit: 'ms',
      rounds: 1,
      measure: async ({ node, kept }) => {
        kept.set('origin', `${node.url}/rpc`);
        return each(5, () => node.call('devnet_mint', { address: '0x99', amount: 1, unit: 'FRI' }));
      },
    },
    forked,
  ],
};
