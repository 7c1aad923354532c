// Structural comparison of a recorded answer with one of this run.

import { isDeepStrictEqual } from 'node:util';
import { isObject, type Members } from '@starkbox/abi/basics';
import { type Correspondence, canonical, isFelt } from './correspondence.js';

export interface Difference {
  readonly path: string;
  readonly kind: string;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly reason?: string | undefined;
  /** A difference that clients do not depend on. */
  readonly isNote: boolean;
}

const HASH_KEYS = new Set([
  'block_hash',
  'parent_hash',
  'starting_block_hash',
  'ending_block_hash',
]);
const HASH_LISTS = new Set(['aborted', 'accepted']);
const TIME_KEYS = new Set(['timestamp', 'block_timestamp']);
const TIME_TOLERANCE_SECONDS = 120;
/** Lists without a defined order: compared as sets, by these members. */
const UNORDERED: ReadonlyMap<string, readonly string[]> = new Map([
  ['storage_diffs', ['address']],
  ['storage_entries', ['key']],
  ['nonces', ['contract_address']],
  ['deployed_contracts', ['address']],
  ['declared_classes', ['class_hash']],
  ['deprecated_declared_classes', []],
  ['replaced_classes', ['contract_address']],
  ['class_hashes', ['contract_address']],
  ['declared_contracts', ['class_hash']],
  ['storage', ['contract_address', 'key']],
  ['impersonated_accounts', []],
]);
/** Codes whose texts in `data` clients read; other texts come from a parser. */
const CODES_WITH_READ_TEXTS = new Set<unknown>([40, 41, 52, 55, -1]);
const SYSTEM_CONTRACT = '0x1';

/** Where the walk is: inside an error, or inside the storage of the block hash contract. */
interface ComparisonContext {
  readonly key: string;
  readonly isError: boolean;
  readonly code: unknown;
  readonly isSystem: boolean;
}

const ROOT: ComparisonContext = { key: '', isError: false, code: undefined, isSystem: false };

/** All differences of two answers. `request` is the recorded call that they answer. */
export function compare(
  expected: unknown,
  actual: unknown,
  pairs: Correspondence,
  request?: unknown,
): Difference[] {
  const comparison = new Comparison(pairs);
  if (isSubscribing(request) && hasTextResult(expected) && hasTextResult(actual)) {
    comparison.subscriptions(expected, actual);
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    comparison.batch(expected, actual, request);
  } else comparison.walk(expected, actual, '$', ROOT);
  return comparison.differences;
}

class Comparison {
  readonly differences: Difference[] = [];
  readonly #pairs: Correspondence;

  constructor(pairs: Correspondence) {
    this.#pairs = pairs;
  }

  subscriptions(expected: TextResult, actual: TextResult): void {
    const { subscriptions } = this.#pairs;
    if ([...subscriptions.values()].includes(actual.result)) {
      this.#add('$.result', 'subscription id', expected.result, actual.result, {
        reason: 'id used twice',
      });
    }
    subscriptions.set(expected.result, actual.result);
    this.walk({ ...expected, result: '' }, { ...actual, result: '' }, '$', ROOT);
  }

  /** Answers of a batch are matched by id; another order is a note. */
  batch(expected: readonly unknown[], actual: readonly unknown[], request: unknown): void {
    if (expected.length !== actual.length) {
      this.#add('$.length', 'length', expected.length, actual.length);
    }
    const [ids, actualIds] = [expected.map(idOf), actual.map(idOf)];
    if (!isDeepStrictEqual(ids, actualIds)) {
      this.#add('$', 'order', ids, actualIds, { reason: 'order of the answers', isNote: true });
    }
    const calls: readonly unknown[] = Array.isArray(request) ? request : [];
    const remaining = [...actual];
    for (const [index, answer] of expected.entries()) {
      const position = remaining.findIndex((other) => isDeepStrictEqual(idOf(other), idOf(answer)));
      if (position < 0) {
        this.#add(`$[${index}]`, 'missing', answer, undefined);
        continue;
      }
      const [actualAnswer] = remaining.splice(position, 1);
      const call = calls.find((batchCall) => idOf(batchCall) === idOf(answer));
      for (const difference of compare(answer, actualAnswer, this.#pairs, call)) {
        this.differences.push({ ...difference, path: difference.path.replace('$', `$[${index}]`) });
      }
    }
  }

  walk(expected: unknown, actual: unknown, at: string, context: ComparisonContext): void {
    if (typeof expected === 'bigint' || typeof actual === 'bigint') {
      if (!isSameInteger(expected, actual)) this.#add(at, 'value', expected, actual);
    } else if (Array.isArray(expected) && Array.isArray(actual)) {
      this.#lists(expected, actual, at, context);
    } else if (isObject(expected) && isObject(actual)) {
      this.#objects(expected, actual, at, context);
    } else if (typeof expected === 'string' && typeof actual === 'string') {
      this.#texts(expected, actual, at, context);
    } else if (typeof expected === 'number' && typeof actual === 'number') {
      this.#numbers(expected, actual, at, context);
    } else if (expected !== actual) this.#add(at, 'value', expected, actual);
  }

  #lists(
    expected: readonly unknown[],
    actual: readonly unknown[],
    at: string,
    context: ComparisonContext,
  ): void {
    const members = UNORDERED.get(context.key);
    if (members) {
      this.#sets(expected, actual, at, context, members);
      return;
    }
    if (expected.length !== actual.length) {
      this.#add(`${at}.length`, 'length', expected.length, actual.length);
    }
    for (const [index, item] of expected.slice(0, actual.length).entries()) {
      const other = actual[index];
      if (HASH_LISTS.has(context.key) && isFelt(item) && isFelt(other)) {
        this.#hashes(item, other, `${at}[${index}]`);
      } else this.walk(item, other, `${at}[${index}]`, context);
    }
  }

  #sets(
    expected: readonly unknown[],
    actual: readonly unknown[],
    at: string,
    context: ComparisonContext,
    members: readonly string[],
  ): void {
    const keyOf = (item: unknown): string =>
      members.length > 0 && isObject(item)
        ? members.map((member) => canonical(item[member])).join('/')
        : canonical(item);
    const remaining = new Map(actual.map((item) => [keyOf(item), item]));
    for (const item of expected) {
      const key = keyOf(item);
      if (remaining.has(key)) {
        const isSystem = context.isSystem || key === SYSTEM_CONTRACT;
        this.walk(item, remaining.get(key), `${at}[${key}]`, { ...context, key: '', isSystem });
        remaining.delete(key);
      } else this.#add(`${at}[${key}]`, 'missing', item, undefined);
    }
    for (const [key, item] of remaining) this.#add(`${at}[${key}]`, 'extra entry', undefined, item);
  }

  #objects(expected: Members, actual: Members, at: string, context: ComparisonContext): void {
    for (const key of Object.keys(expected).filter((name) => !Object.hasOwn(actual, name))) {
      const code = expected['code'];
      const isDetail =
        context.isError && key === 'data' && typeof code === 'number' && code < -32000;
      this.#add(`${at}.${key}`, 'missing', expected[key], undefined, {
        reason: isDetail ? 'transport detail' : undefined,
        isNote: isDetail,
      });
    }
    for (const [key, value] of Object.entries(actual)) {
      const path = `${at}.${key}`;
      const recorded = expected[key];
      if (!Object.hasOwn(expected, key)) {
        const isNote = !(context.isError && at === '$') && key !== 'error' && key !== 'result';
        this.#add(path, 'extra', undefined, value, { isNote });
      } else if (context.isError && key === 'message') {
        if (recorded !== value) this.#add(path, 'message', recorded, value, { isNote: true });
      } else if (key === 'error' && at === '$') {
        const code = isObject(recorded) ? recorded['code'] : undefined;
        this.walk(recorded, value, path, { ...ROOT, key, isError: true, code });
      } else this.walk(recorded, value, path, { ...context, key });
    }
  }

  #texts(expected: string, actual: string, at: string, context: ComparisonContext): void {
    const areFelts = isFelt(expected) && isFelt(actual);
    if (areFelts && (HASH_KEYS.has(context.key) || (context.isSystem && context.key === 'value'))) {
      if (expected !== actual || HASH_KEYS.has(context.key)) this.#hashes(expected, actual, at);
      return;
    }
    if (expected === actual) return;
    if (areFelts && BigInt(expected) === BigInt(actual)) return;
    if (context.key === 'subscription_id' && this.#pairs.subscriptions.get(expected) === actual) {
      return;
    }
    if (this.#pairs.expand(expected) === actual) return;
    const isNote = context.isError && !isFelt(expected) && !CODES_WITH_READ_TEXTS.has(context.code);
    this.#add(at, 'value', expected, actual, { isNote });
  }

  #numbers(expected: number, actual: number, at: string, { key }: ComparisonContext): void {
    if (expected === actual) return;
    const { recordedAt, startedAt, port } = this.#pairs.run;
    if (key === 'port' && at.endsWith('.server_config.port') && actual === port) return;
    if (!TIME_KEYS.has(key)) {
      this.#add(at, 'value', expected, actual);
      return;
    }
    const sinceStart = Math.abs(expected - recordedAt - (actual - startedAt));
    const isClose = Math.min(Math.abs(expected - actual), sinceStart) <= TIME_TOLERANCE_SECONDS;
    if (!isClose) this.#add(at, 'time', expected, actual);
  }

  #hashes(expected: string, actual: string, at: string): void {
    const reason = this.#pairs.pairHashes(expected, actual);
    if (reason !== undefined) this.#add(at, 'block hash', expected, actual, { reason });
  }

  #add(
    path: string,
    kind: string,
    expected: unknown,
    actual: unknown,
    { reason, isNote = false }: { reason?: string | undefined; isNote?: boolean } = {},
  ): void {
    this.differences.push({ path, kind, expected, actual, reason, isNote });
  }
}

type TextResult = Members & { readonly result: string };

function hasTextResult(answer: unknown): answer is TextResult {
  return isObject(answer) && typeof answer['result'] === 'string';
}

function isSubscribing(request: unknown): boolean {
  const method = isObject(request) ? request['method'] : undefined;
  return typeof method === 'string' && method.startsWith('starknet_subscribe');
}

function idOf(message: unknown): unknown {
  return isObject(message) ? message['id'] : undefined;
}

function isSameInteger(expected: unknown, actual: unknown): boolean {
  const [expectedInteger, actualInteger] = [expected, actual].map((value) =>
    typeof value === 'bigint' || Number.isInteger(value) ? BigInt(String(value)) : undefined,
  );
  return expectedInteger !== undefined && expectedInteger === actualInteger;
}
