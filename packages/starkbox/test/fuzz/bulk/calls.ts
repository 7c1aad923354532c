// Texts of calls on a chain, as targets: in the process, over HTTP and over a WebSocket, and the bytes of both protocols.
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { createChain, type LocalChain } from '../../../src/index.js';
import { type ChainContents, prepare } from '../chain-contents.js';
import { checkAnswer } from '../check-answer.js';
import { BODY_LIMIT } from '../child-node.js';
import { type Request, request } from '../requests.js';
import { Wire } from '../wire.js';
import { bytesOf, type Target } from './target.js';

/** They write files, read others, or connect elsewhere. */
const OUTSIDE = /_(dump|load|postmanLoad|restart|recordRequests)"/;
const GENERATED = 400;
const SEED = 77;
const LANES = 8;

const isHarmless = (input: Buffer): boolean =>
  input.length < BODY_LIMIT && !OUTSIDE.test(input.toString());
/** A subscription would notify among the answers. */
const isAnsweredOnce = (input: Buffer): boolean => isHarmless(input) && !input.includes('ubscri');

class Chain {
  readonly node: LocalChain;
  #contents: ChainContents;

  constructor(node: LocalChain, contents: ChainContents) {
    this.node = node;
    this.#contents = contents;
  }

  static async open(folder: string): Promise<Chain> {
    const node = await createChain({ seed: 0, port: 0, dumpDir: folder, logLevel: 'silent' });
    return new Chain(node, await contentsOf(node));
  }

  /** A request of the grammar. */
  generated(index: number): Buffer {
    return Buffer.from(this.#request(SEED + 1, index).body);
  }

  /** Texts of requests, to be mutated. */
  seeds(): readonly Buffer[] {
    const bodies: Buffer[] = [];
    for (let index = 0; bodies.length < GENERATED; index += 1) {
      const { body, kind } = this.#request(SEED, index);
      const isFit = typeof body === 'string' && body.length < 4000 && !OUTSIDE.test(body);
      if (isFit && kind !== 'http') bodies.push(bytesOf(body));
    }
    return bodies;
  }

  async restart(): Promise<void> {
    this.#contents = await contentsOf(this.node);
  }

  #request(seed: number, index: number): Request {
    return request({ seed, index, declares: false }, this.#contents);
  }
}

const contentsOf = (node: LocalChain): Promise<ChainContents> =>
  prepare((method, params) => node.requestRaw(method, params));

function posted(body: Buffer): Request {
  const headers = { 'content-type': 'application/json' };
  return { kind: 'bulk', verb: 'POST', path: '/rpc', headers, body };
}

/** The answers are checked as those of HTTP are. */
function checked(body: string, answer: string | undefined): string | undefined {
  const status = answer === undefined ? 204 : 200;
  return checkAnswer(posted(Buffer.from(body)), { status, body: answer ?? '' });
}

export async function callTargets(folder: string): Promise<readonly Target[]> {
  const chain = await Chain.open(folder);
  const url = new URL((await chain.node.listen()).url);
  const seeds = chain.seeds();
  const generate = (index: number): Buffer => chain.generated(index);
  const refresh = (): Promise<void> => chain.restart();
  const wire = new Wire(url.href, LANES);
  const socket = await Messages.open(`ws://${url.host}/ws`);
  return [
    {
      name: 'calls in the process',
      lanes: 1,
      seeds,
      fits: isHarmless,
      generate,
      refresh,
      async take(input) {
        const body = input.toString();
        return checked(body, await chain.node.handle(body));
      },
    },
    {
      name: 'requests over HTTP',
      lanes: LANES,
      seeds,
      fits: isHarmless,
      generate,
      refresh,
      take: async (input) => checkAnswer(posted(input), await wire.exchange(posted(input))),
    },
    {
      name: 'messages over a WebSocket',
      lanes: 1,
      seeds,
      fits: isAnsweredOnce,
      generate,
      refresh,
      async take(input) {
        const body = input.toString();
        const answers = (await socket.exchange(body)).filter((text) => !NOTIFICATION.test(text));
        return answers.length > 1 ? `${answers.length} answers` : checked(body, answers[0]);
      },
    },
    {
      name: 'bytes of HTTP',
      lanes: LANES,
      seeds: seeds.slice(0, 40).flatMap((body) => [plain(body), chunked(body)]),
      fits: isHarmless,
      take: async (input) => wrongStatus(await conversation(url, input)),
    },
    {
      name: 'frames of a WebSocket',
      lanes: LANES,
      seeds: seeds.filter(isAnsweredOnce).slice(0, 40).map(frames),
      fits: isHarmless,
      async take(input) {
        const answer = await conversation(url, Buffer.concat([UPGRADE, input]));
        return answer.startsWith('HTTP/1.1 101 ') ? undefined : `no upgrade: ${answer}`;
      },
      async close() {
        socket.close();
        wire.close();
        await chain.node.close();
      },
    },
  ];
}

/** Answers come in the order of the messages; after each follows a call that tells where it ends. */
const END = '{"jsonrpc":"2.0","id":"end","method":"starknet_specVersion"}';

const NOTIFICATION = /^\{"jsonrpc":"2\.0","method":/;

class Messages {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(url: string): Promise<Messages> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return new Messages(socket);
  }

  exchange(body: string): Promise<readonly string[]> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
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
      socket.send(END);
    });
  }

  close(): void {
    this.#socket.terminate();
  }
}

// Bytes of the protocols.

const HEAD = 'POST /rpc HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n';
const UPGRADE = bytesOf(
  'GET /ws HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
);

function plain(body: Buffer): Buffer {
  return Buffer.concat([bytesOf(`${HEAD}content-length: ${body.length}\r\n\r\n`), body]);
}

function chunked(body: Buffer): Buffer {
  const middle = Math.floor(body.length / 2);
  const chunk = (part: Buffer): Buffer =>
    Buffer.concat([bytesOf(`${part.length.toString(16)}\r\n`), part, bytesOf('\r\n')]);
  return Buffer.concat([
    bytesOf(`${HEAD}transfer-encoding: chunked\r\n\r\n`),
    chunk(body.subarray(0, middle)),
    chunk(body.subarray(middle)),
    bytesOf('0\r\n\r\n'),
  ]);
}

const TEXT_FRAME = 0x81;
const FIRST_PART = 0x01;
const LAST_PART = 0x80;
const PING = 0x89;
const CLOSE = 0x88;

/** With a mask of zeros, as a client has to mask. */
function frame(kind: number, content: Buffer): Buffer {
  const masked = 0x80;
  const length =
    content.length < 126
      ? Buffer.of(masked | content.length)
      : Buffer.of(masked | 126, content.length >> 8, content.length & 0xff);
  return Buffer.concat([Buffer.of(kind), length, Buffer.alloc(4), content]);
}

/** A ping, a message in two parts, a whole one, and the end. */
function frames(body: Buffer): Buffer {
  return Buffer.concat([
    frame(PING, bytesOf('ping')),
    frame(FIRST_PART, body.subarray(0, 20)),
    frame(LAST_PART, body.subarray(20)),
    frame(TEXT_FRAME, body),
    frame(CLOSE, Buffer.of(0x03, 0xe8)),
  ]);
}

/** Sends bytes over a connection of their own. @returns all that comes until the node closes it */
function conversation({ hostname, port }: URL, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket: Socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => socket.destroy());
    // The node may close it before it has read all.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.end(bytes);
  });
}

/** Undefined for one or more answers of HTTP, or a closed connection, without an error of the node's own. */
function wrongStatus(answer: string): string | undefined {
  if (answer === '') return undefined;
  if (!/^HTTP\/1\.1 [234]\d\d /.test(answer)) return `no answer of HTTP: ${answer}`;
  return answer.includes('-32603') ? `-32603: ${answer}` : undefined;
}
