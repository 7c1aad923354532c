// Hostile clients: their effect on a node with default options and on another client.
// Each attack runs against a new node in its own process, while another client, also in its own process, polls the number
// of the latest block.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, hex, STRK } from '../../packages/engine/test/fixtures/chain.js';
import { percentile } from '../figures.js';
import { Child, serve } from '../harness/child.js';
import { NodeProcess } from '../harness/node-process.js';
import { milliseconds } from '../harness/rounds.js';
import { RpcClient, rpcBody } from '../harness/rpc-client.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { callParams, deploymentOf } from '../harness/signed-requests.js';
import { statusOf } from '../harness/spawned-node.js';

const MEGABYTE = 2 ** 20;
const PEAK_MEGABYTES = 1536;
const P99_MILLISECONDS = 250;
const REVERTER = '0x4e7e47e4';

type AttackRun = Run<'idle-seconds' | 'execution-seconds' | 'unfinished-seconds'>;

/** The node under attack. */
interface Target {
  readonly process: NodeProcess;
  readonly client: RpcClient;
  readonly account: Account;
  readonly sizes: AttackRun['sizes'];
}

interface Answers {
  results: number;
  errors: number;
}

/** Prepares an attack on a node and returns it. */
type Attack = (target: Target) => (() => Promise<Answers>) | Promise<() => Promise<Answers>>;

// The other client.

let isPolling = true;

const bystander = {
  /** Sends requests in sequence until it is stopped. */
  async poll(url: string) {
    const client = new RpcClient(url, 1);
    const times: number[] = [];
    let wrong = 0;
    while (isPolling) {
      const read = async () => {
        const answer = await client.post(rpcBody('starknet_blockNumber')).catch(() => '');
        if (!/"result":\d+/.test(answer)) wrong += 1;
      };
      times.push(await milliseconds(read));
      await sleep(1);
    }
    return { p99: percentile(times, 0.99), wrong };
  },
  stop(): void {
    isPolling = false;
  },
};

// Attacks.

const ANSWER = /"id":(?:\d+|null),"(result|error)":/g;
/** Counts as an error. */
const CLOSED = '"id":null,"error":';

/** Counts answers per call; a closed connection counts as an error. */
async function countAnswers(texts: readonly Promise<string>[]): Promise<Answers> {
  const answers: Answers = { results: 0, errors: 0 };
  for (const text of await Promise.all(texts.map((answer) => answer.catch(() => CLOSED)))) {
    for (const [, kind] of text.matchAll(ANSWER)) {
      if (kind === 'result') answers.results += 1;
      else answers.errors += 1;
    }
  }
  return answers;
}

/** The same body on several connections at once. */
const together = (
  { client }: Target,
  count: number,
  body: string,
  timeout?: number,
): Promise<Answers> =>
  countAnswers(Array.from({ length: count }, () => client.post(body, {}, timeout)));

/** One body after the other. */
const inSequence =
  (bodies: readonly (string | Buffer)[]): Attack =>
  ({ client }) =>
  async () => {
    const answers: Answers = { results: 0, errors: 0 };
    for (const body of bodies) {
      const { results, errors } = await countAnswers([client.post(body, {})]);
      answers.results += results;
      answers.errors += errors;
    }
    return answers;
  };

const batch = (length: number, method: string, params: unknown): string =>
  `[${Array.from({ length }, (_, id) => rpcBody(method, params, id)).join()}]`;

/** Bodies of the default limit, and of several times as much. */
const large = (unit: string, end: string): readonly Buffer[] =>
  [15.9, 60].map((megabytes) =>
    Buffer.from(`[${unit.repeat((megabytes * MEGABYTE) / unit.length)}${end}`),
  );

const objectWithKeys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;

function estimate(sender_address: string, felts: number): string {
  const bound = { max_amount: '0x0', max_price_per_unit: '0x0' };
  const transaction = {
    type: 'INVOKE',
    version: '0x3',
    sender_address,
    calldata: Array.from({ length: felts }, (_, index) => hex(index)),
    signature: [],
    nonce: '0x0',
    resource_bounds: { l1_gas: bound, l2_gas: bound, l1_data_gas: bound },
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };
  return rpcBody('starknet_estimateFee', {
    request: [transaction],
    simulation_flags: ['SKIP_VALIDATE'],
    block_id: 'latest',
  });
}

/** Calls that use all available gas. */
const burnGas: Attack = async (target) => {
  const { client, sizes } = target;
  await client.call('devnet_applyStateDiff', await deploymentOf({ [REVERTER]: 'reverter' }));
  await client.call('devnet_createBlock');
  const params = callParams({ to: REVERTER, name: 'burn', calldata: ['0x3b9aca00'] });
  const call = rpcBody('starknet_call', params);
  return () => together(target, 64, call, sizes['execution-seconds'] * 1000);
};

/** Bodies that are never finished. */
const unfinishedBodies: Attack =
  ({ client, sizes }) =>
  async () => {
    const answers: Answers = { results: 0, errors: 0 };
    const part = Buffer.alloc(15 * MEGABYTE, 0x20);
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connect(Number(new URL(client.url).port), '127.0.0.1');
      socket
        .on('error', () => {})
        .on('data', (data) => {
          if (String(data).includes('"error":')) answers.errors += 1;
        });
      socket.write(
        `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${16 * MEGABYTE}\r\n\r\n`,
      );
      socket.write(part);
      return socket;
    });
    await sleep(sizes['unfinished-seconds'] * 1000);
    for (const socket of sockets) socket.destroy();
    return answers;
  };

const ATTACKS: Readonly<Record<string, Attack>> = {
  'answers of batches': (target) => () =>
    together(target, 14, batch(790, 'starknet_getClassAt', ['latest', STRK])),
  executions: burnGas,
  discover: inSequence([batch(1000, 'rpc.discover', [])]),
  felts: (target) => {
    const { address } = target.account;
    return inSequence([1_000_000, 10_000].map((count) => estimate(address, count)))(target);
  },
  objects: (target) => inSequence(large('{},', '{}]'))(target),
  brackets: (target) => inSequence(large('[', ']'))(target),
  keys: (target) => inSequence([1_000_000, 3_000_000, 299_000].map(objectWithKeys))(target),
  'unfinished bodies': unfinishedBodies,
};

// Measurement.

/** What happens to a node and to another client during an attack. */
async function observe({ process: node, client }: Target, work: () => Promise<Answers>) {
  const other = new Child<typeof bystander>(new URL(import.meta.url));
  const polling = other.call('poll', client.url);
  const memory = () => (statusOf(node.pid)?.kilobytes ?? 0) / 1024;
  let peak = memory();
  const sampling = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 20);
  let answers: Answers = { results: 0, errors: 0 };
  const elapsed = await milliseconds(async () => {
    answers = await work();
  });
  clearInterval(sampling);
  await other.call('stop');
  const { p99, wrong } = await polling;
  await other.end();
  return { ...answers, seconds: elapsed / 1000, peak, p99, wrong };
}

async function onNewNode<T>(run: AttackRun, work: (target: Target) => Promise<T>): Promise<T> {
  const process = new NodeProcess();
  run.defer(() => process.end());
  const { url, accounts } = await process.call('open', {});
  const [account] = accounts;
  if (!account) throw new Error('no account');
  const client = new RpcClient(url, Number.POSITIVE_INFINITY);
  try {
    return await work({ process, client, account, sizes: run.sizes });
  } finally {
    client.close();
    await process.end();
  }
}

async function attack(run: AttackRun, name: string, prepare: Attack): Promise<void> {
  await onNewNode(run, async (target) => {
    const work = await prepare(target);
    const observed = await observe(target, work);
    const { seconds, peak, results, errors, wrong, p99 } = observed;
    run.figures.sayAll({
      [`${name}: seconds`]: seconds,
      [`${name}: peak (MB)`]: peak,
      [`${name}: results`]: results,
      [`${name}: errors`]: errors,
      [`${name}: answers`]: results + errors,
      [`${name}: wrong beside it`]: wrong,
      [`${name}: p99 beside it (ms)`]: p99,
    });
  });
}

export const scenario = defineScenario({
  measures: 'memory of a node under hostile requests, and what another client notices',
  sizes: { 'idle-seconds': [3, 1], 'execution-seconds': [60, 4], 'unfinished-seconds': [15, 3] },
  options: { only: 'list' },
  async measure(run) {
    const idle = await onNewNode(run, async (target) => {
      const rest = async (): Promise<Answers> => {
        await sleep(run.sizes['idle-seconds'] * 1000);
        return { results: 0, errors: 0 };
      };
      await observe(target, rest);
      return observe(target, rest);
    });
    run.figures.say('idle p99 (ms)', idle.p99);
    const p99 = { atMost: Math.max(P99_MILLISECONDS, 5 * idle.p99), isNoisy: true };
    for (const [name, prepare] of run.chosen(Object.entries(ATTACKS), ([name]) => name)) {
      run.figures.bound({
        [`${name}: peak (MB)`]: { atMost: PEAK_MEGABYTES },
        [`${name}: answers`]: { atLeast: 1 },
        [`${name}: wrong beside it`]: { atMost: 0 },
        [`${name}: p99 beside it (ms)`]: p99,
      });
      await attack(run, name, prepare);
    }
    return undefined;
  },
});

serve(import.meta.url, bystander);
