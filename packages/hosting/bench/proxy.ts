// A fleet behind HAProxy: three nodes on a bucket of MinIO, then a fourth one, then the end of one without notice.
// It needs haproxy.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';
import { RpcError, rpcBody } from '../../../bench/harness/rpc-client.js';
import { defineScenario, type Run } from '../../../bench/harness/scenario.js';
import { freePort } from '../../../bench/harness/spawned-node.js';
import { MinioServer } from '../test/support/minio-server.js';
import { isAlive, START_MILLISECONDS, StoredNode, spawnRouter } from './fleet.js';
import { minioBinary } from './minio.js';

const INSTANCES = 50;
/** Ids without an instance, to see where they are sent. */
const IDS = 1_000;
const CONCURRENT = 10;
const PAUSE_MILLISECONDS = 100;
const TOKEN = 'operator';
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

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
  async start(nodes: readonly StoredNode[]): Promise<void> {
    const addresses = nodes.map(({ url }, index) => [
      `STARKBOX_NODE_${index + 1}`,
      new URL(url).host,
    ]);
    const before = this.#process;
    const finish = before?.pid === undefined ? [] : ['-sf', `${before.pid}`];
    const variables = Object.fromEntries(addresses);
    const child = spawnRouter(this.#bind, variables, ['pipe', 'inherit'], finish);
    this.#process = child;
    let rest = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, node, id] = / instances\/(\w+) .*\/instances\/(\w+)\//.exec(line) ?? [];
        if (node !== undefined && id !== undefined) this.nodes.set(id, node);
      }
    });
    if (before) await once(before, 'exit');
    const until = performance.now() + START_MILLISECONDS;
    while (!(await isAlive(this.url))) {
      if (performance.now() > until) throw new Error(`${this.url} does not answer`);
      await delay(PAUSE_MILLISECONDS);
    }
  }

  end(): void {
    this.#process?.kill('SIGKILL');
  }
}

async function ask(url: string, method: string, params: object = {}): Promise<unknown> {
  const response = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...AUTHORIZATION },
    body: rpcBody(method, params),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  const { result, error } = Object(JSON.parse(text));
  if (error) throw new RpcError(error);
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
      await ask(`${proxy.url}/instances/${id}`, 'devnet_mint', params).then(
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
  const url = `${proxy.url.replace('http', 'ws')}/instances/${id}/ws`;
  const socket = new WebSocket(url, { headers: AUTHORIZATION });
  await once(socket, 'open');
  socket.send(rpcBody('starknet_blockNumber'));
  const [data] = await once(socket, 'message');
  socket.close();
  return Object(JSON.parse(String(data))).result;
}

async function startNode(run: Run<never>, number: number, store: string): Promise<StoredNode> {
  const node = new StoredNode(
    `node${number}`,
    await freePort(),
    { 'instance-store': store },
    { env: { STARKBOX_AUTH_TOKEN: TOKEN }, output: ['ignore', 'inherit'] },
  );
  run.defer(() => node.process.end('SIGKILL'));
  await node.start(START_MILLISECONDS);
  return node;
}

async function measure(run: Run<never>): Promise<object> {
  const { figures } = run;
  const minio = await MinioServer.start(minioBinary());
  run.defer(() => minio.close());
  const store = minio.place('fleet');
  const lost = await startNode(run, 1, store);
  const nodes = [lost, await startNode(run, 2, store), await startNode(run, 3, store)];
  const proxy = new Balancer(await freePort());
  run.defer(() => proxy.end());
  await proxy.start(nodes);
  const created = Array.from({ length: INSTANCES }, () => ask(proxy.url, 'devnet_createInstance'));
  const ids = (await Promise.all(created)).map((instance) => String(Object(instance).instance_id));

  const three = await mintAll(proxy, ids);
  figures.sayAll({ answered_by_three: three.answered, slowest_seconds: three.slowest });

  const others = Array.from({ length: IDS }, () => randomBytes(8).toString('hex'));
  const before = await sentTo(proxy, others);
  await proxy.start([...nodes, await startNode(run, 4, store)]);
  const after = await sentTo(proxy, others);
  const moved = others.filter((id) => before.get(id) !== after.get(id));
  const four = await mintAll(proxy, ids);
  figures.sayAll({
    moved_percent_of_ids: (100 * moved.length) / IDS,
    ids_moved_elsewhere: moved.filter((id) => after.get(id) !== 'node4').length,
    answered_by_four: four.answered,
    slowest_seconds_after_four: four.slowest,
    instances_moved: ids.filter((id) => four.nodes.get(id) === 'node4').length,
  });

  await lost.process.end('SIGKILL');
  const without = await mintAll(proxy, ids);
  const numbers = await Promise.all(ids.map((id) => overSocket(proxy, id)));
  figures.sayAll({
    instances_of_the_lost_node: ids.filter((id) => four.nodes.get(id) === 'node1').length,
    answered_without_one: without.answered,
    slowest_seconds_without_one: without.slowest,
    changes_lost: numbers.filter((number) => number !== 3).length,
  });
  return { instances: INSTANCES };
}

export const scenario = defineScenario({
  measures: 'a fleet behind HAProxy: a node more, and the end of one without notice',
  sizes: {},
  promises: () => ({
    answered_by_three: { atLeast: INSTANCES },
    answered_by_four: { atLeast: INSTANCES },
    moved_percent_of_ids: { atLeast: 18, atMost: 32 },
    ids_moved_elsewhere: { atMost: 0 },
    answered_without_one: { atLeast: INSTANCES },
    changes_lost: { atMost: 0 },
  }),
  measure,
});
