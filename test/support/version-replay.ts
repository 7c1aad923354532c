// Replay of a recorded conversation on the paths of one version, with everything that is sent checked against its documents.
import { isObject, listOf, type Members, membersOf } from '@starkbox/abi/basics';
import {
  answerViolations,
  connectSocket,
  inWordsOf,
  type Socket,
  SPEC_VERSIONS,
  type SpecVersion,
  startNode,
} from '@starkbox/test-support';
import type { Config } from 'starkbox';
import { parse, stringify } from '../../packages/starkbox/src/json/json.js';
import { Equivalence } from './equivalence.js';
import type { RecordedCall } from './recording-proxy.js';

/** Methods with parameters that a version lacks, or that it lacks as a whole. A change of the chain is none of them. */
const MAY_BE_REFUSED: Readonly<Record<SpecVersion, ReadonlySet<string>>> = {
  v0_8: new Set([
    'starknet_subscribeEvents',
    'starknet_subscribeNewTransactions',
    'starknet_subscribeNewTransactionReceipts',
  ]),
  // Of several addresses.
  v0_9: new Set(['starknet_subscribeEvents']),
  v0_10: new Set(),
};

/** In it, every answer is as recorded. */
const NEWEST = SPEC_VERSIONS.at(-1);
/** Seconds by which the replay may be slower than the recording. */
const MAX_DELAY = 600;

/** Codes for what a version does not have. */
const REFUSALS: readonly unknown[] = [-32601, -32602];

export interface VersionReplay {
  /** Requests whose answers were checked; those of a batch count each. */
  readonly requests: number;
  /** Of them, those that the version refused because it lacks what they ask for. */
  readonly refused: number;
  readonly notifications: number;
  /** Faults, one line each. */
  readonly violations: readonly string[];
}

/**
 * Repeats all requests, in their order, on a fresh node.
 *
 * @param config of the recorded node
 */
export async function replayIn(
  version: SpecVersion,
  calls: readonly RecordedCall[],
  config: Partial<Config>,
): Promise<VersionReplay> {
  const { url, close } = await startNode({ ...config, listen: true });
  const replay = new Replay(version, url);
  try {
    for (const call of calls) await replay.repeat(call);
    return await replay.end();
  } finally {
    await close();
  }
}

class Replay {
  readonly #version: SpecVersion;
  readonly #url: string;
  /** By their numbers in the recording. */
  readonly #sockets = new Map<number, Promise<Socket>>();
  readonly #equivalence = new Equivalence(MAX_DELAY);
  readonly #violations: string[] = [];
  #requests = 0;
  #refused = 0;

  constructor(version: SpecVersion, url: string) {
    this.#version = version;
    this.#url = url;
  }

  async repeat({ socket, request, answer }: RecordedCall): Promise<void> {
    const here = parse(this.#equivalence.translate(stringify(request)));
    const calls = listOf(Array.isArray(here) ? here : [here]).map((call) =>
      inWordsOf(this.#version, membersOf(call)),
    );
    const requests = calls.map((call) => call.request);
    const text = stringify(Array.isArray(here) ? requests : requests[0]) ?? '';
    const answered = await this.#ask(socket, text);
    this.#requests += calls.length;
    for (const fault of await answerViolations(text, answered, this.#version)) this.#report(fault);
    const now = parse(answered);
    for (const { request: call } of calls) {
      this.#addSubscription(answerTo(call, answer), answerTo(call, now));
    }
    // Older versions need the names that it adds.
    const methods = calls.map(({ request: call }) => String(call['method']));
    const difference = this.#equivalence.difference(methods, answer, now);
    if (this.#version === NEWEST && difference !== undefined) {
      this.#report(`${methods} differs at ${difference}: ${stringify(now)}, ${stringify(answer)}`);
    }
    for (const { request: call, obstacles } of calls) {
      const method = String(call['method']);
      this.#compare(method, obstacles, answerTo(call, answer), answerTo(call, now));
    }
  }

  async #ask(socket: number | undefined, text: string): Promise<string> {
    if (socket !== undefined) {
      const opening = this.#sockets.get(socket) ?? connectSocket(this.#url, this.#version);
      this.#sockets.set(socket, opening);
      return (await opening).exchange(text);
    }
    const headers = { 'content-type': 'application/json' };
    const path = new URL(`/rpc/${this.#version}`, this.#url);
    const response = await fetch(path, { method: 'POST', headers, body: text });
    return response.text();
  }

  /** Ids of subscriptions are random. */
  #addSubscription({ result: old }: Members, { result: now }: Members): void {
    if (typeof old !== 'string' || typeof now !== 'string' || !/^\d{10,}$/.test(old)) return;
    this.#equivalence.addNames(old, now);
  }

  /** A result stays a result and an error keeps its code, unless the version lacks what is asked for. */
  #compare(method: string, obstacles: readonly string[], before: Members, after: Members): void {
    const [old, now] = [before, after].map(({ error }) => membersOf(error)['code']);
    if (REFUSALS.includes(now) && now !== old) {
      this.#refused += 1;
      if (obstacles.length > 0 && MAY_BE_REFUSED[this.#version].has(method)) return;
      this.#report(`${method} was refused: ${stringify(after['error'])}; ${obstacles.join(', ')}`);
    } else if (now !== old) {
      this.#report(`${method} answers ${stringify(after)} in place of ${stringify(before)}`);
    }
  }

  async end(): Promise<VersionReplay> {
    let notifications = 0;
    for (const opening of this.#sockets.values()) {
      const socket = await opening;
      try {
        notifications += (await socket.heard()).length;
        await socket.close();
      } catch (error) {
        this.#report(String(error));
      }
    }
    const [requests, refused, violations] = [this.#requests, this.#refused, this.#violations];
    return { requests, refused, notifications, violations };
  }

  #report(fault: string): void {
    this.#violations.push(`${this.#version}: ${fault}`);
  }
}

/** The answer to one call, which may be one of a batch. */
function answerTo({ id }: Members, answer: unknown): Members {
  if (!Array.isArray(answer)) return membersOf(answer);
  return membersOf(answer.find((response) => isObject(response) && response['id'] === id));
}
