// Subscriptions: their cost to a chain at full speed, and the delay of notifications.
// Node, subscribers and sender are a process each. Rounds without subscribers alternate with the others, so that noise of
// the machine affects both.
import { median, percentile } from '../figures.js';
import { NodeProcess, type OpenNode } from '../harness/node-process.js';
import { RpcClient } from '../harness/rpc-client.js';
import { defineScenario } from '../harness/scenario.js';
import { numberedTransfer } from '../harness/signed-requests.js';
import { now, type Received, Subscribers } from './subscribers.js';

/** Subscriptions of the socket that is never read, enough to overflow its queue in a round. */
const STALLED_SUBSCRIPTIONS = 120;
const ACCOUNTS = 100;
const MEGABYTE = 2 ** 20;

interface Round {
  /** Ratio of transfers per second, with subscribers over without. */
  readonly ratio: number;
  readonly perSecond: number;
  /** Milliseconds from the answer to the last notification, by transfer. */
  readonly delays: readonly number[];
  /** Seconds from the first transfer to the last notification of the last one. */
  readonly seconds: number;
  readonly received: Received;
  /** Processor time of the node per notification, in microseconds. */
  readonly cost: number;
}

class SubscribedNode {
  readonly node: NodeProcess;
  readonly subscribers: Subscribers;
  readonly port: number;
  readonly client: RpcClient;
  readonly #accounts: OpenNode['accounts'];
  #transfers = 0;

  constructor(node: NodeProcess, { url, accounts }: OpenNode, subscribers: Subscribers) {
    this.node = node;
    this.subscribers = subscribers;
    this.port = Number(new URL(url).port);
    this.client = new RpcClient(url, 1);
    this.#accounts = accounts;
  }

  #sign(count: number): readonly string[] {
    return Array.from({ length: count }, () => {
      this.#transfers += 1;
      return numberedTransfer(this.#accounts, this.#transfers);
    });
  }

  /** Sends transfers in sequence. @returns their hashes, and the time of each answer */
  async #send(transfers: readonly string[]) {
    const hashes: string[] = [];
    const answeredAt: number[] = [];
    const start = now();
    for (const body of transfers) {
      const { transaction_hash } = Object(await this.client.send(body));
      answeredAt.push(now());
      hashes.push(transaction_hash);
    }
    return { hashes, answeredAt, seconds: (now() - start) / 1000 };
  }

  /** Transfers without subscriptions, with sockets connected: seconds and processor time each. */
  async quiet(count: number): Promise<{ readonly seconds: number; readonly cpu: number }> {
    const transfers = this.#sign(count);
    const before = await this.node.call('use');
    const { seconds } = await this.#send(transfers);
    const after = await this.node.call('use');
    return { seconds: seconds / count, cpu: (after.cpu - before.cpu) / count };
  }

  /** A round with subscribers, between the halves of one without. */
  async round(count: number, hasStalled: boolean): Promise<Round> {
    const half = Math.ceil(count / 2);
    const before = await this.quiet(half);
    const transfers = this.#sign(count);
    if (hasStalled) await this.subscribers.call('stall', this.port, STALLED_SUBSCRIPTIONS);
    // An empty block, because event subscriptions begin with the events of the latest block.
    await this.client.call('devnet_createBlock');
    const latest = Number(await this.client.call('starknet_blockNumber'));
    await this.subscribers.call('subscribe', latest + 1);
    const { cpu } = await this.node.call('use');
    const start = now();
    const { hashes, answeredAt, seconds } = await this.#send(transfers);
    await this.subscribers.call('wait', count);
    const spent = (await this.node.call('use')).cpu - cpu;
    const received = await this.subscribers.call('finish', hashes);
    const after = await this.quiet(half);
    const spentAnyway = (count * (before.cpu + after.cpu)) / 2;
    return {
      ratio: ((before.seconds + after.seconds) / 2) * (count / seconds),
      perSecond: count / seconds,
      delays: answeredAt.map((time, index) => (received.last[index] ?? Number.NaN) - time),
      seconds: (Math.max(...received.last) - start) / 1000,
      received,
      cost: ((spent - spentAnyway) / received.messages) * 1e6,
    };
  }
}

function figuresOf(rounds: readonly Round[], suffix: string): Record<string, number> {
  const delays = rounds.flatMap((round) => round.delays);
  const medianOf = (part: (round: Round) => number): number => median(rounds.map(part));
  return {
    [`transfers_per_second${suffix}`]: medianOf(({ perSecond }) => perSecond),
    [`throughput_ratio${suffix}`]: medianOf(({ ratio }) => ratio),
    [`delay_median_ms${suffix}`]: median(delays),
    [`delay_p99_ms${suffix}`]: percentile(delays, 0.99),
    [`messages_per_second${suffix}`]: medianOf(
      ({ received, seconds }) => received.messages / seconds,
    ),
    [`sending_us${suffix}`]: medianOf(({ cost }) => cost),
    [`receiving_us${suffix}`]: medianOf(({ received }) => (received.cpu / received.messages) * 1e6),
  };
}

export const scenario = defineScenario({
  measures: 'sockets with three subscriptions each while transactions come',
  sizes: { sockets: [1_000, 200], transactions: [500, 100], rounds: [2, 3] },
  promises: () => ({
    throughput_ratio: { atLeast: 0.8, isNoisy: true },
    throughput_ratio_stalled: { atLeast: 0.8, isNoisy: true },
    faults: { atMost: 0 },
  }),
  async measure(run) {
    const { sockets, transactions, rounds } = run.sizes;
    const [node, subscribers] = [new NodeProcess(), new Subscribers()];
    run.defer(() => Promise.all([node.end(), subscribers.end()]));
    const opened = await node.call('open', { accounts: ACCOUNTS });
    const subscribed = new SubscribedNode(node, opened, subscribers);
    run.defer(() => subscribed.client.close());
    await subscribed.quiet(50);
    await subscribers.call('connect', subscribed.port, sockets);
    const idle = await node.call('use');
    const plain: Round[] = [];
    const stalled: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      plain.push(await subscribed.round(transactions, false));
      stalled.push(await subscribed.round(transactions, true));
    }
    const reports = [...plain, ...stalled].map(({ received }) => received);
    for (const fault of reports.flatMap(({ faults }) => faults)) console.log(fault);
    run.figures.sayAll({
      ...figuresOf(plain, ''),
      ...figuresOf(stalled, '_stalled'),
      megabytes_per_round: median(reports.map(({ bytes }) => bytes / MEGABYTE)),
      idle_memory_mb: idle.memory / MEGABYTE,
      peak_memory_mb: (await node.call('use')).peak / MEGABYTE,
      faults: reports.flatMap(({ faults }) => faults).length,
    });
    return undefined;
  },
});
