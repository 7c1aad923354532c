import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from '../../src/json/json.js';
import { RunningCommand } from '../support/running-command.js';
import type { Ask } from './chain-contents.js';
import type { Answer } from './check-answer.js';
import { isRecord } from './mutation.js';
import type { Request } from './requests.js';

/** In bytes: more than classes need, and little enough to try. */
export const BODY_LIMIT = 1_000_000;
const LIMITS = ['--request-body-size-limit', String(BODY_LIMIT)];
/** The compiler is given half of it; all else takes moments. */
const PATIENCE_MILLISECONDS = 60_000;

export interface ChildNode {
  /** Sends a request over a connection that is kept. Rejects if there is no whole answer. */
  readonly throw: (request: Request) => Promise<Answer>;
  /** Asks for something that has to be answered with a result. */
  readonly ask: Ask;
  readonly isAlive: () => Promise<boolean>;
  /** What it said on stderr, but for what is no complaint. */
  readonly log: () => string;
  /** How many connections were made. */
  readonly connections: () => number;
  /** Ends it with a signal; its exit code, or the name of what ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | string | null>;
  /** Resolves when the process is gone, for whatever reason. */
  readonly gone: Promise<number | string | null>;
}

/** Starts the built command on a free port, in an empty folder. */
export async function startChild(args: readonly string[], lanes: number): Promise<ChildNode> {
  const cwd = mkdtempSync(join(tmpdir(), 'starkbox-fuzz-'));
  const command = await RunningCommand.start(['--seed', '0', ...LIMITS, ...args], { cwd });
  const gone = command.gone.finally(() => rmSync(cwd, { recursive: true, force: true }));
  const wire = new Wire(command.url, lanes);
  let id = 0;
  return {
    throw: (request) => wire.exchange(request),
    async ask(method, params) {
      id += 1;
      const body = stringify({ jsonrpc: '2.0', id, method, params });
      const headers = { 'content-type': 'application/json' };
      const sent = { kind: 'set-up', verb: 'POST', path: '/rpc', headers, body };
      const answer = parse((await wire.exchange(sent)).body);
      if (isRecord(answer) && 'result' in answer) return answer['result'];
      throw new Error(`${method} was to succeed: ${stringify(answer)}`);
    },
    async isAlive() {
      const sent = { kind: 'end', verb: 'GET', path: '/is_alive', headers: {}, body: '' };
      return (await wire.exchange(sent)).status === 200;
    },
    log: () => command.said.filter((line) => !/^\s*[\d.]+s INFO /.test(line)).join('\n'),
    connections: () => wire.connections,
    async stop(signal) {
      await command.stop(signal);
      wire.close();
      return gone;
    },
    gone,
  };
}

class Wire {
  readonly #agent: Agent;
  readonly #url: string;
  #connections = 0;

  constructor(url: string, lanes: number) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: lanes });
  }

  get connections(): number {
    return this.#connections;
  }

  close(): void {
    this.#agent.destroy();
  }

  exchange({ verb, path, headers, body }: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length =
        'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) };
      const outgoing = send(
        new URL(this.#url),
        {
          agent: this.#agent,
          method: verb,
          path,
          headers: { ...headers, ...length },
          timeout: PATIENCE_MILLISECONDS,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: incoming.statusCode ?? 0, body: text });
          });
        },
      );
      outgoing.on('socket', (socket) => {
        if (socket.connecting) this.#connections += 1;
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}
