// The built command under test, and requests to it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { parse, stringify } from '../../src/json/json.js';
import type { Ask } from './chain-contents.js';
import type { Answer } from './check-answer.js';
import { isRecord } from './mutation.js';
import type { Request } from './requests.js';
import { Wire } from './wire.js';

/** In bytes: more than classes need, and little enough to try. */
export const BODY_LIMIT = 1_000_000;
const LIMITS = ['--request-body-size-limit', String(BODY_LIMIT)];

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
      const request = { kind: 'set-up', verb: 'POST', path: '/rpc', headers, body };
      const answer = parse((await wire.exchange(request)).body);
      if (isRecord(answer) && 'result' in answer) return answer['result'];
      throw new Error(`${method} was to succeed: ${stringify(answer)}`);
    },
    async isAlive() {
      const request = { kind: 'end', verb: 'GET', path: '/is_alive', headers: {}, body: '' };
      return (await wire.exchange(request)).status === 200;
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
