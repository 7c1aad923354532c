// Benchmark of an overloaded node, and of its recovery.
//
//   npm run bench:overload              2,000 connections for a minute
//   npm run bench:overload -- --quick   500 connections for five seconds
//
// Every connection sends its next request after an answer: reads, calls and, one in ten, a write.
// Prints each figure with its bound, then one line of JSON. Exits 1 if a bound is broken.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createNode } from 'starkbox';
import { STRK } from '../packages/engine/test/fixtures/chain.js';
import { Figures } from './figures.js';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    connections: { type: 'string' },
    seconds: { type: 'string' },
    /** Runs the node; used in a child process. */
    node: { type: 'boolean', default: false },
  },
});
const CONNECTIONS = Number(given.connections ?? (given.quick ? 500 : 2_000));
const SECONDS = Number(given.seconds ?? (given.quick ? 5 : 60));
/** Of the node, in seconds. */
const TIMEOUT = 10;
const RECOVERY_SECONDS = 2;
const DECIMALS = '0x4c4fb1ab068f6039d5780c68dd0fa2f8742cceb3426d19667778ca7f3518a9';

const seconds = (): number => {
  const [whole, nanoseconds] = process.hrtime();
  return whole + nanoseconds / 1e9;
};

async function runNode(): Promise<void> {
  const node = await createNode({ seed: 0, port: 0, timeout: TIMEOUT });
  process.send?.(await node.listen());
  process.on('disconnect', () => process.exit());
}

interface Tally {
  answers: number;
  /** JSON-RPC errors, HTTP statuses and closed connections. */
  refusals: number;
  /** Seconds. */
  longest: number;
  /** Acknowledged transactions. */
  readonly written: string[];
}

class Client {
  readonly #agent: Agent;
  readonly #url: string;

  constructor(url: string, connections: number) {
    this.#url = url;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: connections,
      maxFreeSockets: connections,
    });
  }

  call(method: string, params: object = {}): Promise<{ result?: unknown; error?: unknown }> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    return new Promise((resolve, reject) => {
      request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        text(response).then((answer) => resolve(Object(JSON.parse(answer))), reject);
      })
        .on('error', reject)
        .end(body);
    });
  }

  /** Sends requests on every connection until the time is over. */
  async storm(
    connections: number,
    duration: number,
    next: (turn: number) => readonly [string, object],
  ): Promise<Tally & { readonly rate: number }> {
    const tally: Tally = { answers: 0, refusals: 0, longest: 0, written: [] };
    const begin = seconds();
    let turn = 0;
    const one = async (): Promise<void> => {
      while (seconds() - begin < duration) {
        turn += 1;
        const sent = seconds();
        const { result, error } = await this.call(...next(turn)).catch((error: unknown) => ({
          result: undefined,
          error,
        }));
        if (error) tally.refusals += 1;
        else tally.answers += 1;
        tally.longest = Math.max(tally.longest, seconds() - sent);
        const { tx_hash } = Object(result);
        if (typeof tx_hash === 'string') tally.written.push(tx_hash);
      }
    };
    await Promise.all(Array.from({ length: connections }, one));
    return { ...tally, rate: tally.answers / (seconds() - begin) };
  }

  close(): void {
    this.#agent.destroy();
  }
}

const READ = ['starknet_blockNumber', {}] as const;
const CALL = [
  'starknet_call',
  {
    request: { contract_address: STRK, entry_point_selector: DECIMALS, calldata: [] },
    block_id: 'latest',
  },
] as const;
const WRITE = ['devnet_mint', { address: '0xabc', amount: 1, unit: 'FRI' }] as const;

async function measure(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['--node']);
  const [{ url }] = await once(child, 'message');
  const figures = new Figures(
    {
      'longest answer (s)': { atMost: TIMEOUT + 2, isNoisy: true },
      'lost writes': { atMost: 0 },
      'reads again (of before)': { atLeast: 0.7, isNoisy: true },
      'writes again (s)': { atMost: RECOVERY_SECONDS, isNoisy: true },
    },
    given,
  );
  const few = new Client(url, 16);
  await few.storm(16, 1, () => READ);
  const before = await few.storm(16, 2, () => READ);
  figures.say('reads before (1/s)', before.rate);

  const many = new Client(url, CONNECTIONS);
  // Connections are opened first, because an overloaded node accepts them slowly.
  await Promise.all(Array.from({ length: CONNECTIONS }, () => many.call(...READ)));
  const storm = await many.storm(CONNECTIONS, SECONDS, (turn) =>
    turn % 10 === 0 ? WRITE : turn % 10 < 4 ? CALL : READ,
  );
  many.close();
  figures.say('answers (1/s)', storm.rate);
  figures.say('answers', storm.answers);
  figures.say('refusals', storm.refusals);
  figures.say('longest answer (s)', storm.longest);
  figures.say('writes', storm.written.length);

  const over = seconds();
  await few.call(...WRITE);
  figures.say('writes again (s)', seconds() - over);
  const after = await few.storm(16, RECOVERY_SECONDS, () => READ);
  figures.say('reads again (of before)', after.rate / before.rate);

  let lost = 0;
  for (const transaction_hash of storm.written) {
    const { result } = await few.call('starknet_getTransactionStatus', { transaction_hash });
    const { execution_status } = Object(result);
    if (execution_status !== 'SUCCEEDED') lost += 1;
  }
  const balance = { address: '0xabc', block_id: 'latest' };
  const { result } = await few.call('devnet_getAccountBalance', balance);
  lost += Math.max(0, storm.written.length + 1 - Number(Object(result).amount));
  figures.say('lost writes', lost);
  few.close();
  child.disconnect();
  figures.finish({ connections: CONNECTIONS, seconds: SECONDS });
}

await (given.node ? runNode() : measure());
