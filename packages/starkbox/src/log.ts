// Log lines, on stderr unless another stream is given.
import { createRequire } from 'node:module';
import { shortAddress, textWidth, wrapLine } from '@starkbox/abi/basics';
import {
  type Colour,
  type Output,
  painter,
  shortenText,
  usesColour,
  visible,
  widthOf,
} from './terminal.js';

/** Fields first, or just a message. An `Error` among the fields is shown with its stack. */
export interface Log {
  /** Writes a line of the level `debug`. */
  debug(fields: object | string, message?: string): void;
  /** Writes a line of the level `info`. */
  info(fields: object | string, message?: string): void;
  /** Writes a line of the level `warn`. */
  warn(fields: object | string, message?: string): void;
  /** Writes a line of the level `error`. */
  error(fields: object | string, message?: string): void;
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/** Options of `createLog`. */
export interface LogOptions {
  /** The lowest level that is written; `silent` for none. */
  readonly level: 'silent' | Level;
  /** `pretty` for people, `json` for programs. */
  readonly format: 'pretty' | 'json';
}

/** Characters of a message or of a field; a body is at most this long. */
const MAX_LENGTH = 65 * 1024;

const nothing = (): void => {};

/** A log that writes nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const COLOURS: { readonly [level in keyof Log]: Colour } = {
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
};

/** Returns a log that writes to a stream; to stderr by default. */
export function createLog({ level, format }: LogOptions, output: Output = process.stderr): Log {
  if (level === 'silent') return silentLog;
  return format === 'json' ? jsonLog(level, output) : prettyLog(level, output);
}

/** Without pino-pretty, which needs 70 ms for its first line: a third of a start. */
function prettyLog(least: Level, output: Output): Log {
  const coloured = usesColour(output);
  const line = (level: keyof Log): Log[keyof Log] =>
    LEVELS.indexOf(level) < LEVELS.indexOf(least)
      ? nothing
      : (fields, message) =>
          void output.write(fittedLine(prettyLine(level, fields, message, coloured), output));
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

function prettyLine(
  level: keyof Log,
  first: object | string,
  message: string | undefined,
  coloured: boolean,
): string {
  const paint = painter(coloured);
  // Seconds since the start; the json format has the time of day.
  const time = paint('dim', `${process.uptime().toFixed(3).padStart(9)}s`);
  const name = paint(COLOURS[level], level.toUpperCase().padEnd(5));
  const text = safe(typeof first === 'string' ? first : (message ?? ''));
  const [fields, stacks] = typeof first === 'string' ? ['', ''] : describe(first);
  return `${[time, name, text, paint('dim', fields)].filter(Boolean).join(' ')}\n${stacks}`;
}

/** Of the time, which stays alone in its column. */
const INDENT = ' '.repeat(10);
/** Hashes of transactions stay whole, since people copy them. */
const OTHER_HASH = /(?<!transaction )0x[0-9a-f]{17,}/gi;

/** On a terminal, a long line is wrapped below its message. */
function fittedLine(line: string, output: Output): string {
  const width = widthOf(output);
  if (width === undefined || line.length <= width) return line;
  const [first = '', ...rest] = line.split('\n');
  const short =
    textWidth(first) <= width ? first : first.replace(OTHER_HASH, (hash) => shortAddress(hash));
  return [...wrapLine(short, width, INDENT), ...rest].join('\n');
}

/** Texts may come from outside: further lines are indented, so that none looks like one of the log. */
function safe(text: string): string {
  return visible(shortenText(text, MAX_LENGTH)).replace(/\n(?!$)/g, '\n    ');
}

/** Fields as `name=value`, and the stacks of errors as lines of their own. */
function describe(fields: object): readonly [string, string] {
  const entries = Object.entries(fields instanceof Error ? { err: fields } : fields);
  const stacks = entries
    .filter(([, value]) => value instanceof Error)
    .map(([, error]) => `    ${safe(String(error.stack ?? error))}\n`);
  const plain = entries
    .filter(([, value]) => !(value instanceof Error) && value !== undefined)
    .map(([key, value]) => `${key}=${safe(inWords(value))}`);
  return [plain.join(' '), stacks.join('')];
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  try {
    return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));
  } catch {
    return '[circular]';
  }
}

/** Loaded only here, because it takes 30 ms. */
function jsonLog(level: Level, output: Output): Log {
  const require = createRequire(import.meta.url);
  const { pino }: typeof import('pino') = require('pino');
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
      hooks: {
        logMethod(args, method) {
          const cut = args.map((part) =>
            typeof part === 'string' ? shortenText(part, MAX_LENGTH) : part,
          );
          Reflect.apply(method, this, cut);
        },
      },
    },
    // JSON leaves some control characters as they are.
    { write: (line: string) => void output.write(visible(line)) },
  );
}
