// Every read of a chain about itself, and the comparison of two sets of answers.

import type { BLOCK_ID, MethodName, Methods } from '@starkbox/spec';
import type { LocalChain } from 'starkbox';
import { stringify } from '../../../packages/starkbox/src/json/json.js';
import * as cast from './accounts-and-contracts.js';
import { transactionsOf, valuesAt, type World } from './world.js';

export interface Question {
  readonly method: MethodName;
  readonly params: unknown;
}

/** What a node answered, as text. */
export type Reading = ReadonlyMap<Question, string>;

interface Answer<Result> {
  readonly result: Result;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A call that may change the chain, and its answer. */
export interface Written {
  readonly request: string;
  readonly answer: string;
}

/** The client that all reads and changes use. */
export class NodeClient {
  /** In the order they were made. */
  readonly written: Written[] = [];
  readonly #handle: LocalChain['handle'];

  constructor(node: Pick<LocalChain, 'handle'>) {
    this.#handle = node.handle;
  }

  async text({ method, params }: Question): Promise<string> {
    const request = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${stringify(params)}}`;
    const answer = (await this.#handle(request)) ?? '';
    if (!READS.test(method)) this.written.push({ request, answer });
    return answer;
  }

  async answer<M extends MethodName>(
    method: M,
    params: unknown,
  ): Promise<Answer<Methods[M]['result']>> {
    return JSON.parse(await this.text({ method, params }));
  }

  async ask<M extends MethodName>(method: M, params: unknown = {}): Promise<Methods[M]['result']> {
    const { result, error } = await this.answer(method, params);
    if (!error) return result;
    throw new Error(`${method} failed with ${error.code}: ${error.message} ${stringify(params)}`);
  }

  async read(questions: Iterable<Question>): Promise<Reading> {
    const answers = new Map<Question, string>();
    for (const question of questions) {
      answers.set(question, settled(question, await this.text(question)));
    }
    return answers;
  }
}

const READS = /^(starknet|devnet)_(get|call|trace|simulate|block|postmanFlush)/;

/** The time of the pending block follows the clock; it is taken from the model. */
function settled({ method, params }: Question, answer: string): string {
  return method === 'starknet_getBlockWithReceipts' && isPending(params)
    ? answer.replace(/"timestamp":\d+/, '"timestamp":0')
    : answer;
}

function isPending(params: unknown): boolean {
  return (
    typeof params === 'object' &&
    params !== null &&
    'block_id' in params &&
    params.block_id === 'pre_confirmed'
  );
}

/** What two readings of the same questions do not agree on. */
export function differences(before: Reading, after: Reading): readonly string[] {
  return [...before].flatMap(([question, answer]) => {
    const now = after.get(question);
    return now === answer
      ? []
      : [`${question.method} ${stringify(question.params)}\n  before ${answer}\n  after  ${now}`];
  });
}

/** A question for the value with a name, as the model has it. */
export function valueQuestion(name: string, block_id: BLOCK_ID): Question {
  const [kind, address = '', key = ''] = name.split(' ');
  const contract_address = address;
  switch (kind) {
    case 'slot':
      return { method: 'starknet_getStorageAt', params: { contract_address, key, block_id } };
    case 'nonce':
      return { method: 'starknet_getNonce', params: { contract_address, block_id } };
    case 'class':
      return { method: 'starknet_getClassHashAt', params: { contract_address, block_id } };
    default:
      return { method: 'starknet_getClass', params: { class_hash: address, block_id } };
  }
}

/** Blocks at which values changed, and those right before. */
export function turningPoints(world: World): readonly (readonly [name: string, at: number])[] {
  const points = new Map<string, readonly [string, number]>();
  for (let number = 1; number <= world.blocks.length; number += 1) {
    const [before, after] = [valuesAt(world, number - 1), valuesAt(world, number)];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(name) === after.get(name)) continue;
      for (const at of [number - 1, number]) points.set(`${at} ${name}`, [name, at]);
    }
  }
  return [...points.values()];
}

export function blockIds(world: World): readonly BLOCK_ID[] {
  return [...world.blocks.map((_, block_number) => ({ block_number })), 'pre_confirmed'];
}

/** Everything that can be read, where it may have changed. */
export function* everything(world: World, keepsHistory: boolean): Iterable<Question> {
  yield { method: 'devnet_getStatus', params: {} };
  yield { method: 'starknet_blockHashAndNumber', params: {} };
  // Setting nothing returns the prices of the next block.
  yield { method: 'devnet_setGasPrice', params: {} };
  yield { method: 'devnet_postmanFlush', params: { dry_run: true } };
  yield { method: 'starknet_getBlockWithTxHashes', params: { block_id: 'l1_accepted' } };
  yield { method: 'starknet_getEvents', params: { filter: { chunk_size: 1000 } } };
  for (const block_id of blockIds(world)) {
    yield { method: 'starknet_getBlockWithReceipts', params: { block_id } };
    yield { method: 'starknet_getStateUpdate', params: { block_id } };
    yield { method: 'starknet_traceBlockTransactions', params: { block_id } };
  }
  for (const { hash, l1Hash } of transactionsOf(world)) {
    yield { method: 'starknet_getTransactionReceipt', params: { transaction_hash: hash } };
    if (l1Hash === undefined) continue;
    yield { method: 'starknet_getMessagesStatus', params: { transaction_hash: l1Hash } };
  }
  const latest = world.blocks.length - 1;
  for (const [name, at] of turningPoints(world)) {
    // Classes are long; at the end they are looked for.
    if (name.startsWith('declared') || (!keepsHistory && at < latest)) continue;
    yield valueQuestion(name, at > latest ? 'pre_confirmed' : { block_number: at });
  }
  for (const { address } of cast.senders) {
    yield {
      method: 'starknet_getNonce',
      params: { contract_address: address, block_id: 'latest' },
    };
  }
}
