// Fork of an origin: its fork point, its history, and the acceptance of its blocks on L1.
import { listOf, membersOf } from '@starkbox/abi/basics';
import {
  EngineError,
  type SourceOptions,
  type SourceQuestion,
  StateSource,
} from '@starkbox/engine';
import { type BLOCK_ID, ERRORS, type ErrorName, methodFacts } from '@starkbox/spec';
import { fail, RpcError, refuse } from '../errors.js';
import { JsonText, parse, stringify } from '../json/json.js';
import type { ForkStart } from './after-transaction.js';
import { HASH_BUFFER } from './block-hashes.js';
import type { OriginClient } from './origin/client.js';
import type { ForkBlock } from './origin/header.js';
import { isOlder, olderParams } from './origin-version.js';

/** Part of the client that a fork uses. */
export type OriginReads = Pick<
  OriginClient,
  | 'ask'
  | 'at'
  | 'block'
  | 'blockOf'
  | 'chainId'
  | 'forward'
  | 'hashOf'
  | 'header'
  | 'l1Accepted'
  | 'numberOf'
  | 'specVersion'
>;

/** Largest page of events that every origin accepts. */
const EVENTS_AT_ONCE = 1000;
/** Pages of events that a subscription may begin with; an origin could send pages without end. */
const MAX_PAGES = 1000;
/** Headers per batch. */
const HEADERS_AT_ONCE = 100;
/** Prefix of continuation tokens for pages of the origin's events. */
const ORIGIN_TOKEN = 'origin-';

export interface EventRange {
  readonly from: number;
  readonly to: number;
  readonly addresses: readonly string[] | undefined;
  readonly keys: readonly (readonly string[])[];
}

/** An event in the origin's format. */
export type OriginEvent = Readonly<Record<string, unknown>>;

/**
 * Immutable, so worlds share it. The last block of the origin that was accepted on L1 here belongs
 * to the world, and is a parameter.
 */
export class Fork {
  /** Fork point: the last block of the origin. */
  readonly block: ForkBlock;
  readonly chainId: string;
  /** Source of values that no local block has written. */
  readonly stateSource: StateSource;
  readonly sourceOptions: SourceOptions;
  /** Changes of the next block of the origin, where the fork begins in the middle of it. */
  readonly start: ForkStart | undefined;
  readonly #origin: OriginReads;
  readonly #hashes: ReadonlyMap<number, string>;

  constructor(
    origin: OriginReads,
    hashes: ReadonlyMap<number, string>,
    sourceOptions: SourceOptions = {},
    start?: ForkStart,
  ) {
    this.start = start;
    this.block = origin.block;
    this.chainId = origin.chainId;
    this.sourceOptions = sourceOptions;
    this.stateSource = new StateSource(origin.ask, sourceOptions);
    this.#origin = origin;
    this.#hashes = hashes;
  }

  static async from(
    origin: OriginReads,
    sourceOptions: SourceOptions = {},
    start?: ForkStart,
  ): Promise<Fork> {
    const { number } = origin.block;
    // Hashes of older blocks are already in the origin's state.
    const count = Math.min(HASH_BUFFER, number + 1);
    const recent = Array.from({ length: count }, (_, index) => number - index);
    const hashes = await Promise.all(
      recent.map(async (at): Promise<readonly [number, string]> => [at, await origin.hashOf(at)]),
    );
    return new Fork(origin, new Map(hashes), sourceOptions, start);
  }

  /** Of the network at the fork point, as its block states it. */
  get starknetVersion(): string {
    return this.start?.starknetVersion ?? this.block.starknetVersion;
  }

  /** Number of the first local block. */
  get next(): number {
    return this.block.number + 1;
  }

  read(question: SourceQuestion): Promise<string | null> {
    return this.#origin.ask(question);
  }

  /** The origin at an earlier block. */
  at(number: number): Promise<Pick<OriginClient, 'ask' | 'prefetchReads'>> {
    return this.#origin.at(number);
  }

  hashOf(number: number): Promise<string> {
    return this.#origin.hashOf(number);
  }

  /** The block in which the origin last wrote a slot; 0 where it never did. */
  async writtenAt(contract_address: string, key: string, signal?: AbortSignal): Promise<number> {
    const block_id = { block_number: this.block.number };
    const response_flags = ['INCLUDE_LAST_UPDATE_BLOCK'];
    const params = { contract_address, key, block_id, response_flags };
    try {
      const { text } = await this.#forward('starknet_getStorageAt', params, signal);
      const { last_update_block: number } = membersOf(parse(text));
      return typeof number === 'number'
        ? number
        : refuse('The origin does not report when it wrote');
    } catch (error) {
      if (isCode(error, 'CONTRACT_NOT_FOUND')) return 0;
      throw error;
    }
  }

  /** Hash of one of the last blocks; those of older ones are in the origin's state. */
  recentHash(number: number): string | undefined {
    return this.#hashes.get(number);
  }

  /** Number of the origin's block with an id that is not of a local block. */
  async find(id: BLOCK_ID, accepted: number | undefined, signal?: AbortSignal): Promise<number> {
    if (id === 'l1_accepted') {
      const { number: last } = this.block;
      if (accepted !== undefined && accepted >= last) return last;
      const newest = Math.max(accepted ?? -1, (await this.#origin.l1Accepted(signal)) ?? -1);
      return newest < 0 ? fail('BLOCK_NOT_FOUND') : newest;
    }
    if (typeof id === 'string') return fail('BLOCK_NOT_FOUND');
    if ('block_hash' in id) return this.#origin.numberOf(id.block_hash, signal);
    return id.block_number <= this.block.number ? id.block_number : fail('BLOCK_NOT_FOUND');
  }

  /** As `find`; `undefined` without such a block. */
  async look(id: BLOCK_ID, accepted: number | undefined): Promise<number | undefined> {
    try {
      return await this.find(id, accepted);
    } catch (error) {
      if (isCode(error, 'BLOCK_NOT_FOUND')) return undefined;
      throw error;
    }
  }

  /**
   * The origin's answer about its history.
   *
   * @param signal ends the questions to the origin when their caller has gone
   */
  async answer(
    method: string,
    params: Readonly<Record<string, unknown>>,
    accepted: number | undefined,
    signal?: AbortSignal,
  ): Promise<JsonText> {
    const originParams =
      params['block_id'] === 'l1_accepted'
        ? {
            ...params,
            block_id: { block_number: await this.find('l1_accepted', accepted, signal) },
          }
        : params;
    const answer = await this.#forward(method, originParams, signal);
    return this.#asAccepted(method, params, answer, accepted, signal);
  }

  /** Asks the origin in its version of the specification. */
  async #forward(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<JsonText> {
    const { specVersion } = this.#origin;
    const versionParams = isOlder(specVersion) ? olderParams(method, params, specVersion) : params;
    return this.#origin.forward(method, versionParams, signal);
  }

  /**
   * One page of events, and the token of the next. An origin of an older version takes one address only: it is
   * asked for the events of all contracts, and a page may have fewer than it could.
   */
  async eventPage(
    { from, to, addresses, keys }: EventRange,
    chunkSize: number,
    token: string | undefined,
    signal?: AbortSignal,
  ): Promise<{ readonly events: readonly OriginEvent[]; readonly next: string | undefined }> {
    const several = addresses?.length === 1 ? undefined : addresses;
    const filtered = isOlder(this.#origin.specVersion) ? several : undefined;
    const question = {
      filter: {
        from_block: { block_number: from },
        to_block: { block_number: Math.min(to, this.block.number) },
        address: filtered ? undefined : (several ?? addresses?.[0]),
        keys,
        chunk_size: Math.min(chunkSize, EVENTS_AT_ONCE),
        continuation_token: token?.slice(ORIGIN_TOKEN.length),
      },
    };
    const answer = await this.#origin.forward('starknet_getEvents', question, signal);
    const { events, continuation_token: next } = membersOf(parse(answer.text));
    const addressSet = new Set<unknown>(filtered);
    return {
      events: listOf(events)
        .map(membersOf)
        .filter(({ from_address }) => addressSet.size === 0 || addressSet.has(from_address)),
      next: typeof next === 'string' ? `${ORIGIN_TOKEN}${next}` : undefined,
    };
  }

  /** All events of a range, page by page. Throws if they are too many. */
  async *events(
    range: EventRange,
    signal?: AbortSignal,
  ): AsyncGenerator<OriginEvent, void, undefined> {
    let token: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page = await this.eventPage(range, EVENTS_AT_ONCE, token, signal);
      yield* page.events;
      token = page.next;
      if (token === undefined) return;
    }
    refuse(
      `The origin has more than ${MAX_PAGES} pages of events from block ${range.from} to ${range.to}: start at a later block, or filter by addresses or keys`,
    );
  }

  /** The header of a block, in the origin's format. */
  async header(number: number, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    return membersOf(await this.#origin.header(number, signal));
  }

  /** Headers from a block to the fork point, in the origin's format. */
  async headers(
    from: number,
    signal?: AbortSignal,
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const headers: Readonly<Record<string, unknown>>[] = [];
    for (let first = from; first <= this.block.number; first += HEADERS_AT_ONCE) {
      const count = Math.min(HEADERS_AT_ONCE, this.block.number - first + 1);
      const blocks = await Promise.all(
        Array.from({ length: count }, (_, index) => this.#origin.header(first + index, signal)),
      );
      headers.push(...blocks.map(membersOf));
    }
    return headers;
  }

  /** Blocks that were accepted on L1 here have that status, whatever the origin's is. */
  async #asAccepted(
    method: string,
    params: Readonly<Record<string, unknown>>,
    answer: JsonText,
    accepted: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<JsonText> {
    const isAccepted = (number: unknown): boolean =>
      accepted !== undefined && typeof number === 'number' && number <= accepted;
    const finality = methodFacts(method)?.finality;
    switch (finality) {
      case 'block':
      case 'block with receipts': {
        if (accepted === undefined) return answer;
        const block = membersOf(parse(answer.text));
        if (!isAccepted(block['block_number'])) return answer;
        const transactions =
          finality === 'block with receipts'
            ? listOf(block['transactions']).map((item) => {
                const { transaction, receipt } = membersOf(item);
                return { transaction, receipt: onL1(membersOf(receipt)) };
              })
            : block['transactions'];
        return toJsonText({ ...block, status: 'ACCEPTED_ON_L1', transactions });
      }
      case 'receipt': {
        if (accepted === undefined) return answer;
        const receipt = membersOf(parse(answer.text));
        return isAccepted(receipt['block_number']) ? toJsonText(onL1(receipt)) : answer;
      }
      case 'status': {
        if (accepted === undefined) return answer;
        const number = await this.#origin.blockOf(String(params['transaction_hash']), signal);
        return isAccepted(number) ? toJsonText(onL1(membersOf(parse(answer.text)))) : answer;
      }
      case 'messages':
        return this.#messages(answer, isAccepted, signal);
      default:
        return answer;
    }
  }

  /** Only messages up to the fork point are part of this chain. */
  async #messages(
    answer: JsonText,
    isAccepted: (number: number) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<JsonText> {
    const statuses = await Promise.all(
      listOf(parse(answer.text)).map(async (item) => {
        const status = membersOf(item);
        const number = await this.#origin
          .blockOf(String(status['transaction_hash']), signal)
          .catch((error: unknown) => {
            if (isCode(error, 'TXN_HASH_NOT_FOUND')) return undefined;
            throw error;
          });
        if (number === undefined) return [];
        const completeStatus =
          'execution_status' in status ? status : await this.#withExecution(status, signal);
        return [isAccepted(number) ? onL1(completeStatus) : completeStatus];
      }),
    );
    const complete = statuses.flat();
    return complete.length === 0 ? fail('TXN_HASH_NOT_FOUND') : toJsonText(complete);
  }

  /** The status of a message from an origin of 0.8, which leaves it out. */
  async #withExecution(status: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined) {
    const { transaction_hash } = status;
    const method = 'starknet_getTransactionStatus';
    const answer = await this.#origin.forward(method, { transaction_hash }, signal);
    const { execution_status } = membersOf(parse(answer.text));
    return { ...status, execution_status };
  }
}

/** Whether a page of events is continued at the origin. */
export function isOriginToken(token: string | null | undefined): token is string {
  return token?.startsWith(ORIGIN_TOKEN) ?? false;
}

/** For executions that only prefetch reads: other failures occur again in the real execution. */
export async function onlyOriginFailures(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (isOriginReadError(error)) throw error;
  }
}

/** True for a read that failed because of the origin. */
function isOriginReadError(error: unknown): error is EngineError {
  return error instanceof EngineError && error.kind === 'state_source';
}

/** The error for callers of a read that failed because of the origin; others as they are. */
export function withOriginMessage(error: unknown): unknown {
  return isOriginReadError(error)
    ? new RpcError(
        -1,
        `Failed to read from state: ${error.message.replace(UNANSWERED, '$2; asked: $1')}`,
      )
    : error;
}

/** The engine puts the question first; tools match the reason after `Failed to read from state: `. */
const UNANSWERED = /^the origin did not answer (\{[^}]*\}): (.*)$/s;

function isCode(error: unknown, name: ErrorName): boolean {
  return error instanceof RpcError && error.code === ERRORS[name].code;
}

function onL1(part: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...part, finality_status: 'ACCEPTED_ON_L1' };
}

function toJsonText(value: unknown): JsonText {
  return new JsonText(stringify(value));
}
