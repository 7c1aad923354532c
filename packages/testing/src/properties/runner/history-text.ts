// Histories as JSON: in the files of a corpus.
import { membersOf } from '@starkbox/abi/basics';
import { type History, isList, type Step, type StepValue } from '../model/history.js';

/** JSON has no bigints: `n:` stands before them, `s:` before strings. */
type JsonValue =
  | string
  | number
  | boolean
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

const NUMBER = 'n:';
const STRING = 's:';

export function valueToJson(value: StepValue): JsonValue {
  if (typeof value === 'bigint') return `${NUMBER}${value}`;
  if (typeof value === 'string') return `${STRING}${value}`;
  if (typeof value !== 'object') return value;
  if (isList(value)) return value.map(valueToJson);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, valueToJson(member)] as const),
  );
}

export function stepToJson(step: Step): object {
  return 'arguments' in step ? { ...step, arguments: step.arguments.map(valueToJson) } : step;
}

/** @throws TypeError if the value is no history */
export function historyOfJson(json: unknown): History {
  if (!Array.isArray(json)) throw new TypeError('its history is not a list');
  return json.map(stepOfJson);
}

function stepOfJson(json: unknown, index: number): Step {
  const {
    kind,
    from,
    to,
    function: name,
    name: action,
    arguments: args,
    seconds,
  } = membersOf(json);
  switch (kind) {
    case 'call':
      return {
        kind,
        from: textOf(from, index),
        to: textOf(to, index),
        function: textOf(name, index),
        arguments: argumentsOf(args, index),
      };
    case 'action':
      return { kind, name: textOf(action, index), arguments: argumentsOf(args, index) };
    case 'time':
      if (typeof seconds !== 'number' || !Number.isSafeInteger(seconds) || seconds < 0) {
        throw wrongStep(index);
      }
      return { kind, seconds };
    case 'block':
      return { kind };
    default:
      throw wrongStep(index);
  }
}

const wrongStep = (index: number): TypeError => new TypeError(`step ${index + 1} is damaged`);

function textOf(value: unknown, index: number): string {
  if (typeof value !== 'string') throw wrongStep(index);
  return value;
}

function argumentsOf(values: unknown, index: number): readonly StepValue[] {
  if (!Array.isArray(values)) throw wrongStep(index);
  return values.map((value) => valueOfJson(value, index));
}

function valueOfJson(value: unknown, index: number): StepValue {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value === 'string') {
    const content = value.slice(2);
    if (value.startsWith(STRING)) return content;
    if (value.startsWith(NUMBER) && /^-?\d+$/.test(content)) return BigInt(content);
    throw wrongStep(index);
  }
  if (Array.isArray(value)) return value.map((item: unknown) => valueOfJson(item, index));
  if (typeof value !== 'object' || value === null) throw wrongStep(index);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, valueOfJson(member, index)] as const),
  );
}
