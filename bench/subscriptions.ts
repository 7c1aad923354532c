// Benchmark of subscriptions: their cost to a chain at full speed, and the delay of notifications.
//
//   npm run bench:subscriptions              1,000 sockets with 3 subscriptions each, 500 transfers
//   npm run bench:subscriptions -- --quick   200 sockets, 100 transfers, less than a minute
//
// Node, subscribers and sender are a process each. Rounds without subscribers alternate with the
// others, so that noise of the machine affects both. Prints each figure with its bound, then one
// line of JSON. Exits 1 if a bound is broken.
import { type ChildProcess, fork } from 'node:child_process';
import { Agent, request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createNode } from 'starkbox';
import { type Account, hex, invokeValues, STRK } from '../packages/engine/test/fixtures/chain.js';
import { Figures, median } from './figures.js';
import { type Command, now, type Received } from './subscribers.js';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    sockets: { type: 'string' },
    transactions: { type: 'string' },
    rounds: { type: 'string' },
    /** Runs the node; used in a child process. */
    node: { type: 'boolean', default: false },
  },
});
const { quick } = given;
const SOCKETS = Number(given.sockets ?? (quick ? 200 : 1_000));
const TRANSACTIONS = Number(given.transactions ?? (quick ? 100 : 500));
const ROUNDS = Number(given.rounds ?? (quick ? 3 : 2));
/** Subscriptions of the socket that is never read, enough to overflow its queue in a round. */
const STALLED_SUBSCRIPTIONS = 120;
const ACCOUNTS = 100;

// The node.

interface Usage {
  /** Resident bytes, current and peak. */
  readonly memory: number;
  readonly peak: number;
  /** Processor seconds so far. */
  readonly busy: number;
}

interface Started {
  readonly port: number;
  readonly accounts: readonly Account[];
}

async function runNode(): Promise<void> {
  const node = await createNode({ seed: 0, accounts: ACCOUNTS, port: 0 });
  const { port } = await node.listen();
  const started: Started = { port, accounts: node.accounts };
  process.send?.(started);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const usage: Usage = {
      memory: process.memoryUsage.rss(),
      peak: process.resourceUsage().maxRSS * 1024,
      busy: (user + system) / 1e6,
    };
    process.send?.(usage);
  });
}

/** Sends a message to a process. @returns the next message from it */
function ask(child: ChildProcess, message: object | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null): void => reject(new Error(`a process ended with ${code}`));
    child.once('exit', gone);
    child.once('message', (answer) => {
      child.off('exit', gone);
      resolve(answer);
    });
    if (message) child.send(message);
  });
}

// The sender.

class Sender {
  readonly #port: number;
  readonly #accounts: readonly Account[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #prepared = 0;

  constructor({ port, accounts }: Started) {
    this.#port = port;
    this.#accounts = accounts;
  }

  /** Signed transfers, to be sent once and in this order. */
  prepare(count: number): readonly string[] {
    return Array.from({ length: count }, () => {
      const at = this.#prepared;
      this.#prepared += 1;
      const sender = this.#accounts[at % this.#accounts.length];
      if (!sender) throw new Error('no account');
      const calls = [{ to: STRK, name: 'transfer', calldata: [hex(at + 1), '0x1', '0x0'] }];
      const nonce = Math.floor(at / this.#accounts.length);
      return callText('starknet_addInvokeTransaction', {
        invoke_transaction: invokeValues(sender, calls, nonce),
      });
    });
  }

  /** Sends calls in sequence. @returns the hashes, and the time of each answer */
  async send(
    calls: readonly string[],
  ): Promise<{ hashes: string[]; answered: number[]; seconds: number }> {
    const hashes: string[] = [];
    const answered: number[] = [];
    const begin = now();
    for (const call of calls) {
      const { result } = await this.call(call);
      answered.push(now());
      const { transaction_hash }: { transaction_hash?: string } = Object(result);
      if (transaction_hash === undefined) throw new Error('a transfer was refused');
      hashes.push(transaction_hash);
    }
    return { hashes, answered, seconds: (now() - begin) / 1000 };
  }

  call(text: string): Promise<{ result?: unknown }> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        host: '127.0.0.1',
        port: this.#port,
        method: 'POST',
        agent: this.#agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      });
      request.on('error', reject).on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
      });
      request.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function callText(method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

// Rounds.

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

class Bench {
  readonly #node: ChildProcess;
  readonly #subscribers: ChildProcess;
  readonly #sender: Sender;
  readonly #port: number;

  constructor(node: ChildProcess, started: Started, subscribers: ChildProcess) {
    this.#node = node;
    this.#subscribers = subscribers;
    this.#sender = new Sender(started);
    this.#port = started.port;
  }

  async usage(): Promise<Usage> {
    const usage: { memory?: number; peak?: number; busy?: number } = Object(
      await ask(this.#node, {}),
    );
    return { memory: usage.memory ?? 0, peak: usage.peak ?? 0, busy: usage.busy ?? 0 };
  }

  async connect(): Promise<void> {
    await this.#command({ do: 'connect', port: this.#port, sockets: SOCKETS });
  }

  /** Transfers without subscriptions, with sockets connected: seconds and processor time each. */
  async quiet(count: number): Promise<{ readonly seconds: number; readonly busy: number }> {
    const calls = this.#sender.prepare(count);
    const { busy } = await this.usage();
    const { seconds } = await this.#sender.send(calls);
    return { seconds: seconds / count, busy: ((await this.usage()).busy - busy) / count };
  }

  /** A round with subscribers, between the halves of one without. */
  async round(hasStalled: boolean): Promise<Round> {
    const half = Math.ceil(TRANSACTIONS / 2);
    const before = await this.quiet(half);
    const calls = this.#sender.prepare(TRANSACTIONS);
    if (hasStalled) {
      const subscriptions = STALLED_SUBSCRIPTIONS;
      await this.#command({ do: 'stall', port: this.#port, subscriptions });
    }
    // An empty block, because event subscriptions begin with the events of the latest block.
    await this.#sender.call(callText('devnet_createBlock'));
    const { result } = await this.#sender.call(callText('starknet_blockNumber'));
    await this.#command({ do: 'subscribe', next: Number(result) + 1 });
    const { busy } = await this.usage();
    const begin = now();
    const { hashes, answered, seconds } = await this.#sender.send(calls);
    await this.#command({ do: 'wait', transactions: TRANSACTIONS });
    const spent = (await this.usage()).busy - busy;
    const received = await this.#command({ do: 'finish', hashes });
    if (!received) throw new Error('no report of the subscribers');
    const after = await this.quiet(half);
    const spentAnyway = (TRANSACTIONS * (before.busy + after.busy)) / 2;
    return {
      ratio: ((before.seconds + after.seconds) / 2) * (TRANSACTIONS / seconds),
      perSecond: TRANSACTIONS / seconds,
      delays: answered.map((at, index) => (received.last[index] ?? Number.NaN) - at),
      seconds: (Math.max(...received.last) - begin) / 1000,
      received,
      cost: ((spent - spentAnyway) / received.messages) * 1e6,
    };
  }

  async #command(command: Command): Promise<Received | undefined> {
    const answer: { received?: Received; error?: string } = Object(
      await ask(this.#subscribers, command),
    );
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.received;
  }

  close(): void {
    this.#sender.close();
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

async function main(): Promise<void> {
  const figures = new Figures(
    {
      throughput_ratio: { atLeast: 0.8, isNoisy: true },
      throughput_ratio_stalled: { atLeast: 0.8, isNoisy: true },
      faults: { atMost: 0 },
    },
    { quick },
  );
  const here = fileURLToPath(import.meta.url);
  const node = fork(here, ['--node']);
  const subscribers = fork(fileURLToPath(new URL('./subscribers.js', import.meta.url)));
  try {
    const started: { port?: number; accounts?: readonly Account[] } = Object(
      await ask(node, undefined),
    );
    const { port = 0, accounts = [] } = started;
    const bench = new Bench(node, { port, accounts }, subscribers);
    await bench.quiet(50);
    await bench.connect();
    const idle = await bench.usage();
    const plain: Round[] = [];
    const stalled: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      plain.push(await bench.round(false));
      stalled.push(await bench.round(true));
    }
    const all = [...plain, ...stalled];
    figures.say('sockets', SOCKETS);
    figures.say('transactions', TRANSACTIONS);
    for (const [suffix, rounds] of [
      ['', plain],
      ['_stalled', stalled],
    ] as const) {
      const delays = rounds.flatMap((round) => round.delays);
      figures.sayAll({
        [`transfers_per_second${suffix}`]: median(rounds.map(({ perSecond }) => perSecond)),
        [`throughput_ratio${suffix}`]: median(rounds.map(({ ratio }) => ratio)),
        [`delay_median_ms${suffix}`]: percentile(delays, 0.5),
        [`delay_p99_ms${suffix}`]: percentile(delays, 0.99),
        [`messages_per_second${suffix}`]: median(
          rounds.map(({ received, seconds }) => received.messages / seconds),
        ),
        [`sending_us${suffix}`]: median(rounds.map(({ cost }) => cost)),
        [`receiving_us${suffix}`]: median(
          rounds.map(({ received }) => (received.busy / received.messages) * 1e6),
        ),
      });
    }
    const { peak } = await bench.usage();
    figures.sayAll({
      megabytes_per_round: median(all.map(({ received }) => received.bytes / 2 ** 20)),
      idle_memory_mb: idle.memory / 2 ** 20,
      peak_memory_mb: peak / 2 ** 20,
      faults: all.reduce((sum, { received }) => sum + received.faults.length, 0),
    });
    for (const { received } of all) for (const fault of received.faults) console.error(fault);
    figures.finish({ quick });
    bench.close();
  } finally {
    node.kill();
    subscribers.kill();
  }
}

if (given.node) await runNode();
else await main();
