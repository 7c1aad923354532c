// A fleet behind HAProxy: three nodes on a bucket of MinIO, then a fourth one, then the end of one without notice.
//
//   npm run bench:fleet-proxy   needs haproxy, and MinIO of `node scripts/minio.mjs`
//
// Prints what was answered and which share of the instances moved, then one line of JSON. Exits 1 if a request failed or
// a change was lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { Figures } from '../../../bench/figures.js';
import { COMMAND, ROOT } from '../../../bench/repository.js';
import { CREDENTIALS, MinioServer } from '../test/support/minio-server.js';

const INSTANCES = 50;
/** Ids without an instance, to see where they are sent. */
const IDS = 1_000;
const CONCURRENT = 10;
const ATTEMPTS = 300;
const PAUSE_MILLISECONDS = 100;
const CONFIGURATION = fileURLToPath(new URL('packages/hosting/deploy/haproxy.cfg', ROOT));

const TOKEN = 'operator';

const figures = new Figures(
  {
    answered_by_three: { atLeast: INSTANCES },
    answered_by_four: { atLeast: INSTANCES },
    moved_percent_of_ids: { atLeast: 18, atMost: 32 },
    ids_moved_elsewhere: { atMost: 0 },
    answered_without_one: { atLeast: INSTANCES },
    changes_lost: { atMost: 0 },
  },
  { quick: false },
);

const processes: ChildProcess[] = [];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** The address of a node that answers. */
async function startNode(store: string): Promise<{ address: string; process: ChildProcess }> {
  const port = await freePort();
  const options = [
    '--port',
    `${port}`,
    '--instance-store',
    store,
    '--seed',
    '0',
    '--accounts',
    '1',
  ];
  const child = spawn(process.execPath, [COMMAND, ...options, '--durable', '--no-banner'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      STARKBOX_AUTH_TOKEN: TOKEN,
    },
  });
  processes.push(child);
  await alive(`http://127.0.0.1:${port}`);
  return { address: `127.0.0.1:${port}`, process: child };
}

async function alive(url: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = await fetch(`${url}/is_alive`).catch(() => undefined);
    if (answer?.ok) return;
    await delay(PAUSE_MILLISECONDS);
  }
  throw new Error(`${url} does not answer`);
}

/** HAProxy, and the node that each instance was last sent to. */
class Balancer {
  readonly url: string;
  readonly #bind: string;
  #process: ChildProcess | undefined;
  readonly nodes = new Map<string, string>();

  constructor(port: number) {
    this.#bind = `127.0.0.1:${port}`;
    this.url = `http://${this.#bind}`;
  }

  /** Starts it, or a new process in place of the running one. */
  async start(addresses: readonly string[]): Promise<void> {
    const variables = addresses.map((address, index) => [`STARKBOX_NODE_${index + 1}`, address]);
    const old = this.#process?.pid === undefined ? [] : ['-sf', `${this.#process.pid}`];
    const child = spawn('haproxy', ['-db', '-f', CONFIGURATION, ...old], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        STARKBOX_BIND: this.#bind,
        ...Object.fromEntries(variables),
      },
    });
    const before = this.#process;
    this.#process = child;
    processes.push(child);
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, node, id] = / instances\/(\w+) .*\/instances\/(\w+)\//.exec(line) ?? [];
        if (node !== undefined && id !== undefined) this.nodes.set(id, node);
      }
    });
    if (before) await once(before, 'exit');
    await alive(this.url);
  }
}

async function ask(url: string, method: string, params: object = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  const { result, error } = Object(JSON.parse(text));
  if (error) throw new Error(`${error.code} ${error.message}`);
  return result;
}

/** One change of each instance, some at a time. */
async function mintAll(proxy: Balancer, ids: readonly string[]) {
  const waiting = [...ids];
  const seconds: number[] = [];
  const worker = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const begun = performance.now();
      const params = { address: '0x77', amount: 1 };
      await ask(`${proxy.url}/instances/${id}/rpc`, 'devnet_mint', params).then(
        () => seconds.push((performance.now() - begun) / 1000),
        (error: unknown) => console.error(`${id}: ${error}`),
      );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  // The log of a request follows its answer.
  await delay(PAUSE_MILLISECONDS);
  return { answered: seconds.length, slowest: Math.max(...seconds), nodes: new Map(proxy.nodes) };
}

/** The node that each id is sent to. */
async function sentTo(proxy: Balancer, ids: readonly string[]): Promise<Map<string, string>> {
  for (let from = 0; from < ids.length; from += CONCURRENT) {
    const batch = ids.slice(from, from + CONCURRENT);
    await Promise.all(
      batch.map(async (id) => (await fetch(`${proxy.url}/instances/${id}/config`)).text()),
    );
  }
  await delay(PAUSE_MILLISECONDS);
  return new Map(proxy.nodes);
}

async function overSocket(proxy: Balancer, id: string): Promise<unknown> {
  const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/instances/${id}/ws`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_blockNumber' }));
  const [data] = await once(socket, 'message');
  socket.close();
  return Object(JSON.parse(String(data))).result;
}

async function run(minio: MinioServer): Promise<void> {
  const store = minio.place('fleet');
  const nodes = [await startNode(store), await startNode(store), await startNode(store)];
  const addresses = nodes.map(({ address }) => address);
  const proxy = new Balancer(await freePort());
  await proxy.start(addresses);
  const created = Array.from({ length: INSTANCES }, () => ask(proxy.url, 'devnet_createInstance'));
  const ids = (await Promise.all(created)).map((instance) => String(Object(instance).instance_id));

  const three = await mintAll(proxy, ids);
  figures.say('answered_by_three', three.answered);
  figures.say('slowest_seconds', three.slowest);

  const others = Array.from({ length: IDS }, () => randomBytes(8).toString('hex'));
  const before = await sentTo(proxy, others);
  const fourth = await startNode(store);
  await proxy.start([...addresses, fourth.address]);
  const after = await sentTo(proxy, others);
  const moved = others.filter((id) => before.get(id) !== after.get(id));
  const elsewhere = moved.filter((id) => after.get(id) !== 'node4');
  figures.say('moved_percent_of_ids', (100 * moved.length) / IDS);
  figures.say('ids_moved_elsewhere', elsewhere.length);
  const four = await mintAll(proxy, ids);
  figures.say('answered_by_four', four.answered);
  figures.say('slowest_seconds_after_four', four.slowest);
  figures.say('instances_moved', ids.filter((id) => four.nodes.get(id) === 'node4').length);

  const [lost] = nodes;
  if (lost?.process.kill('SIGKILL')) await once(lost.process, 'exit');
  const without = await mintAll(proxy, ids);
  figures.say(
    'instances_of_the_lost_node',
    ids.filter((id) => four.nodes.get(id) === 'node1').length,
  );
  figures.say('answered_without_one', without.answered);
  figures.say('slowest_seconds_without_one', without.slowest);

  const numbers = await Promise.all(ids.map((id) => overSocket(proxy, id)));
  figures.say('changes_lost', numbers.filter((number) => number !== 3).length);
}

const { installedMinio }: { installedMinio: () => string | undefined } = await import(
  new URL('scripts/minio.mjs', ROOT).href
);
const binary = installedMinio();
if (binary === undefined) throw new Error('MinIO is not installed: node scripts/minio.mjs');
const minio = await MinioServer.start(binary);
try {
  await run(minio);
  figures.finish({ instances: INSTANCES });
} finally {
  for (const child of processes) child.kill('SIGKILL');
  await minio.close();
}
