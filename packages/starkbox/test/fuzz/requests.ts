// Requests around a call: ids, envelopes, batches, HTTP, and the share of each kind.
import { JsonText, stringify } from '../../src/json/json.js';
import {
  aboutKnown,
  type Call,
  declaration,
  fromSchema,
  spec,
  spoiledParams,
  transaction,
  view,
} from './calls.js';
import type { ChainContents } from './chain-contents.js';
import { BODY_LIMIT } from './child-node.js';
import { isRecord, mutated, oddValue, smeared } from './mutation.js';
import { chance, type Dice, dice, pick, weighted } from './random.js';

export interface Request {
  /** What kind of request it is, for statistics. */
  readonly kind: string;
  readonly verb: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Whose nonce it uses up if it is accepted. */
  readonly sender?: string;
  /** Whether the params are as the document of the method wants them. */
  readonly fits?: boolean;
}

// Envelopes.

/** As they are written; the last ones are not allowed. */
const IDS: readonly [string, ...string[]] = [
  '0',
  '-1',
  '1',
  '""',
  '"abc"',
  '"\\u0000"',
  '"\\ud800"',
  '"ünï𝔘"',
  'null',
  '9007199254740993',
  '-123456789012345678901234567890',
  '1e3',
  '1.0',
  `"${'i'.repeat(5000)}"`,
  '1.5',
  '1e400',
  'true',
  '{}',
  '[1]',
];

function name(method: string, roll: Dice): string {
  if (!chance(roll, 10)) return method;
  return method.replace(/^starknet_/, 'chain_').replace(/^devnet_/, 'sandbox_');
}

/** Where params are a list, those that are left out at the end are left out; others are null. */
function positional(method: string, params: Readonly<Record<string, unknown>>): readonly unknown[] {
  const names = spec.methods.get(method)?.params.map((param) => param.name) ?? [];
  const last = names.findLastIndex((parameter) => parameter in params);
  return names.slice(0, last + 1).map((parameter) => params[parameter] ?? null);
}

function envelope({ method, params }: Call, index: number, roll: Dice): object {
  const sentParams = isRecord(params) && chance(roll, 40) ? positional(method, params) : params;
  const id = chance(roll, 10) ? new JsonText(pick(roll, IDS)) : index;
  return {
    jsonrpc: chance(roll, 97) ? '2.0' : '1.0',
    id,
    method: name(method, roll),
    ...(isRecord(sentParams) && Object.keys(sentParams).length === 0 && chance(roll, 50)
      ? {}
      : { params: sentParams }),
  };
}

function spoiledEnvelope(whole: object, roll: Dice): unknown {
  switch (roll(5)) {
    case 0: {
      // A notification.
      const { id: _id, ...rest }: { id?: unknown } = { ...whole };
      return rest;
    }
    case 1:
      return oddValue(roll);
    case 2:
      return { ...whole, id: oddValue(roll) };
    case 3:
      return { ...whole, method: pick(roll, UNKNOWN_METHODS) };
    default:
      return mutated(whole, roll);
  }
}

const UNKNOWN_METHODS: readonly [string, ...string[]] = [
  '',
  '__proto__',
  'constructor',
  'toString',
  'starknet_',
  'starknet_nothing',
  'STARKNET_CALL',
  'devnet_getNonce',
  'chain_mint',
  'starknet_subscribeNewHeads',
  'starknet_unsubscribe',
  'starknet_subscriptionReorg',
  'rpc.',
  'x'.repeat(10_000),
];

// HTTP.

const JSON_TYPE = { 'content-type': 'application/json' };

const TYPES: readonly [string, ...string[]] = [
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'application/json;charset=utf-16',
  'application/jsonp',
  'text/plain',
  'application/octet-stream',
  'multipart/form-data; boundary=x',
  ';',
  '*/*',
];

function post(kind: string, body: string | Buffer, changes: Partial<Request> = {}): Request {
  return { kind, verb: 'POST', path: '/rpc', headers: JSON_TYPE, body, ...changes };
}

function oddHttp(text: string, roll: Dice): Request {
  const of = (changes: Partial<Request>): Request => post('http', text, changes);
  switch (roll(10)) {
    case 0:
      return of({ headers: {} });
    case 7:
      return of({ body: text + ' '.repeat(BODY_LIMIT - roll(2000)) });
    case 1:
      return of({ headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' } });
    case 2:
      return of({ headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } });
    case 3:
      return of({
        path: pick(roll, ['/', '/rpc?a=b', '//rpc', '/rpc/', '/RPC', '/nothing', '/%00']),
      });
    case 4:
      return of({ verb: pick(roll, ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'GET', 'HEAD']) });
    case 5:
      return of({ headers: { ...JSON_TYPE, origin: 'http://elsewhere.example' } });
    case 6:
      return of({ body: pick(roll, ['', ' ', '\ufeff', 'null', '0', '""', '[]', '[[]]', '{}']) });
    default:
      return of({ headers: { 'content-type': pick(roll, TYPES) } });
  }
}

/** How often each kind comes. */
const KINDS = [
  [20, 'made-up'],
  [25, 'about what exists'],
  [22, 'spoiled params'],
  [4, 'view'],
  [9, 'transaction'],
  [4, 'spoiled, then signed'],
  [4, 'signed, then spoiled'],
  [5, 'spoiled envelope'],
  [4, 'spoiled bytes'],
  [2, 'http'],
  [1, 'batch'],
] as const;

type Kind = (typeof KINDS)[number][1];

function call(kind: Kind, roll: Dice, contents: ChainContents, index: number): Call {
  switch (kind) {
    case 'made-up':
      return fromSchema(roll);
    case 'spoiled params':
      return spoiledParams(roll, contents);
    case 'view':
      return view(roll, contents);
    case 'transaction':
      return transaction(roll, contents, index, 'nothing');
    case 'spoiled, then signed':
      return transaction(roll, contents, index, 'before signing');
    case 'signed, then spoiled':
      return transaction(roll, contents, index, 'after signing');
    default:
      return aboutKnown(roll, contents);
  }
}

export interface Throw {
  readonly seed: number;
  readonly index: number;
  /** Whether it has a class to compile; these are slow, so the sender limits their number. */
  readonly declares: boolean;
}

/** The request of a seed and a number, on a chain with these contents. */
export function request({ seed, index, declares }: Throw, contents: ChainContents): Request {
  const roll = dice(seed, index);
  if (declares) {
    const { sender, ...rest } = declaration(roll, contents, index);
    const body = stringify(envelope(rest, index, roll));
    return post('class', body, sender === undefined ? {} : { sender });
  }
  const kind = weighted(roll, KINDS);
  const nextCall = (): Call => call(kind, roll, contents, index);
  switch (kind) {
    case 'batch': {
      const length = chance(roll, 3) ? 1001 : roll(8);
      const calls = Array.from({ length }, (_, position): unknown => {
        if (length > 8) return { jsonrpc: '2.0', id: position, method: 'starknet_chainId' };
        const whole = envelope(call(weighted(roll, KINDS), roll, contents, index), position, roll);
        return chance(roll, 25) ? spoiledEnvelope(whole, roll) : whole;
      });
      return post(kind, stringify(calls));
    }
    case 'spoiled envelope':
      return post(kind, stringify(spoiledEnvelope(envelope(nextCall(), index, roll), roll)));
    case 'spoiled bytes':
      return post(kind, smeared(stringify(envelope(nextCall(), index, roll)), roll));
    case 'http':
      return oddHttp(stringify(envelope(nextCall(), index, roll)), roll);
    default: {
      const { sender, ...rest } = nextCall();
      const body = stringify(envelope(rest, index, roll));
      return post(kind, body, {
        fits: kind === 'made-up',
        ...(sender === undefined ? {} : { sender }),
      });
    }
  }
}
