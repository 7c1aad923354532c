// Handlers of an older version of the specification, over those of the newest.
import { type Members, membersOf } from '@starkbox/abi/basics';
import { RpcError } from '../../errors.js';
import { parse, stringify } from '../../json/json.js';
import type {
  CallContext,
  Handler,
  HandlerLookup,
  NotificationForm,
} from '../protocol/call-context.js';
import type { MethodDifference, SubscriptionDifference, Version } from './difference.js';

/** A method of an older version: the newest one that serves it, and the differences on the way back. */
interface Path {
  readonly newest: string;
  /** From the newest to the oldest. */
  readonly differences: readonly MethodDifference[];
}

/** Messages of errors by method and code. */
export type Messages = (method: string) => ReadonlyMap<number, string>;

/** Methods of an older version, and their handlers over those of the newest. */
export class AdaptedMethods {
  readonly #paths: ReadonlyMap<string, Path>;
  readonly #messages: Messages;

  /**
   * @param newest names of the methods of the newest version
   * @param steps the version and those between it and the newest, newest first
   */
  constructor(newest: readonly string[], steps: readonly Version[], messages: Messages) {
    this.#paths = pathsOf(newest, steps);
    this.#messages = messages;
  }

  get names(): readonly string[] {
    return [...this.#paths.keys()];
  }

  /** The canonical names of methods that have another name in this version. */
  get renamed(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.#paths].flatMap(([name, { newest }]) => (newest === name ? [] : [[name, newest]])),
    );
  }

  /** Handlers for one chain, each created when it is first needed. */
  handlersOver(newest: HandlerLookup): HandlerLookup {
    const adapted = new Map<string, Handler | undefined>();
    return (name) => {
      if (!adapted.has(name)) adapted.set(name, this.#adapt(name, newest));
      return adapted.get(name);
    };
  }

  #adapt(name: string, newest: HandlerLookup): Handler | undefined {
    const path = this.#paths.get(name);
    const handler = path && newest(path.newest);
    if (!handler || !path.newest.startsWith('starknet_')) return handler;
    return wrap(name, handler, path.differences, newest, this.#messages);
  }
}

function pathsOf(names: readonly string[], steps: readonly Version[]): ReadonlyMap<string, Path> {
  let paths = new Map(
    names.map((name): [string, Path] => [name, { newest: name, differences: [] }]),
  );
  for (const { specVersion, params, methods } of steps) {
    const older = new Map<string, Path>();
    const versionMethods: Version['methods'] = {
      starknet_specVersion: { result: () => specVersion },
      ...methods,
    };
    const forAll: readonly MethodDifference[] = params ? [{ params }] : [];
    for (const name of new Set([...paths.keys(), ...Object.keys(versionMethods)])) {
      const difference = versionMethods[name];
      const path = paths.get(difference?.method ?? name);
      if (difference === null || !path) continue;
      const differences = [...path.differences, ...(difference ? [difference] : []), ...forAll];
      older.set(name, { newest: path.newest, differences });
    }
    paths = older;
  }
  return paths;
}

/** The same values as over a wire, without parts that are texts. */
function plain(value: unknown): unknown {
  return parse(stringify(value));
}

function wrap(
  name: string,
  handler: Handler,
  differences: readonly MethodDifference[],
  newest: HandlerLookup,
  messages: Messages,
): Handler {
  const changesResult = differences.some(({ result }) => result !== undefined);
  const formOf = notificationForms(differences);
  return async (callParams, context) => {
    let params: Members = membersOf(callParams);
    for (const difference of differences.toReversed()) {
      params = difference.params?.(params) ?? params;
    }
    try {
      const form = formOf?.(membersOf(callParams));
      const answer = await handler(params, { ...context, form });
      if (!changesResult) return answer;
      const exchange = { params, ask: asking(newest, context) };
      let result = plain(answer);
      for (const difference of differences) {
        if (difference.result) result = await difference.result(result, exchange);
      }
      return result;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const olderError = differences.reduce((last, { error: map }) => map?.(last) ?? last, error);
      const message = messages(name).get(olderError.code) ?? olderError.message;
      throw new RpcError(olderError.code, message, olderError.data);
    }
  };
}

function asking(newest: HandlerLookup, { prefix, session }: CallContext) {
  const context = { prefix, session, listener: undefined, cause: undefined };
  return async (method: string, params: object): Promise<unknown> =>
    plain(await newest(method)?.(params, context));
}

/** A form for each subscription; undefined if its notifications are those of the newest version. */
function notificationForms(
  differences: readonly MethodDifference[],
): ((params: Members) => NotificationForm) | undefined {
  const relevant = differences.filter(
    (difference) => difference.notification ?? difference.subscription,
  );
  if (relevant.length === 0) return undefined;
  const isShared = relevant.every(({ subscription }) => subscription === undefined);
  const parts = (params: Members): readonly SubscriptionDifference[] =>
    relevant.flatMap(({ notification, subscription }) => [
      ...(notification ? [{ result: notification }] : []),
      ...(subscription ? [subscription(params)] : []),
    ]);
  if (!isShared) return (params) => new Form(parts(params));
  // One for all subscribers, so that a text is mapped once.
  const form = new Form(parts({}), true);
  return () => form;
}

const REORG = 'subscriptionReorg';

class Form implements NotificationForm {
  readonly #parts: readonly SubscriptionDifference[];
  readonly isShared: boolean;
  #last: { readonly text: string; readonly result: string | undefined } | undefined;

  constructor(parts: readonly SubscriptionDifference[], isShared = false) {
    this.#parts = parts;
    this.isShared = isShared;
  }

  name(newest: string): string {
    if (newest === REORG) return newest;
    return this.#parts.reduce((name, part) => part.name ?? name, newest);
  }

  result(newest: string, text: string): string | undefined {
    if (newest === REORG) {
      for (const { reorg } of this.#parts) reorg?.();
      return text;
    }
    if (this.isShared && this.#last?.text === text) return this.#last.result;
    let value = parse(text);
    for (const part of this.#parts) {
      value = part.result(value);
      if (value === undefined) break;
    }
    const result = value === undefined ? undefined : stringify(value);
    this.#last = { text, result };
    return result;
  }
}
