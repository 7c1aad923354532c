// The replay command: repeats recorded requests on a node, and reports answers that differ.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { isConfigKey } from '../../config/options.js';
import { openRegular } from '../../files/regular-file.js';
import { parse, stringify } from '../../json/json.js';
import { isObject, type Members, membersOf } from '../../json/reader.js';
import { createNode } from '../../node/node.js';
import { HIDDEN } from '../../rpc/request-log/redaction.js';
import { Equivalence } from './equivalence.js';
import { counted, type Style } from './format.js';

/** Seconds by which the replay may be slower than the recording. */
const SLACK = 600;
/** Differences that are shown. */
const SHOWN = 20;
/** Characters of a value that are shown. */
const LONGEST = 300;

interface Difference {
  readonly line: number;
  readonly method: string;
  readonly path: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

/** Throws if an answer differs. */
export async function replay(
  file: string,
  { json, paint, url }: Style & { readonly url: string | undefined },
): Promise<string> {
  const lines = createInterface({
    input: createReadStream('', { fd: openRegular(file), encoding: 'utf8' }),
  })[Symbol.asyncIterator]();
  const about = objectIn((await lines.next()).value);
  if (typeof about['starkbox'] !== 'string') throw new Error(`${file} is no recording`);
  if (about['forked'] === true && url === undefined) {
    throw new Error(`${file} was recorded on a fork: start one like it, and give its --url`);
  }
  const node = url === undefined ? await createNode(configOf(about['options'])) : undefined;
  const target = url ?? (await node?.listen())?.url ?? '';
  const transport = new Transport(target);
  const differences: Difference[] = [];
  let count = 0;
  let leftOut = 0;
  try {
    const equivalence = new Equivalence(SLACK);
    await matchGenesis(transport, equivalence, membersOf(about['genesis']));
    for await (const line of { [Symbol.asyncIterator]: () => lines }) {
      if (line === '') continue;
      const { missing, ...values } = objectIn(line);
      if (typeof missing === 'number') leftOut += missing;
      if (missing !== undefined) continue;
      count += 1;
      if (stringify(values['request'] ?? values['request_text'])?.includes(HIDDEN)) {
        leftOut += 1;
        continue;
      }
      const difference = await repeat(transport, equivalence, values);
      if (difference) differences.push({ line: count + 1, ...difference });
    }
  } finally {
    transport.close();
    await node?.close();
  }
  const report = json
    ? `${stringify({ requests: count, differences, ...(leftOut === 0 ? {} : { left_out: leftOut }) })}\n`
    : shown(count, leftOut, differences, paint);
  if (differences.length > 0) throw new Error(report.trimEnd());
  return report;
}

function shown(
  count: number,
  leftOut: number,
  differences: readonly Difference[],
  paint: Style['paint'],
): string {
  const without =
    leftOut === 0 ? '' : `, ${leftOut} left out that the recording does not hold as a whole`;
  if (differences.length === 0) {
    return `${counted(count, 'request')}, all answered alike${without}\n`;
  }
  const cut = (value: unknown): string => (stringify(value) ?? 'nothing').slice(0, LONGEST);
  return [
    `${counted(differences.length, 'answer')} of ${count} differ${without}`,
    ...differences
      .slice(0, SHOWN)
      .flatMap(({ line, method, path, recorded, now }) => [
        paint('bold', `line ${line}: ${method}${path === '' ? '' : ` at ${path}`}`),
        `  recorded ${cut(recorded)}`,
        `  now      ${cut(now)}`,
      ]),
    '',
  ].join('\n');
}

/** The first blocks of both give the first pair of names, and the offset of all times. */
async function matchGenesis(
  transport: Transport,
  equivalence: Equivalence,
  genesis: Members,
): Promise<void> {
  const params = { block_id: { block_number: genesis['number'] } };
  const call = { jsonrpc: '2.0', id: 0, method: 'starknet_getBlockWithTxHashes', params };
  const { result } = objectIn(await transport.ask(undefined, stringify(call)));
  const { block_hash, timestamp } = membersOf(result);
  if (typeof genesis['hash'] === 'string' && typeof block_hash === 'string') {
    equivalence.addNames(genesis['hash'], block_hash);
  }
  equivalence.addTime(Number(genesis['timestamp']), Number(timestamp));
}

async function repeat(
  transport: Transport,
  equivalence: Equivalence,
  { socket, version, request, request_text, answer, answer_text }: Members,
): Promise<Omit<Difference, 'line'> | undefined> {
  const text = typeof request_text === 'string' ? request_text : stringify(request);
  const place = typeof socket === 'number' ? socket : undefined;
  const path = typeof version === 'string' ? `/rpc/${version}` : undefined;
  const isAnswered = answer !== undefined || answer_text !== undefined;
  const got = await transport.ask(place, equivalence.translate(text), isAnswered, path);
  const now = got === undefined || got === '' ? undefined : parse(got);
  const { method } = membersOf(request);
  const name = typeof method === 'string' ? method : 'a batch';
  if (/_subscribe/.test(name)) {
    const [old, id] = [answer, now].map((one) => membersOf(one)['result']);
    if (typeof old === 'string' && typeof id === 'string') equivalence.addNames(old, id);
  }
  const different = equivalence.difference([name], answer, now);
  return different === undefined
    ? undefined
    : { method: name, path: different, recorded: answer, now };
}

/** Transport of requests: HTTP, or one WebSocket for each one of the recording. */
class Transport {
  readonly #url: string;
  readonly #sockets = new Map<number, Promise<WebSocket>>();

  constructor(url: string) {
    this.#url = url;
  }

  /** @param path of a version of the specification */
  async ask(
    socket: number | undefined,
    text: string,
    isAnswered = true,
    path?: string,
  ): Promise<string | undefined> {
    if (socket !== undefined) return this.#askSocket(socket, text, isAnswered, path);
    const response = await fetch(path === undefined ? this.#url : new URL(path, this.#url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    return response.text();
  }

  async #askSocket(
    number: number,
    text: string,
    isAnswered: boolean,
    path: string | undefined,
  ): Promise<string | undefined> {
    const opening = this.#sockets.get(number) ?? this.#open(path);
    this.#sockets.set(number, opening);
    const socket = await opening;
    const answer = isAnswered ? nextAnswer(socket) : undefined;
    socket.send(text);
    return answer;
  }

  async #open(path: string | undefined): Promise<WebSocket> {
    const url = this.#url.replace(/^http/, 'ws');
    const socket = new WebSocket(
      path === undefined ? `${url.replace(/\/$/, '')}/ws` : new URL(`/ws${path}`, url),
    );
    await once(socket, 'open');
    return socket;
  }

  close(): void {
    for (const opening of this.#sockets.values()) {
      opening.then(
        (socket) => socket.terminate(),
        () => {},
      );
    }
  }
}

/** Skips notifications, which may come at any time. */
function nextAnswer(socket: WebSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    const take = (data: unknown): void => {
      const text = String(data);
      if (/^\{"jsonrpc":"2\.0","method":/.test(text)) return;
      socket.off('message', take);
      socket.off('close', end);
      resolve(text);
    };
    const end = (): void => reject(new Error('the node closed the WebSocket'));
    socket.on('message', take).on('close', end);
  });
}

/** Options that this version has; a recording may be of another version. */
function configOf(options: unknown): object {
  const known = Object.entries(membersOf(options)).filter(([key]) => isConfigKey(key));
  const { accountClass, dumpOn, ...rest }: Members = Object.fromEntries(known);
  const isCustom = typeof rest['accountClassCustom'] === 'string';
  return {
    ...rest,
    ...(isCustom ? {} : { accountClass }),
    // The file to dump to is not recorded.
    ...(dumpOn === undefined || dumpOn === null ? {} : { dumpOn: 'request' }),
    port: 0,
  };
}

/** The object in a JSON text; an empty one where it is something else. */
function objectIn(text: string | undefined): Members {
  const value = text === undefined ? undefined : parse(text);
  return isObject(value) ? value : {};
}
