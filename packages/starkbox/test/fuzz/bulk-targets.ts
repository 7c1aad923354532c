// What reads input from outside, as targets of bulk fuzzing: its valid inputs, and the errors that it may answer with.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { Class } from '@starkbox/engine';
import { WebSocket } from 'ws';
import { recordOf } from '../../src/chain/history/packed-block.js';
import { readConfigFile } from '../../src/config/file.js';
import { UsageError } from '../../src/config/option.js';
import { readSources } from '../../src/config/source.js';
import { readImage } from '../../src/dump/image/read.js';
import { ImageError, sourceOfBytes } from '../../src/dump/image/source.js';
import { parseJournal } from '../../src/dump/journal.js';
import { RpcError } from '../../src/errors.js';
import { LockFile } from '../../src/fork/origin/lock-file.js';
import { createNode, type Starkbox } from '../../src/index.js';
import { stringify } from '../../src/json/json.js';
import { IdentityError, identityFrom } from '../../src/store/directory/identity.js';
import { type Change, changed, partsOf } from '../dump/image/sections.js';
import { type Known, prepare } from './chain-contents.js';
import { checkAnswer } from './check-answer.js';
import { BODY_LIMIT } from './child-node.js';
import { type Request, request } from './requests.js';

export interface Target {
  readonly name: string;
  /** Valid inputs, which are mutated. */
  readonly seeds: readonly Buffer[];
  /** How many inputs are tried at once. */
  readonly lanes: number;
  /** What is wrong with how an input was taken; undefined if nothing is. */
  readonly take: (input: Buffer) => Promise<string | undefined>;
  /** Whether an input may be tried; others do not count. */
  readonly fits?: (input: Buffer) => boolean;
  /** Another valid input of the grammar, if there is one. */
  readonly generate?: (index: number) => Buffer;
  readonly refresh?: () => Promise<void>;
  readonly close?: () => Promise<void>;
}

const text = (value: string): Buffer => Buffer.from(value);

/** An error of the kind that its users see is right; any other is a fault. */
function judged(error: unknown, isForeseen: (error: Error) => boolean): string | undefined {
  if (error instanceof Error && isForeseen(error)) return undefined;
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}

async function outcome(
  run: () => unknown,
  isForeseen: (error: Error) => boolean,
): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return judged(error, isForeseen);
  }
}

// Calls.

/** They write files, read others, or connect elsewhere. */
const OUTSIDE = /_(dump|load|postmanLoad|restart|recordRequests)"/;
const GENERATED = 400;
const isHarmless = (input: Buffer): boolean =>
  input.length < BODY_LIMIT && !OUTSIDE.test(input.toString());

interface Chain {
  readonly node: Starkbox;
  known: Known;
}

async function openChain(folder: string): Promise<Chain> {
  const node = await createNode({ seed: 0, port: 0, dumpDir: folder, logLevel: 'silent' });
  const known = await prepare((method, params) => node.call(method, params));
  return { node, known };
}

const SEED = 77;

function wireOf(body: string): Request {
  const headers = { 'content-type': 'application/json' };
  return { kind: 'bulk', verb: 'POST', path: '/rpc', headers, body };
}

/** Texts of requests; the answers are checked as those of HTTP are. */
function callsOf(chain: Chain): readonly Buffer[] {
  const bodies: Buffer[] = [];
  for (let index = 0; bodies.length < GENERATED; index += 1) {
    const { body, kind } = request({ seed: SEED, index, declares: false }, chain.known);
    const isFit = typeof body === 'string' && body.length < 4000 && !OUTSIDE.test(body);
    if (isFit && kind !== 'http') bodies.push(text(String(body)));
  }
  return bodies;
}

function checked(body: string, answer: string | undefined): string | undefined {
  const status = answer === undefined ? 204 : 200;
  return checkAnswer(wireOf(body), { status, body: answer ?? '' });
}

export async function callTarget(folder: string): Promise<Target> {
  const chain = await openChain(folder);
  return {
    name: 'calls in the process',
    lanes: 1,
    seeds: callsOf(chain),
    fits: isHarmless,
    generate: (index) => {
      const { body } = request({ seed: SEED + 1, index, declares: false }, chain.known);
      return Buffer.from(body);
    },
    async take(input) {
      const body = input.toString();
      return checked(body, await chain.node.handle(body));
    },
    async refresh() {
      chain.known = await prepare((method, params) => chain.node.call(method, params));
    },
    close: () => chain.node.close(),
  };
}

/** Batches of calls over HTTP, single ones over a WebSocket. */
export async function wireTargets(folder: string): Promise<readonly Target[]> {
  const chain = await openChain(folder);
  const { url } = await chain.node.listen();
  const seeds = callsOf(chain);
  const socket = new WebSocket(`${url.replace(/^http/, 'ws').replace(/\/(rpc)?$/, '')}/ws`);
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  // Answers come in the order of the messages; after each follows a call that tells where it ends.
  const end = '{"jsonrpc":"2.0","id":"end","method":"starknet_specVersion"}';
  const post = async (body: Buffer): Promise<string | undefined> => {
    const response = await fetch(`${url.replace(/\/(rpc)?$/, '')}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array(body),
    });
    const answer = await response.text();
    return checkAnswer(wireOf(body.toString()), { status: response.status, body: answer });
  };
  const send = (body: string): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const answers: string[] = [];
      const take = (data: unknown): void => {
        const answer = String(data);
        if (!answer.includes('"id":"end"')) answers.push(answer);
        else {
          socket.off('message', take);
          socket.off('close', gone);
          resolve(answers);
        }
      };
      const gone = (code: number): void => reject(new Error(`the socket was closed: ${code}`));
      socket.on('message', take);
      socket.on('close', gone);
      socket.send(body);
      socket.send(end);
    });
  return [
    {
      name: 'requests over HTTP',
      lanes: 4,
      seeds,
      fits: isHarmless,
      take: post,
    },
    {
      name: 'messages over a WebSocket',
      lanes: 1,
      seeds,
      // A subscription would notify among the answers.
      fits: (input) => isHarmless(input) && !input.includes('ubscri'),
      async take(input) {
        const body = input.toString();
        const answers = (await send(body)).filter((one) => !one.includes('"method":'));
        return answers.length > 1 ? `${answers.length} answers` : checked(body, answers[0]);
      },
      async close() {
        socket.terminate();
        await chain.node.close();
      },
    },
  ];
}

// Files.

const IMAGE = new URL('../dump/image/first.image', import.meta.url);

export async function fileTargets(folder: string): Promise<readonly Target[]> {
  const image = readFileSync(IMAGE);
  const parts = await partsOf(image);
  // Under right checksums, so that what a section holds is read.
  const section = (name: string, seed: Uint8Array, change: (input: Buffer) => Change): Target => ({
    name: `${name} of images`,
    lanes: 1,
    seeds: [Buffer.from(seed)],
    take: async (input) => {
      const whole = await changed(parts, change(input));
      const isForeseen = (error: Error): boolean => error instanceof ImageError;
      return outcome(() => readImage(sourceOfBytes(whole)), isForeseen);
    },
  });
  const [record = Buffer.of()] = parts.blocks.slice(-1).map(recordOf);
  const records = parts.blocks.slice(0, -1).map(recordOf);
  const classes = fileURLToPath(new URL('../../../engine/classes/', import.meta.url));
  const packed = readdirSync(classes)
    .filter((name) => name.endsWith('.class'))
    .slice(0, 3)
    .map((name) => readFileSync(join(classes, name)));
  const config = join(folder, 'starkbox.config.json');
  const lock = join(folder, 'fork.lock.json');
  return [
    {
      name: 'images',
      lanes: 1,
      seeds: [image],
      take: (input) =>
        outcome(
          () => readImage(sourceOfBytes(input)),
          (error) => error instanceof ImageError,
        ),
    },
    section('moments', text(JSON.stringify(parts.moment)), (input) => ({
      moment: input.toString(),
    })),
    section('states', parts.others.get('state') ?? Buffer.of(), (input) => ({ state: input })),
    section('blocks', record, (input) => ({ records: [...records, input] })),
    {
      name: 'journals',
      lanes: 1,
      seeds: [text(JOURNAL), text('[]')],
      take: (input) =>
        outcome(
          () => parseJournal(input.toString()),
          (error) => error instanceof RpcError,
        ),
    },
    {
      name: 'lock files',
      lanes: 1,
      seeds: [text(lockText())],
      take: (input) => {
        writeFileSync(lock, input);
        return outcome(
          () => LockFile.open(lock),
          (error) => error.constructor === Error && error.message.includes(lock),
        );
      },
    },
    {
      name: 'config files',
      lanes: 1,
      seeds: CONFIGS.map(text),
      take: (input) => {
        writeFileSync(config, input);
        return outcome(
          async () => {
            const file = await readConfigFile(folder, 'starkbox.config.json');
            if (file) readSources([file.source]);
          },
          (error) => error instanceof UsageError,
        );
      },
    },
    {
      name: 'identities of data directories',
      lanes: 1,
      seeds: [text(IDENTITY)],
      take: (input) =>
        outcome(
          () => identityFrom(input.toString()),
          (error) => error instanceof IdentityError,
        ),
    },
    {
      name: 'packed classes of the engine',
      lanes: 1,
      seeds: packed,
      take: (input) =>
        outcome(
          () => Class.unpack(input),
          (error) => error.name === 'EngineError',
        ),
    },
  ];
}

const JOURNAL =
  '[{"jsonrpc":"2.0","id":1,"method":"devnet_mint","params":{"address":"0x1","amount":5}},{"jsonrpc":"2.0","method":"devnet_createBlock","id":"a"},{"method":"devnet_setTime","jsonrpc":"1.0","params":[1,true],"id":null}]';
const IDENTITY = `${JSON.stringify({
  format: 2,
  id: '5f0c2b7d9a1e4c36',
  birth: { seed: '0', accounts: '10', chainId: 'SN_SEPOLIA', fork: null },
})}\n`;
const CONFIGS = [
  '{"seed":0,"accounts":3,"initialBalance":1000000000000000000000,"blockGenerationOn":"demand","timeout":"2m"}',
  '{"port":0,"host":"127.0.0.1","chainId":"SN_MAIN","stateArchive":"none","liteMode":true,"maximumSnapshots":7}',
  '{"block_generation_on":5,"gas_price_wei":1,"dumpOn":"exit","dumpPath":"x.json","mempoolOrder":"tip"}',
];

function lockText(): string {
  return stringify({
    version: 1,
    chain_id: '0x534e5f5345504f4c4941',
    block: { block_number: 5, block_hash: '0x1', timestamp: 3 },
    options: { seed: 1, accounts: 2, account_class: 'cairo1' },
    reads: { 'nonce 0x1': '0x0', 'slot 0x1 0x2': '0x3' },
    classes: { '0x5': deflateSync('{"a":1}').toString('base64') },
  });
}
