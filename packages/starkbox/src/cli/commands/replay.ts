// The replay command: repeats recorded requests on a node, and reports answers that differ.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { counted, fitted } from '@starkbox/abi/basics';
import { WebSocket } from 'ws';
import { longName } from '../../config/option.js';
import { isConfigKey, OPTIONS } from '../../config/options.js';
import { openRegular } from '../../files/regular-file.js';
import { parse, stringify } from '../../json/json.js';
import { isObject, type Members, membersOf } from '../../json/reader.js';
import { createChain } from '../../node/node.js';
import { showing } from '../../probe.js';
import { externalMethodInText } from '../../rpc/request-log/recording.js';
import { HIDDEN } from '../../rpc/request-log/redaction.js';
import { Equivalence } from './equivalence.js';
import { DifferenceFound, type Style } from './format.js';

/** Seconds by which the replay may be slower than the recording. */
const SLACK = 600;
/** Differences that are shown. */
const SHOWN = 20;
/** Characters of a value that are shown. */
const LONGEST = 300;

/** Options of the command line. */
interface LocalOptions {
  /** Of a running node. */
  readonly url: string | undefined;
  /** The file of the class of accounts. */
  readonly accountClass: string | undefined;
}

interface Difference {
  readonly line: number;
  readonly method: string;
  readonly path: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

/**
 * Repeats a recording. It may come from other people: it sets only options that are portable, and no request in it
 * reaches a file or another host.
 *
 * @throws DifferenceFound if an answer differs
 */
export async function replay(
  file: string,
  { json, paint, width, progress, url, accountClass }: Style & LocalOptions,
): Promise<string> {
  const { about, total } = await showing(progress, `checking ${file}`, () => checkRecording(file));
  const node =
    url === undefined ? await createChain(configOf(file, about, accountClass)) : undefined;
  const target = url ?? (await node?.listen())?.url ?? '';
  const transport = new Transport(target);
  const end = progress?.begin(`replaying ${file}`);
  const differences: Difference[] = [];
  let count = 0;
  let leftOut = 0;
  try {
    const equivalence = new Equivalence(SLACK);
    await matchGenesis(transport, equivalence, membersOf(about['genesis']));
    for await (const { line, values } of requestsIn(file)) {
      if (typeof values['missing'] === 'number') leftOut += values['missing'];
      if (values['missing'] !== undefined) continue;
      count += 1;
      progress?.detail(`request ${count} of ${total}`);
      if (requestText(values).includes(HIDDEN)) {
        leftOut += 1;
        continue;
      }
      const difference = await repeat(transport, equivalence, { file, line, values });
      if (difference) differences.push({ line, ...difference });
    }
  } finally {
    end?.();
    transport.close();
    await node?.close();
  }
  const report = json
    ? `${stringify({ requests: count, differences, ...(leftOut === 0 ? {} : { left_out: leftOut }) })}\n`
    : fitted(summaryText(count, leftOut, differences, paint), width);
  if (differences.length > 0) throw new DifferenceFound(report.trimEnd());
  return report;
}

/** Checks all requests before the first one is made. @returns the facts in the first line, and the number of requests */
async function checkRecording(
  file: string,
): Promise<{ readonly about: Members; readonly total: number }> {
  const { value: first } = await linesIn(file).next();
  const about = objectIn(first);
  if (typeof about['starkbox'] !== 'string')
    throw new Error(`${file} is not a recording: write one with --record-requests`);
  let total = 0;
  for await (const { line, values } of requestsIn(file)) {
    rejectExternal(file, line, requestText(values));
    if (values['missing'] === undefined) total += 1;
  }
  return { about, total };
}

/** Throws for a request that reaches a file or another host. */
function rejectExternal(file: string, line: number, text: string): void {
  const method = externalMethodInText(text);
  if (method === undefined) return;
  throw new Error(
    `line ${line} of ${file} calls ${method}, which reaches a file or another host: replay rejects such calls. Remove the line`,
  );
}

interface RecordedRequest {
  /** Counted from 1. */
  readonly line: number;
  readonly values: Members;
}

async function* requestsIn(file: string): AsyncGenerator<RecordedRequest> {
  let line = 0;
  for await (const text of linesIn(file)) {
    line += 1;
    if (line > 1 && text !== '') yield { line, values: objectIn(text) };
  }
}

async function* linesIn(file: string): AsyncGenerator<string> {
  const input = createReadStream('', { fd: openRegular(file), encoding: 'utf8' });
  try {
    yield* createInterface({ input });
  } finally {
    input.destroy();
  }
}

function requestText({ request, request_text }: Members): string {
  return typeof request_text === 'string' ? request_text : stringify(request);
}

function summaryText(
  count: number,
  leftOut: number,
  differences: readonly Difference[],
  paint: Style['paint'],
): string {
  const without =
    leftOut === 0 ? '' : `; ${counted(leftOut, 'incomplete request')} in the recording skipped`;
  if (differences.length === 0) {
    return `${counted(count, 'request')}, all responses equal${without}\n`;
  }
  const cut = (value: unknown): string => (stringify(value) ?? 'nothing').slice(0, LONGEST);
  return [
    `${differences.length} of ${counted(count, 'response')} ${differences.length === 1 ? 'differs' : 'differ'}${without}`,
    ...differences
      .slice(0, SHOWN)
      .flatMap(({ line, method, path, recorded, now }) => [
        paint('bold', `line ${line}: ${method}${path === '' ? '' : ` at ${path}`}`),
        `  recorded ${cut(recorded)}`,
        `  now      ${cut(now)}`,
      ]),
    ...(differences.length > SHOWN
      ? [`and ${differences.length - SHOWN} more; --json prints all of them`]
      : []),
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
  { file, line, values }: RecordedRequest & { readonly file: string },
): Promise<Omit<Difference, 'line'> | undefined> {
  const { socket, version, request, answer, answer_text } = values;
  const text = equivalence.translate(requestText(values));
  // The translation puts words of answers into the text.
  rejectExternal(file, line, text);
  const socketId = typeof socket === 'number' ? socket : undefined;
  const isVersion = typeof version === 'string' && /^v\d+_\d+$/.test(version);
  const path = isVersion ? `/rpc/${version}` : undefined;
  const isAnswered = answer !== undefined || answer_text !== undefined;
  const got = await transport.ask(socketId, text, isAnswered, path);
  const now = got === undefined || got === '' ? undefined : parse(got);
  const { method } = membersOf(request);
  const name = typeof method === 'string' ? method : 'a batch';
  if (/_subscribe/.test(name)) {
    const [old, id] = [answer, now].map((response) => membersOf(response)['result']);
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

const START_ONE = 'start a node with the options that you need, and pass its URL with --url';

/** The options of a node like the recorded one. Options that this version lacks are left out. */
function configOf(file: string, about: Members, accountClassCustom: string | undefined): object {
  const options = Object.entries(membersOf(about['options'])).filter(
    ([key, value]) => isConfigKey(key) && value !== null,
  );
  for (const [key] of options) {
    if (!isConfigKey(key) || OPTIONS[key].isPortable) continue;
    throw new Error(
      `${file} sets the option '${key}' (${longName(OPTIONS[key])}): a recording may only set options of the chain, its accounts and its limits; ${START_ONE}`,
    );
  }
  const recorded: Members = Object.fromEntries(options);
  if (about['forked'] === true) {
    throw new Error(
      `${file} was recorded on a fork: start the same fork, and pass its URL with --url`,
    );
  }
  if (about['custom_account_class'] === true && accountClassCustom === undefined) {
    const option = longName(OPTIONS.accountClassCustom);
    throw new Error(`${file} was recorded with ${option}: pass the same option`);
  }
  if (recorded['seed'] === undefined) {
    throw new Error(`${file} has no seed of the accounts: ${START_ONE}`);
  }
  const { accountClass, ...others } = recorded;
  const account = accountClassCustom === undefined ? { accountClass } : { accountClassCustom };
  return { ...others, ...account, port: 0 };
}

/** The object in a JSON text; an empty one where it is something else. */
function objectIn(text: string | undefined): Members {
  const value = text === undefined ? undefined : parse(text);
  return isObject(value) ? value : {};
}
