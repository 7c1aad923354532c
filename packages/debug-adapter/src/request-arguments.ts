// Checks of the arguments of requests, which any program that connects can choose.
import { isObject } from '@starkbox/abi/basics';

/** Instructions of one request before and after its address: more than any editor shows. */
const MAX_INSTRUCTIONS = 4_096;

/** A kind of value, as a sentence names it. */
class Kind {
  readonly name: string;
  readonly accepts: (value: unknown) => boolean;

  constructor(name: string, accepts: (value: unknown) => boolean) {
    this.name = name;
    this.accepts = accepts;
  }
}

function integerFrom(first: number, last: number): Kind {
  return new Kind(
    `an integer from ${first} to ${last}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= first && Number(value) <= last,
  );
}

const STRING = new Kind('a string', (value) => typeof value === 'string');
const COUNT = integerFrom(0, Number.MAX_SAFE_INTEGER);
const ADDRESS = new Kind(
  'an address of a frame or instruction',
  (value) => typeof value === 'string' && /^(0x[\da-f]{1,16}|\d{1,16})$/i.test(value),
);

/** Members of an object, which may be missing where the name ends with `?`; or a list of one shape. */
type Shape = Kind | { readonly [name: string]: Shape } | readonly [Shape];

const SOURCE: Shape = { 'path?': STRING, 'sourceReference?': COUNT };
const STEP: Shape = { 'granularity?': STRING };

/** Arguments that the adapter reads, by command; launch arguments are checked where they are read. */
const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['setBreakpoints', { source: SOURCE, 'breakpoints?': [{ line: COUNT, 'condition?': STRING }] }],
  ['setFunctionBreakpoints', { breakpoints: [{ name: STRING, 'condition?': STRING }] }],
  ['setExceptionBreakpoints', { filters: [STRING] }],
  ['breakpointLocations', { source: SOURCE, line: COUNT, 'endLine?': COUNT }],
  ['next', STEP],
  ['stepIn', STEP],
  ['stepOut', STEP],
  ['stepBack', STEP],
  ['restartFrame', { frameId: COUNT }],
  ['gotoTargets', { source: SOURCE, line: COUNT }],
  ['goto', { targetId: COUNT }],
  ['starkbox/goTo', { position: COUNT }],
  ['stackTrace', { 'startFrame?': COUNT, 'levels?': COUNT }],
  ['scopes', { frameId: COUNT }],
  ['variables', { variablesReference: COUNT, 'start?': COUNT, 'count?': COUNT }],
  ['evaluate', { expression: STRING, 'frameId?': COUNT }],
  ['source', { sourceReference: COUNT, 'source?': SOURCE }],
  [
    'disassemble',
    {
      memoryReference: ADDRESS,
      instructionCount: integerFrom(0, MAX_INSTRUCTIONS),
      'instructionOffset?': integerFrom(-MAX_INSTRUCTIONS, MAX_INSTRUCTIONS),
      'offset?': integerFrom(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    },
  ],
]);

const MAX_SHOWN = 100;

/**
 * The arguments of a request, without those that are null.
 *
 * @throws Error with a sentence for the user of the editor
 */
export function readArguments(command: string, value: unknown): object {
  const where = `the arguments of ${command}`;
  if (!isObject(value)) throw wrong(value, 'an object', where);
  const present = Object.entries(value).filter(([, argument]) => argument !== null);
  const args = Object.fromEntries(present);
  check(args, SHAPES.get(command) ?? {}, where);
  return args;
}

function check(value: unknown, shape: Shape, where: string): void {
  if (shape instanceof Kind) {
    if (!shape.accepts(value)) throw wrong(value, shape.name, where);
  } else if (isList(shape)) {
    if (!Array.isArray(value)) throw wrong(value, 'a list', where);
    for (const [index, item] of value.entries()) check(item, shape[0], `${where}[${index}]`);
  } else {
    if (!isObject(value)) throw wrong(value, 'an object', where);
    for (const [key, member] of Object.entries(shape)) {
      const name = key.replace(/\?$/, '');
      const isMissing = value[name] === undefined || value[name] === null;
      if (!isMissing || name === key) check(value[name], member, `${name} of ${where}`);
    }
  }
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function wrong(value: unknown, expected: string, where: string): Error {
  const text = value === undefined ? 'nothing' : JSON.stringify(value).slice(0, MAX_SHOWN);
  return new Error(`Expected ${expected} as ${where}, but got ${text}.`);
}
