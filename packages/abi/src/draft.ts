// Drafts: values of an ABI type while they are typed, with their validation and encoding.
import type { Abi, Parameter } from './abi.js';
import type { Decoded } from './decode.js';
import { toFelt } from './felt.js';
import {
  addressOf,
  boolOf,
  byteArrayOf,
  classHashOf,
  feltOf,
  InvalidInput,
  integerOf,
  type Resolve,
  rawOf,
} from './scalar.js';
import { countFields, DEEPEST, MAX_FIELDS, rangeOf, type Shape, shapeOf } from './shape.js';

/** A text for a scalar, a list for a list or struct, a variant with its value for an enum. */
export type Draft = string | readonly Draft[] | { readonly variant: number; readonly value: Draft };

export interface Encoded {
  readonly felts: readonly string[];
  /** The error of this value itself. */
  readonly error?: string;
  readonly parts?: readonly Encoded[];
  /** Whether the value or any part of it has an error. */
  readonly isWrong: boolean;
}

export const MAX_ITEMS = 2_000;

/** Whether the inputs have few enough fields for a form. */
export function isFormable(inputs: readonly Parameter[], abi: Abi): boolean {
  if (inputs.length > MAX_FIELDS) return false;
  const fields = inputs.reduce((all, { type }) => {
    const fields = countFields(type, abi);
    return all + (fields > MAX_FIELDS ? 1 : fields);
  }, 0);
  return fields <= MAX_FIELDS;
}

/** The draft that a new form starts with. */
export function blankDraft(type: string, abi: Abi, depth = 0): Draft {
  if (depth > DEEPEST) return '';
  const shape = shapeOf(type, abi);
  switch (shape.kind) {
    case 'bool':
      return 'false';
    case 'list':
      return Array.from({ length: shape.length ?? 0 }, () => blankDraft(shape.of, abi, depth + 1));
    case 'record':
      return shape.members.map((member) => blankDraft(member.type, abi, depth + 1));
    case 'choice':
      return variantDraft(shape, shape.first, abi, depth);
    default:
      return '';
  }
}

/** The draft of an enum after a variant was selected. */
export function variantDraft(
  shape: Extract<Shape, { kind: 'choice' }>,
  variant: number,
  abi: Abi,
  depth = 0,
): Draft {
  return { variant, value: blankDraft(shape.variants[variant]?.type ?? '()', abi, depth + 1) };
}

/** A draft from an untrusted source, for example the address bar; parts that do not fit the type become blank. */
export function fitDraft(type: string, json: unknown, abi: Abi, depth = 0): Draft {
  const fresh = (): Draft => blankDraft(type, abi, depth);
  if (depth > DEEPEST) return '';
  const shape = shapeOf(type, abi);
  switch (shape.kind) {
    case 'list':
      if (!Array.isArray(json) || json.length > MAX_ITEMS) return fresh();
      if (shape.length !== undefined && json.length !== shape.length) return fresh();
      return json.map((item) => fitDraft(shape.of, item, abi, depth + 1));
    case 'record':
      if (!Array.isArray(json)) return fresh();
      return shape.members.map((member, at) => fitDraft(member.type, json[at], abi, depth + 1));
    case 'choice': {
      if (!isChosen(json)) return fresh();
      const variant = shape.variants[json.variant];
      if (!variant) return fresh();
      return { variant: json.variant, value: fitDraft(variant.type, json.value, abi, depth + 1) };
    }
    default:
      return typeof json === 'string' ? json : fresh();
  }
}

function isChosen(value: unknown): value is { readonly variant: number; readonly value: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'variant' in value &&
    typeof value.variant === 'number' &&
    'value' in value
  );
}

/** Encodes a draft; each part carries its own felts and error. */
export function encodeDraft(
  type: string,
  draft: Draft,
  abi: Abi,
  resolve: Resolve = () => undefined,
): Encoded {
  return encode(type, draft, abi, resolve, { items: 0 }, 0);
}

const wrong = (error: string): Encoded => ({ felts: [], error, isWrong: true });

function encode(
  type: string,
  draft: Draft,
  abi: Abi,
  resolve: Resolve,
  budget: { items: number },
  depth: number,
): Encoded {
  if (depth > DEEPEST) return wrong('The value is nested too deeply.');
  const inner = (of: string, part: Draft): Encoded =>
    encode(of, part, abi, resolve, budget, depth + 1);
  const whole = (head: readonly string[], parts: readonly Encoded[]): Encoded => ({
    felts: [...head, ...parts.flatMap(({ felts }) => felts)],
    parts,
    isWrong: parts.some(({ isWrong }) => isWrong),
  });
  const shape = shapeOf(type, abi);
  switch (shape.kind) {
    case 'list': {
      const items = Array.isArray(draft) ? draft : [];
      budget.items += items.length;
      if (budget.items > MAX_ITEMS) return wrong(`A form takes at most ${MAX_ITEMS} items in all.`);
      const head = shape.length === undefined ? [toFelt(BigInt(items.length))] : [];
      return whole(
        head,
        items.map((item) => inner(shape.of, item)),
      );
    }
    case 'record': {
      const parts = Array.isArray(draft) ? draft : [];
      return whole(
        [],
        shape.members.map((member, at) => inner(member.type, parts[at] ?? '')),
      );
    }
    case 'choice': {
      const chosen = isChosen(draft) ? draft : { variant: shape.first, value: '' };
      const variant = shape.variants[chosen.variant];
      if (!variant) return wrong('Select a variant.');
      return whole([toFelt(BigInt(chosen.variant))], [inner(variant.type, chosen.value)]);
    }
    default:
      try {
        const text = typeof draft === 'string' ? draft : '';
        return { felts: simple(shape, text, resolve), isWrong: false };
      } catch (error) {
        return wrong(
          error instanceof InvalidInput ? error.message : 'The value does not fit the type.',
        );
      }
  }
}

function simple(shape: Shape, draft: string, resolve: Resolve): readonly string[] {
  const text = draft.trim();
  switch (shape.kind) {
    case 'text':
      return byteArrayOf(draft);
    case 'unit':
      return [];
    case 'raw':
      return rawOf(text);
    case 'bool':
      return [boolOf(text)];
    case 'address':
      return [addressOf(text, resolve)];
    case 'class':
      return [classHashOf(text)];
    case 'integer':
      return integerOf(text, rangeOf(shape));
    case 'felt':
      return [feltOf(text, shape.bits)];
    default:
      return [];
  }
}

/** The draft of a JSON value: lists, structs by member name or position, enums as `{"Variant": value}`. */
export function draftOfJson(type: string, json: unknown, abi: Abi, depth = 0): Draft {
  if (depth > DEEPEST) throw new InvalidInput('The value is nested too deeply.');
  const shape = shapeOf(type, abi);
  const inner = (of: string, part: unknown): Draft => draftOfJson(of, part, abi, depth + 1);
  switch (shape.kind) {
    case 'list': {
      if (!Array.isArray(json)) throw new InvalidInput('Enter a list, for example ["0x1", "0x2"].');
      if (json.length > MAX_ITEMS) throw new InvalidInput(`A list has at most ${MAX_ITEMS} items.`);
      if (shape.length !== undefined && json.length !== shape.length)
        throw new InvalidInput(`This type takes ${shape.length} values.`);
      return json.map((item) => inner(shape.of, item));
    }
    case 'record': {
      if (Array.isArray(json)) {
        if (json.length !== shape.members.length)
          throw new InvalidInput(`This type takes ${shape.members.length} values.`);
        return shape.members.map((member, at) => inner(member.type, json[at]));
      }
      if (typeof json !== 'object' || json === null)
        throw new InvalidInput('Enter an object with a value for each member.');
      const fields = new Map(Object.entries(json));
      return shape.members.map((member) => inner(member.type, fields.get(member.name)));
    }
    case 'choice': {
      const [name, value] =
        typeof json === 'string'
          ? [json, undefined]
          : (Object.entries(json ?? {})[0] ?? ['', undefined]);
      const at = shape.variants.findIndex((variant) => variant.name === name);
      const variant = shape.variants[at];
      if (!variant)
        throw new InvalidInput(
          `Write one of ${shape.variants
            .slice(0, 10)
            .map((member) => member.name.slice(0, 40))
            .join(', ')}.`,
        );
      return { variant: at, value: variant.type === '()' ? '' : inner(variant.type, value) };
    }
    case 'raw':
      return Array.isArray(json) ? json.map(String).join(' ') : String(json ?? '');
    default:
      return typeof json === 'object' ? '' : String(json ?? '');
  }
}

/** The draft of a decoded value. */
export function draftOfDecoded(type: string, value: Decoded, abi: Abi): Draft {
  const shape = shapeOf(type, abi);
  switch (value.kind) {
    case 'felt':
    case 'address':
    case 'class':
      return value.felt;
    case 'number':
      return value.value.toString();
    case 'bool':
      return String(value.value);
    case 'text':
      return value.text;
    case 'unit':
      return '';
    case 'list':
      return shape.kind === 'list'
        ? value.items.map((item) => draftOfDecoded(shape.of, item, abi))
        : blankDraft(type, abi);
    case 'record':
      return shape.kind === 'record'
        ? shape.members.map((member, at) => {
            const part = value.members[at]?.value;
            return part ? draftOfDecoded(member.type, part, abi) : blankDraft(member.type, abi);
          })
        : blankDraft(type, abi);
    case 'choice': {
      if (shape.kind !== 'choice') return blankDraft(type, abi);
      const at = shape.variants.findIndex(({ name }) => name === value.variant);
      const variant = shape.variants[at];
      if (!variant) return blankDraft(type, abi);
      return {
        variant: at,
        value: value.value ? draftOfDecoded(variant.type, value.value, abi) : '',
      };
    }
  }
}
