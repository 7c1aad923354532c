// Handlers of an older version of the specification, over those of the newest.
import { RpcError } from '../../errors.js';
import { parse, stringify } from '../../json/json.js';
import { type Members, membersOf } from '../../json/reader.js';
import type {
  CallContext,
  Handler,
  HandlerTable,
  NotificationForm,
} from '../protocol/call-context.js';
import type { MethodDifference, SubscriptionDifference, Version } from './difference.js';

/** A method of an older version: the newest one that serves it, and the differences on the way back. */
interface Path {
  readonly newest: string;
  /** From the newest to the oldest. */
  readonly differences: readonly MethodDifference[];
}

export interface AdaptedMethods {
  readonly handlers: HandlerTable;
  /** The canonical names of methods that have another name in this version. */
  readonly renamed: Readonly<Record<string, string>>;
}

/** Messages of errors by method and code. */
export type Messages = (method: string) => ReadonlyMap<number, string>;

/**
 * @param steps the version and those between it and the newest, newest first
 */
export function adapt(
  handlers: HandlerTable,
  steps: readonly Version[],
  messages: Messages,
): AdaptedMethods {
  const adapted: Record<string, Handler | undefined> = {};
  const renamed: Record<string, string> = {};
  for (const [name, { newest, differences }] of pathsOf(Object.keys(handlers), steps)) {
    const handler = handlers[newest];
    if (!handler) continue;
    const isStandard = newest.startsWith('starknet_');
    adapted[name] = isStandard ? wrap(name, handler, differences, handlers, messages) : handler;
    if (newest !== name) renamed[name] = newest;
  }
  return { handlers: adapted, renamed };
}

function pathsOf(names: readonly string[], steps: readonly Version[]): ReadonlyMap<string, Path> {
  let paths = new Map(
    names.map((name): [string, Path] => [name, { newest: name, differences: [] }]),
  );
  for (const { specVersion, params, methods } of steps) {
    const older = new Map<string, Path>();
    const own: Version['methods'] = {
      starknet_specVersion: { result: () => specVersion },
      ...methods,
    };
    const forAll: readonly MethodDifference[] = params ? [{ params }] : [];
    for (const name of new Set([...paths.keys(), ...Object.keys(own)])) {
      const difference = own[name];
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
  newest: HandlerTable,
  messages: Messages,
): Handler {
  const changesResult = differences.some(({ result }) => result !== undefined);
  const formOf = notificationForms(differences);
  return async (given, context) => {
    let params: Members = membersOf(given);
    for (const difference of differences.toReversed()) {
      params = difference.params?.(params) ?? params;
    }
    try {
      const form = formOf?.(membersOf(given));
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
      const shown = differences.reduce((last, { error: map }) => map?.(last) ?? last, error);
      const message = messages(name).get(shown.code) ?? shown.message;
      throw new RpcError(shown.code, message, shown.data);
    }
  };
}

function asking(newest: HandlerTable, { prefix, session }: CallContext) {
  const context = { prefix, session, listener: undefined, cause: undefined };
  return async (method: string, params: object): Promise<unknown> =>
    plain(await newest[method]?.(params, context));
}

/** A form for each subscription; undefined if its notifications are those of the newest version. */
function notificationForms(
  differences: readonly MethodDifference[],
): ((params: Members) => NotificationForm) | undefined {
  const relevant = differences.filter((one) => one.notification ?? one.subscription);
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
  readonly #isShared: boolean;
  #last: { readonly text: string; readonly result: string | undefined } | undefined;

  constructor(parts: readonly SubscriptionDifference[], isShared = false) {
    this.#parts = parts;
    this.#isShared = isShared;
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
    if (this.#isShared && this.#last?.text === text) return this.#last.result;
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
