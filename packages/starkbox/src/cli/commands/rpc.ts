// The rpc command: calls a method of a running node.
import { isObject, membersOf } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import { UsageError } from '../../config/option.js';
import { parse, parseIfJson, stringify } from '../../json/json.js';
import { nearest } from '../../nearest-word.js';
import { FailedWithOutput, type Surroundings } from './format.js';
import { helpWidth, wrapText } from './help-text.js';
import {
  jsonTypes,
  METHOD_NAMES,
  type Method,
  methodOf,
  type Parameter,
  resolveSchema,
  typeName,
} from './method-documents.js';
import { fullName } from './method-names.js';
import type { NODE } from './options.js';
import { coloured } from './pretty-json.js';
import type { Words } from './row.js';
import { exchange, nodeOf, TOKEN_HINT, UNAUTHORIZED } from './wire.js';

export interface CallOptions extends Surroundings, Words<typeof NODE> {
  readonly raw?: boolean;
  readonly json: boolean;
}

/** The result as text. @throws Error with code, reason and hint if the node returns an error */
export async function callMethod(
  word: string,
  words: readonly string[],
  options: CallOptions,
): Promise<string> {
  const name = fullName(word);
  const params = await paramsOf(methodOf(name), words, options.readInput);
  const body = stringify({ jsonrpc: '2.0', id: 1, method: name, params });
  const node = nodeOf(options);
  const { text, description } = await exchange(node, body);
  const response = membersOf(parseIfJson(text));
  if (response['error'] !== undefined) {
    if (options.raw) throw new FailedWithOutput(text);
    throw new Error(errorText(response['error'], name));
  }
  if (!('result' in response)) {
    throw new Error(`${node.url} does not respond as a node: it sent ${description}`);
  }
  if (options.raw) return `${text.trimEnd()}\n`;
  const { result } = response;
  const { width, paint, json } = options;
  const isPretty = width !== undefined && !json;
  return `${isPretty ? coloured(result, { width, paint }) : stringify(result)}
`;
}

/** Names and summaries of all methods, or of those whose name contains a word. */
export function listMethods(pattern: string | undefined, { width, paint }: Surroundings): string {
  const part = (pattern ?? '').toLowerCase();
  const names = METHOD_NAMES.filter((name) => name.toLowerCase().includes(part));
  if (names.length === 0) throw new Error(`no method contains '${pattern}'`);
  const column = Math.max(...names.map((name) => name.length)) + 2;
  const lines = names.flatMap((name) => {
    const summary = wrapText(methodOf(name)?.summary ?? '', helpWidth(width), ' '.repeat(column));
    const [first = '', ...rest] = summary;
    return [`${paint('cyan', name)}${first.slice(name.length)}`, ...rest];
  });
  return `${lines.join('\n')}\n`;
}

async function paramsOf(
  method: Method | undefined,
  words: readonly string[],
  readInput: () => Promise<string>,
): Promise<unknown> {
  const [first, second] = words;
  if (first === undefined) return [];
  if (first === '-') {
    if (second !== undefined)
      throw new UsageError("'-' reads all parameters from stdin: leave the others out");
    return checkedParams(jsonIn(await readInput(), 'stdin'));
  }
  if (second === undefined) {
    const whole = wholeParams(method, first);
    if (whole !== undefined) return whole;
  }
  return method === undefined ? words.map(anyValue) : namedParams(method, words);
}

/** A single word that holds all parameters: a list, or an object whose members are parameters. */
function wholeParams(method: Method | undefined, word: string): object | undefined {
  if (!/^\s*[[{]/.test(word)) return undefined;
  const value = jsonIn(word, 'the parameters');
  if (Array.isArray(value)) return value;
  const names = Object.keys(membersOf(value));
  const isByName = names.every(
    (name) => method?.params.some((param) => param.name === name) ?? true,
  );
  return isByName ? membersOf(value) : undefined;
}

function checkedParams(value: unknown): object {
  if (Array.isArray(value) || isObject(value)) return value;
  throw new UsageError('stdin must hold a JSON object or array with the parameters');
}

function namedParams(method: Method, words: readonly string[]): object {
  const params: Record<string, unknown> = {};
  const remaining = [...method.params];
  for (const word of words) {
    const [, name, text = ''] = /^([a-z_][a-z0-9_]*)=(.*)$/s.exec(word) ?? [];
    const at = name === undefined ? 0 : remaining.findIndex((param) => param.name === name);
    const [param] = at < 0 ? [] : remaining.splice(at, 1);
    if (param === undefined) throw new UsageError(superfluous(method, name, params));
    params[param.name] = parameterValue(name === undefined ? word : text, param);
  }
  return params;
}

function superfluous(
  { name, params }: Method,
  word: string | undefined,
  known: Readonly<Record<string, unknown>>,
): string {
  const help = `'starkbox rpc ${name} --help' lists them`;
  if (word === undefined) return `${name} takes ${params.length} parameters: ${help}`;
  if (Object.hasOwn(known, word)) return `the parameter '${word}' of ${name} is given twice`;
  const near = nearest(
    word,
    params.map((param) => param.name),
  );
  const hint = near === undefined ? help : `did you mean '${near}'?`;
  return `${name} has no parameter '${word}': ${hint}`;
}

/** A word as a value of the type that the specification gives the parameter. */
function parameterValue(word: string, { name, schema }: Parameter): unknown {
  const types = jsonTypes(schema);
  const isCounted = types.has('integer') || types.has('number');
  const text = isCounted ? withoutExponent(word) : word;
  if (typeName(schema) === 'BLOCK_ID') {
    if (/^\d+$/.test(text)) return { block_number: parse(text) };
    if (/^0x/i.test(text)) return { block_hash: text };
  }
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  if (isNumber && isCounted) return parse(text);
  if (/^(true|false)$/.test(text) && types.has('boolean')) return text === 'true';
  if (text === 'null' && types.has('null')) return null;
  if (/^\s*[[{]/.test(text) && (types.has('object') || types.has('array')))
    return jsonIn(text, `'${name}'`);
  if (/^".*"$/s.test(text)) return jsonIn(text, `'${name}'`);
  const { pattern } = resolveSchema(schema).members;
  const isHex = typeof pattern === 'string' && pattern.startsWith('^0x');
  return isNumber && isHex ? `0x${BigInt(text).toString(16)}` : text;
}

/** A whole number such as 1e18 or 1.5e18 with all its digits; any other word as it is. */
function withoutExponent(word: string): string {
  const [, whole = '', fraction = '', exponent = ''] =
    /^(\d{1,80})(?:\.(\d{1,80}))?e\+?(\d{1,2})$/i.exec(word) ?? [];
  const zeros = Number(exponent) - fraction.length;
  if (whole === '' || zeros < 0) return word;
  return String(BigInt(`${whole}${fraction}${'0'.repeat(zeros)}`));
}

/** A value for a method that the specification does not have: JSON, or a string. */
function anyValue(text: string): unknown {
  return parseIfJson(text) ?? text;
}

function jsonIn(text: string, where: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`${where} must be JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

/** Code, name, message, reason and hint of an error. */
function errorText(error: unknown, method: string): string {
  const { code, message, data } = membersOf(error);
  const name = Object.entries(ERRORS).find(([, known]) => known.code === code)?.[0];
  const { reason, explained, ...members } = isObject(data) ? data : { reason: data };
  const { revert_error: _frames, execution_error: _error, ...unexplained } = members;
  // The explanation tells them in words; --raw prints them.
  const others = isObject(explained) ? unexplained : members;
  const hints = [
    ...(reason === undefined
      ? []
      : [`reason: ${typeof reason === 'string' ? reason : stringify(reason)}`]),
    ...(isObject(explained) ? [String(explained['text'] ?? '')] : []),
    ...(Object.keys(others).length === 0 ? [] : [`data: ${stringify(others)}`]),
    ...(typeof code === 'number' ? hintsOn(code, method) : []),
  ];
  const title = [`${method} failed with ${code}`, ...(name === undefined ? [] : [`(${name})`])];
  return [`${title.join(' ')}: ${message}`, ...hints].join('\n');
}

function hintsOn(code: number, method: string): readonly string[] {
  if (code === UNAUTHORIZED) return [`hint: ${TOKEN_HINT}`];
  if (code !== ERRORS.INVALID_PARAMS.code) return [];
  return [`hint: 'starkbox rpc ${method} --help' shows the parameters`];
}
