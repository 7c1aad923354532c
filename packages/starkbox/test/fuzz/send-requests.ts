// Sender of random requests, several at a time, on a chain that is restarted now and then.
import { setTimeout } from 'node:timers/promises';
import { type ChainContents, prepare, recordTransaction } from './chain-contents.js';
import { checkAnswer } from './check-answer.js';
import type { ChildNode } from './child-node.js';
import { type Request, request } from './requests.js';
import { shrunk } from './shrink.js';

export interface Finding {
  readonly problem: string;
  readonly request: Request;
  /** What the node said about it. */
  readonly log: string;
}

export interface SendOptions {
  readonly seed: number;
  readonly count: number;
  /** How many requests are under way at once. */
  readonly lanes: number;
  readonly node: ChildNode;
  /** A node to try a finding on, alone. */
  readonly another: () => Promise<ChildNode>;
  readonly report: (text: string) => void;
}

/** After so many requests the chain is made new, because some spoil it for all that come after. */
const ROUND = 1000;
/** With a class to compile, over all. */
const CLASSES = 10;
/** One is enough to fail; some show a pattern. */
const MAX_FINDINGS = 20;
/** If the node dies, each request that was under way may be the one. */
const MAX_EXAMINED = 8;

/** What was seen of the answers. */
class Statistics {
  readonly #codes = new Map<string, number>();
  #slowest = { milliseconds: 0, body: '' };

  note({ body }: Request, answer: string, milliseconds: number): void {
    const code = /"error":\{"code":(-?\d+)/.exec(answer)?.[1];
    const outcome = code ?? (answer === '' ? 'nothing' : 'result');
    this.#codes.set(outcome, (this.#codes.get(outcome) ?? 0) + 1);
    if (milliseconds > this.#slowest.milliseconds) {
      this.#slowest = { milliseconds, body: String(body).slice(0, 200) };
    }
  }

  toString(): string {
    const codes = [...this.#codes].toSorted(([, a], [, b]) => b - a);
    const { milliseconds, body } = this.#slowest;
    return [
      codes.map(([outcome, count]) => `${outcome} ${count}`).join(', '),
      `slowest, ${milliseconds.toFixed(0)} ms: ${body}`,
    ].join('\n');
  }
}

/** Sends requests to a node, and returns the failures. */
export async function sendRequests(options: SendOptions): Promise<readonly Finding[]> {
  const { node, count, lanes, report } = options;
  const findings = new Map<string, Finding>();
  const statistics = new Statistics();
  const begin = performance.now();
  let next = 0;
  let rounds = 0;
  let isLost = false;
  while (next < count && !isLost && findings.size < MAX_FINDINGS) {
    const contents = await prepare(node.ask);
    let end = Math.min(count, next + ROUND);
    const lane = async (): Promise<void> => {
      while (next < end && !isLost && findings.size < MAX_FINDINGS) {
        const index = next;
        next += 1;
        const { finding, isSpent } = await sendRequest(options, contents, index, statistics);
        if (finding) add(findings, finding, options);
        if (finding?.problem.startsWith(LOST)) isLost = true;
        if (isSpent) end = next;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    rounds += 1;
  }
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  report(`${next} requests in ${seconds} s, on ${rounds} chains: ${statistics}`);
  const examinedFindings: Finding[] = [];
  for (const finding of findings.values()) {
    examinedFindings.push(
      examinedFindings.length < MAX_EXAMINED ? await examined(finding, options) : finding,
    );
  }
  return examinedFindings;
}

/** One of each kind. */
function add(
  findings: Map<string, Finding>,
  finding: Finding,
  { report, seed }: SendOptions,
): void {
  const { problem, log } = finding;
  const cause = log.split('\n')[1] ?? '';
  const isLost = problem.startsWith(LOST);
  const kind = isLost ? problem : `${problem.replace(/^\[\d+\]: /, '')} ${cause}`;
  const key = isLost ? kind : kind.replaceAll(/(0x)?[\da-f]*\d[\da-f]*/gi, '#');
  if (findings.has(key)) return;
  findings.set(key, finding);
  report(`seed ${seed}: ${problem}\n${log}`);
}

const LOST = 'no answer: ';

interface RequestOutcome {
  readonly finding?: Finding;
  /** Whether so much of the chain is gone that it has to be made new. */
  readonly isSpent?: boolean;
}

async function sendRequest(
  { seed, count, node }: SendOptions,
  contents: ChainContents,
  index: number,
  statistics: Statistics,
): Promise<RequestOutcome> {
  const declares = index % Math.ceil(count / CLASSES) === 7;
  const thrown = request({ seed, index, declares }, contents);
  const begin = performance.now();
  try {
    const answer = await node.throw(thrown);
    statistics.note(thrown, answer.body, performance.now() - begin);
    const problem = checkAnswer(thrown, answer);
    if (problem !== undefined) {
      return { finding: { problem, request: thrown, log: await complaint(node, problem) } };
    }
    recordTransaction(contents, answer.body);
    await keepNonce(thrown, answer.body, contents, node);
    const isEnd = /"\w+_(restart|abortBlocks|load)"/.test(String(thrown.body));
    return { isSpent: isEnd && answer.body.includes('"result"') };
  } catch (error) {
    const ended = await Promise.race([node.gone, setTimeout(1000, 'still there')]);
    const log = `the process: ${ended}\n${node.log().slice(-2000)}`;
    return { finding: { problem: `${LOST}${error} [${index}]`, request: thrown, log } };
  }
}

/** Milliseconds after which the log, which is asynchronous, has what belongs to an answer. It only explains a finding. */
const LOG_DELAY = 50;

/** The last complaint of the node. */
async function complaint(node: ChildNode, problem: string): Promise<string> {
  const [, method] = /-32603 \([a-z]+([._]\w+)\)/.exec(problem) ?? [];
  if (method === undefined) return '';
  await setTimeout(LOG_DELAY);
  const lines = node.log().split(/^(?=\s*[\d.]+s [A-Z])/m);
  return lines.findLast((line) => line.includes(`${method}\n`)) ?? '';
}

/** A sender's next transaction needs the nonce that this one leaves. */
async function keepNonce(
  { sender }: Request,
  body: string,
  contents: ChainContents,
  node: ChildNode,
): Promise<void> {
  if (sender === undefined) return;
  if (body.includes('"transaction_hash"')) {
    contents.nonces.set(sender, (contents.nonces.get(sender) ?? 0) + 1);
  } else if (body.includes('"code":52')) {
    const nonce = await node.ask('starknet_getNonce', ['pre_confirmed', sender]).catch(() => '0x0');
    contents.nonces.set(sender, Number(nonce));
  }
}

/** The finding alone on a node of its own, where the log says why, and as small as it can be. */
async function examined(finding: Finding, options: SendOptions): Promise<Finding> {
  const { body } = finding.request;
  const node = await options.another();
  try {
    await prepare(node.ask);
    const judged = async (text: string | Buffer): Promise<string | undefined> => {
      const request = { ...finding.request, body: text };
      return checkAnswer(request, await node.throw(request));
    };
    const problem = await judged(body);
    if (problem !== finding.problem) {
      return {
        ...finding,
        problem: `${finding.problem} (alone, on a new chain: ${problem ?? 'fine'})`,
      };
    }
    if (typeof body !== 'string') return { ...finding, log: node.log() };
    const least = await shrunk(body, async (text) => (await judged(text)) === problem);
    const before = node.log().length;
    await judged(least);
    const log = node.log().slice(before);
    return { problem, request: { ...finding.request, body: least }, log };
  } catch (error) {
    return { ...finding, log: `${error}\n${node.log().slice(-4000)}` };
  } finally {
    await node.stop('SIGKILL');
  }
}
