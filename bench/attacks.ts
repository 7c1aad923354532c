// Benchmark of hostile clients: their effect on a node with default options and on another client.
//
//   npm run bench:attacks              all attacks, with bounds on times
//   npm run bench:attacks -- --quick   shorter, with bounds on memory and answers only
//
// Each attack runs against a new node in its own process, while another client, also in its own
// process, polls the number of the latest block. Prints each figure with its bound, then one line
// of JSON. Exits 1 if a bound is broken.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Class } from '@starkbox/engine';
import { createNode } from 'starkbox';
import { Account, CallData, hash, json, logger, RpcProvider } from 'starknet';
import { STRK } from '../packages/engine/test/fixtures/chain.js';
import { Figures } from './figures.js';

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Only attacks whose names contain this. */
    only: { type: 'string', default: '' },
    /** Runs the node; used in a child process. */
    node: { type: 'boolean', default: false },
    /** Runs the other client of the node at this address; used in a child process. */
    bystander: { type: 'string' },
  },
});

const MEGABYTE = 2 ** 20;
const PEAK_MEGABYTES = 1536;
const P99_MILLISECONDS = 250;
const IDLE_SECONDS = given.quick ? 1 : 3;
/** Time after which the clients of executions disconnect. */
const PATIENCE_SECONDS = given.quick ? 4 : 60;
/** Headers of a page of another origin. */
const FOREIGN = { origin: 'https://hostile.example' };

async function runNode(): Promise<void> {
  const node = await createNode({ seed: 0, port: 0 });
  const { url } = await node.listen();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const [first] = node.accounts;
  process.on('message', () => {
    process.send?.({ turn: delay.max / 1e6 });
    delay.reset();
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ url, address: first?.address, key: first?.privateKey });
}

const milliseconds = (): number => {
  const [whole, nanoseconds] = process.hrtime();
  return whole * 1e3 + nanoseconds / 1e6;
};

interface Tally {
  results: number;
  errors: number;
}

type Attacking = () => Promise<Tally>;

function post(
  url: string,
  body: string | Buffer,
  agent?: Agent,
  seconds?: number,
): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(agent ? {} : FOREIGN),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers, ...(agent ? { agent } : {}) },
      (response) => text(response).then(resolve, reject),
    );
    sent.on('error', reject).end(body);
    if (seconds !== undefined) setTimeout(() => sent.destroy(), seconds * 1e3).unref();
  });
}

const ANSWER = /"id":(?:\d+|null),"(result|error)":/g;
/** Counts as an error. */
const GONE = '"id":null,"error":';

/** Counts answers per call; a closed connection counts as an error. */
async function tally(answers: readonly Promise<string>[]): Promise<Tally> {
  const counted: Tally = { results: 0, errors: 0 };
  for (const said of await Promise.all(answers.map((one) => one.catch(() => GONE)))) {
    for (const [, kind] of said.matchAll(ANSWER)) {
      if (kind === 'result') counted.results += 1;
      else counted.errors += 1;
    }
  }
  return counted;
}

const call = (method: string, params: unknown, id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

const batch = (length: number, method: string, params: unknown): string =>
  `[${Array.from({ length }, (_, id) => call(method, params, id)).join()}]`;

/** The default limit of a body, and several times as much. */
const sizes = (unit: string, close: string): readonly Buffer[] =>
  [15.9, 60].map((megabytes) =>
    Buffer.from(`[${unit.repeat((megabytes * MEGABYTE) / unit.length)}${close}`),
  );

const feltsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `0x${index.toString(16)}`);

function estimate(sender: string, felts: number): string {
  const bound = { max_amount: '0x0', max_price_per_unit: '0x0' };
  const transaction = {
    type: 'INVOKE',
    version: '0x3',
    sender_address: sender,
    calldata: feltsOf(felts),
    signature: [],
    nonce: '0x0',
    resource_bounds: { l1_gas: bound, l2_gas: bound, l1_data_gas: bound },
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };
  return call('starknet_estimateFee', {
    request: [transaction],
    simulation_flags: ['SKIP_VALIDATE'],
    block_id: 'latest',
  });
}

/** Bodies that are never finished. */
async function unfinished(url: string): Promise<Tally> {
  const { port } = new URL(url);
  const counted: Tally = { results: 0, errors: 0 };
  const part = Buffer.alloc(15 * MEGABYTE, 0x20);
  const sockets = Array.from({ length: 40 }, () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket
      .on('error', () => {})
      .on('data', (data) => {
        if (String(data).includes('"error":')) counted.errors += 1;
      });
    socket.write(
      `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${16 * MEGABYTE}\r\n\r\n`,
    );
    socket.write(part);
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, given.quick ? 3_000 : 15_000));
  for (const socket of sockets) socket.destroy();
  return counted;
}

interface Attack {
  readonly name: string;
  readonly prepare: (target: Target) => Attacking | Promise<Attacking>;
}

/** One body after the other. */
const oneByOne =
  (bodies: readonly (string | Buffer)[]) =>
  ({ url }: Target): Attacking =>
  async () => {
    const counted: Tally = { results: 0, errors: 0 };
    for (const body of bodies) {
      const { results, errors } = await tally([post(url, body)]);
      counted.results += results;
      counted.errors += errors;
    }
    return counted;
  };

const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;

/** Calls that use all available gas. */
async function burning({ url, address, key }: Target): Promise<Attacking> {
  const request = {
    contract_address: await deployReverter(url, address, key),
    entry_point_selector: hash.getSelectorFromName('burn'),
    calldata: ['0x3b9aca00'],
  };
  const burn = call('starknet_call', { request, block_id: 'latest' });
  return () =>
    tally(Array.from({ length: 64 }, () => post(url, burn, undefined, PATIENCE_SECONDS)));
}

function batches({ url }: Target): Attacking {
  const classes = batch(790, 'starknet_getClassAt', ['latest', STRK]);
  return () => tally(Array.from({ length: 14 }, () => post(url, classes)));
}

const ATTACKS: readonly Attack[] = [
  { name: 'answers of batches', prepare: batches },
  { name: 'executions', prepare: burning },
  { name: 'discover', prepare: oneByOne([batch(1000, 'rpc.discover', [])]) },
  {
    name: 'felts',
    prepare: (target) =>
      oneByOne([1_000_000, 10_000].map((count) => estimate(target.address, count)))(target),
  },
  { name: 'objects', prepare: oneByOne(sizes('{},', '{}]')) },
  { name: 'brackets', prepare: oneByOne(sizes('[', ']')) },
  { name: 'keys', prepare: oneByOne([1_000_000, 3_000_000, 299_000].map(keys)) },
  {
    name: 'unfinished bodies',
    prepare:
      ({ url }) =>
      () =>
        unfinished(url),
  },
];

/** The other client: sends requests in sequence until a message stops it, then reports. */
async function runBystander(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const question = call('starknet_blockNumber', []);
  const times: number[] = [];
  let wrong = 0;
  let isOn = true;
  process.once('message', () => {
    isOn = false;
  });
  while (isOn) {
    const begin = milliseconds();
    const answer = await post(url, question, agent).catch(() => '');
    times.push(milliseconds() - begin);
    if (!/"result":\d+/.test(answer)) wrong += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  agent.destroy();
  times.sort((one, other) => one - other);
  process.send?.({ p99: times[Math.floor(times.length * 0.99)], wrong });
  process.disconnect();
}

/** Resident memory of a process, in megabytes. */
function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

async function deployReverter(url: string, address: string, key: string): Promise<string> {
  logger.setLogLevel('ERROR');
  const file = new URL('../../../../contracts/cairo/reverter.sierra.json', import.meta.url);
  const sierra = readFileSync(file, 'utf8');
  const { hash: classHash, compiledClassHash = '' } = await Class.compile(sierra);
  const provider = new RpcProvider({ nodeUrl: url, transactionRetryIntervalFallback: 10 });
  const account = new Account({ provider, address, signer: key });
  const contract = json.parse(sierra);
  const constructorCalldata = new CallData(contract.abi).compile('constructor', []);
  const { deploy } = await account.declareAndDeploy({
    contract,
    classHash,
    compiledClassHash,
    constructorCalldata,
  });
  return deploy.contract_address;
}

/** Observations of a node during an attack. */
async function observed({ url, pid }: Target, work: () => Promise<Tally>) {
  const bystander = fork(fileURLToPath(import.meta.url), ['--bystander', url]);
  let peak = residentMegabytes(pid);
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(pid));
  }, 20);
  const begin = milliseconds();
  const counted = await work();
  const took = milliseconds() - begin;
  clearInterval(sampling);
  bystander.send('stop');
  const [{ p99, wrong }] = await once(bystander, 'message');
  return { ...counted, took, peak, p99, wrong };
}

/** The node under attack. */
interface Target {
  readonly url: string;
  readonly pid: number;
  /** A predeployed account. */
  readonly address: string;
  readonly key: string;
  /** Longest turn of its event loop since the last query, in milliseconds. */
  longestTurn(): Promise<number>;
  end(): void;
}

async function startTarget(): Promise<Target> {
  const child = fork(fileURLToPath(import.meta.url), ['--node']);
  const { pid = 0 } = child;
  const [{ url, address, key }] = await once(child, 'message');
  const longestTurn = async (): Promise<number> => {
    child.send('turn');
    const [{ turn }] = await once(child, 'message');
    return turn;
  };
  return { url, pid, address, key, longestTurn, end: () => child.disconnect() };
}

const rest = async (): Promise<Tally> => {
  await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1e3));
  return { results: 0, errors: 0 };
};

async function measure(): Promise<void> {
  const attacks = ATTACKS.filter(({ name }) => name.includes(given.only));
  const quiet = await startTarget();
  await observed(quiet, rest);
  const idle = await observed(quiet, rest);
  quiet.end();
  const p99 = { atMost: Math.max(P99_MILLISECONDS, 5 * idle.p99), isNoisy: true };
  const figures = new Figures(
    Object.fromEntries(
      attacks.flatMap(({ name }) => [
        [`${name}: peak (MB)`, { atMost: PEAK_MEGABYTES }],
        [`${name}: answers`, { atLeast: 1 }],
        [`${name}: wrong beside it`, { atMost: 0 }],
        [`${name}: p99 beside it (ms)`, p99],
      ]),
    ),
    { quick: given.quick },
  );
  figures.say('idle p99 (ms)', idle.p99);
  for (const { name, prepare } of attacks) {
    const target = await startTarget();
    const attack = await prepare(target);
    await target.longestTurn();
    const seen = await observed(target, attack);
    figures.say(`${name}: seconds`, seen.took / 1e3);
    figures.say(`${name}: peak (MB)`, seen.peak);
    figures.say(`${name}: longest turn (ms)`, await target.longestTurn());
    figures.say(`${name}: results`, seen.results);
    figures.say(`${name}: errors`, seen.errors);
    figures.say(`${name}: answers`, seen.results + seen.errors);
    figures.say(`${name}: wrong beside it`, seen.wrong);
    figures.say(`${name}: p99 beside it (ms)`, seen.p99);
    target.end();
  }
  figures.finish({ quick: given.quick });
}

if (given.node) await runNode();
else if (given.bystander !== undefined) await runBystander(given.bystander);
else await measure();
