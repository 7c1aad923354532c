// Nodes with data directories behind HAProxy, as deploy/shards configures it: one is killed and started again under load.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { callUrl } from '@starkbox/test-support/call-url';
import { listen } from '@starkbox/test-support/listen';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { afterAll, expect, test } from 'vitest';

const CONFIGURATION = fileURLToPath(
  new URL('../../../../deploy/shards/haproxy.cfg', import.meta.url),
);
const NODES = 3;
const KEYS = 200;
/** Clients of the instances of one node. */
const WORKERS = 4;
/** Changes of each node before the kill, and after the other node has started again. */
const CHANGES = 60;

const hasHaproxy = spawnSync('haproxy', ['-v']).error === undefined;
if (!hasHaproxy) console.warn('haproxy is not installed: deploy/shards/haproxy.cfg was not run');

interface Instance {
  readonly id: string;
  readonly url: string;
  /** Hashes of the transactions that were acknowledged. */
  readonly hashes: string[];
}

/** A node with the instances that the proxy gave it. */
class Shard {
  readonly instances: Instance[] = [];
  /** Errors of its clients, with the number of the kill before which the request was sent. */
  readonly errors: { readonly message: string; readonly kills: number }[] = [];
  kills = 0;
  #node: RunningCommand;
  readonly #folder: string;

  constructor(node: RunningCommand, folder: string) {
    this.#node = node;
    this.#folder = folder;
  }

  static async start(): Promise<Shard> {
    const folder = temporaryFolder();
    return new Shard(await RunningCommand.start(argumentsFor(folder)), folder);
  }

  get address(): string {
    return new URL(this.#node.url).host;
  }

  get acknowledged(): number {
    return this.instances.reduce((sum, { hashes }) => sum + hashes.length, 0);
  }

  async kill(): Promise<void> {
    await this.#node.kill();
    this.kills += 1;
  }

  async startAgain(): Promise<void> {
    const port = ['--port', new URL(this.#node.url).port];
    this.#node = await RunningCommand.start([...argumentsFor(this.#folder), ...port]);
  }

  /** Which of the instances it has. */
  async take(created: readonly Instance[]): Promise<void> {
    const { instances } = Object(await this.#node.call('devnet_listInstances', { limit: KEYS }));
    const ids = new Set(instances.map((row: { instance_id: string }) => row.instance_id));
    this.instances.push(...created.filter(({ id }) => ids.has(id)));
  }
}

const argumentsFor = (folder: string): readonly string[] => ['--seed', '0', '--data-dir', folder];

let shards: readonly Shard[] = [];
let proxy: ChildProcess | undefined;
afterAll(async () => {
  proxy?.kill('SIGKILL');
  await Promise.all(shards.map((shard) => shard.kill()));
});

/** @returns the URL of the proxy */
async function startProxy(): Promise<string> {
  const server = createServer();
  const bind = `127.0.0.1:${await listen(server)}`;
  server.close();
  const nodes = shards.map((shard, index) => [`STARKBOX_SHARD_${index}`, shard.address]);
  const env = { ...process.env, STARKBOX_BIND: bind, ...Object.fromEntries(nodes) };
  proxy = spawn('haproxy', ['-db', '-f', CONFIGURATION], { env, stdio: 'ignore' });
  const status = () => fetch(`http://${bind}/is_alive`).then((response) => response.status);
  await expect.poll(() => status().catch(() => 0), { timeout: 10_000 }).toBe(200);
  return `http://${bind}`;
}

async function createInstance(base: string): Promise<Instance> {
  const { instance_id: id } = Object(await callUrl(`${base}/rpc`, 'devnet_createInstance'));
  return { id, url: `${base}/instances/${id}/rpc`, hashes: [] };
}

async function mint({ url, hashes }: Instance): Promise<void> {
  const { tx_hash } = Object(await callUrl(url, 'devnet_mint', { address: '0x77', amount: 1 }));
  hashes.push(String(tx_hash));
}

/** Changes the instances of a shard in turns until told to stop. */
async function load(shard: Shard, isOver: () => boolean): Promise<void> {
  const work = async (worker: number): Promise<void> => {
    for (let turn = worker; !isOver(); turn += WORKERS) {
      const instance = shard.instances[turn % shard.instances.length];
      if (!instance) throw new Error('the proxy gave no key to this node');
      const { kills } = shard;
      await mint(instance).catch((error: unknown) =>
        shard.errors.push({ message: String(error), kills }),
      );
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
}

/** Resolves when each shard has acknowledged more changes. */
async function moreChanges(of: readonly Shard[]): Promise<void> {
  const goals = of.map((shard) => shard.acknowledged + CHANGES);
  const isReached = () => of.every((shard, index) => shard.acknowledged >= (goals[index] ?? 0));
  await expect.poll(isReached, { timeout: 60_000, interval: 20 }).toBe(true);
}

/** Acknowledged changes that an instance does not have. */
async function countLost({ url, hashes }: Instance): Promise<number> {
  let lost = 0;
  for (const transaction_hash of hashes) {
    const status = await callUrl(url, 'starknet_getTransactionStatus', { transaction_hash });
    if (Object(status).finality_status !== 'ACCEPTED_ON_L2') lost += 1;
  }
  return lost;
}

test.runIf(hasHaproxy)(
  'a killed node loses no acknowledged change, and the other nodes notice nothing',
  { timeout: 180_000 },
  async () => {
    shards = await Promise.all(Array.from({ length: NODES }, () => Shard.start()));
    const base = await startProxy();
    expect((await fetch(`${base}/rpc`, { method: 'POST' })).status).toBe(404);
    const keys = Array.from({ length: KEYS }, (_, key) => `${base}/user-${key}`);
    const created = await Promise.all(keys.map(createInstance));
    await Promise.all(shards.map((shard) => shard.take(created)));
    const [killed, ...others] = shards;
    if (!killed) throw new Error('there is no node');
    expect(shards.reduce((sum, { instances }) => sum + instances.length, 0)).toBe(KEYS);

    let isOver = false;
    const loads = Promise.all(shards.map((shard) => load(shard, () => isOver)));
    await moreChanges(shards);
    await killed.kill();
    const before = killed.acknowledged;
    // While it is down, the others go on.
    await moreChanges(others);
    expect(killed.acknowledged).toBe(before);
    await killed.startAgain();
    await moreChanges(shards);
    isOver = true;
    await loads;

    expect(others.flatMap(({ errors }) => errors)).toEqual([]);
    // Requests that were sent later waited for its start.
    expect(killed.errors.filter(({ kills }) => kills > 0)).toEqual([]);
    const lost = await Promise.all(created.map(countLost));
    expect(lost).toEqual(created.map(() => 0));
  },
);
