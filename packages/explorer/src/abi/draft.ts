// Knows a value while it is being typed: what it begins as, what is wrong with it, and which felts it becomes.

import type { Abi, Parameter } from './abi.js';
import type { Decoded } from './decode.js';
import { toFelt } from './felt.js';
import {
  addressOf,
  boolOf,
  byteArrayOf,
  classHashOf,
  feltOf,
  integerOf,
  Refusal,
  type Resolve,
  rawOf,
} from './scalar.js';
import { DEEPEST, MOST_FIELDS, type Shape, shapeOf, weigh } from './shape.js';

/** A text for what is simple, a list for what has parts, a variant and its value for a choice. */
export type Draft = string | readonly Draft[] | { readonly variant: number; readonly value: Draft };

export interface Encoded {
  readonly felts: readonly string[];
  /** What is wrong with this value itself. */
  readonly error?: string;
  readonly parts?: readonly Encoded[];
  /** Whether it or any part of it is wrong. */
  readonly isWrong: boolean;
}

export const MOST_ITEMS = 2_000;

/** Lists of Cairo 0 have their length before them, which nobody has to type. */
export function inputsOf(of: { readonly inputs: readonly Parameter[] }): readonly Parameter[] {
  return of.inputs.filter(({ name }, at) => {
    const next = of.inputs[at + 1];
    return !(next?.type.endsWith('*') === true && name === `${next.name}_len`);
  });
}

/** Whether a form can be made of the inputs at all. */
export function isFormable(inputs: readonly Parameter[], abi: Abi): boolean {
  if (inputs.length > MOST_FIELDS) return false;
  const fields = inputs.reduce((all, { type }) => {
    const weight = weigh(type, abi);
    return all + (weight > MOST_FIELDS ? 1 : weight);
  }, 0);
  return fields <= MOST_FIELDS;
}

export function blank(type: string, abi: Abi, depth = 0): Draft {
  if (depth > DEEPEST) return '';
  const shape = shapeOf(type, abi);
  switch (shape.kind) {
    case 'bool':
      return 'false';
    case 'list':
      return Array.from({ length: shape.length ?? 0 }, () => blank(shape.of, abi, depth + 1));
    case 'record':
      return shape.members.map((member) => blank(member.type, abi, depth + 1));
    case 'choice':
      return choose(shape, shape.first, abi, depth);
    default:
      return '';
  }
}

/** The draft of a choice when a variant has just been chosen. */
export function choose(
  shape: Extract<Shape, { kind: 'choice' }>,
  variant: number,
  abi: Abi,
  depth = 0,
): Draft {
  return { variant, value: blank(shape.variants[variant]?.type ?? '()', abi, depth + 1) };
}

/** Makes a draft from elsewhere, say an address bar, fit its type; what does not fit is begun anew. */
export function fit(type: string, given: unknown, abi: Abi, depth = 0): Draft {
  const fresh = (): Draft => blank(type, abi, depth);
  if (depth > DEEPEST) return '';
  const shape = shapeOf(type, abi);
  switch (shape.kind) {
    case 'list':
      if (!Array.isArray(given) || given.length > MOST_ITEMS) return fresh();
      if (shape.length !== undefined && given.length !== shape.length) return fresh();
      return given.map((item) => fit(shape.of, item, abi, depth + 1));
    case 'record':
      if (!Array.isArray(given)) return fresh();
      return shape.members.map((member, at) => fit(member.type, given[at], abi, depth + 1));
    case 'choice': {
      if (!isChosen(given)) return fresh();
      const variant = shape.variants[given.variant];
      if (!variant) return fresh();
      return { variant: given.variant, value: fit(variant.type, given.value, abi, depth + 1) };
    }
    default:
      return typeof given === 'string' ? given : fresh();
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

/** The felts that a draft becomes, each part with its own and with what is wrong with it. */
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
  if (depth > DEEPEST) return wrong('This is nested too deeply.');
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
      if (budget.items > MOST_ITEMS)
        return wrong(`A form takes at most ${MOST_ITEMS} items in all.`);
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
      if (!variant) return wrong('Choose one.');
      return whole([toFelt(BigInt(chosen.variant))], [inner(variant.type, chosen.value)]);
    }
    default:
      try {
        const text = typeof draft === 'string' ? draft : '';
        return { felts: simple(shape, text, resolve), isWrong: false };
      } catch (error) {
        return wrong(error instanceof Refusal ? error.message : 'This does not fit the type.');
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
      return integerOf(text, shape.signed, shape.bits);
    case 'felt':
      return [feltOf(text, shape.bits)];
    default:
      return [];
  }
}

/** The draft of a value that somebody wrote as JSON: lists, records by name or place, `{"Variant": value}`. */
export function draftOf(type: string, given: unknown, abi: Abi, depth = 0): Draft {
  if (depth > DEEPEST) throw new Refusal('This is nested too deeply.');
  const shape = shapeOf(type, abi);
  const inner = (of: string, part: unknown): Draft => draftOf(of, part, abi, depth + 1);
  switch (shape.kind) {
    case 'list': {
      if (!Array.isArray(given)) throw new Refusal('Write a list, for example ["0x1", "0x2"].');
      if (given.length > MOST_ITEMS) throw new Refusal(`A list has at most ${MOST_ITEMS} items.`);
      if (shape.length !== undefined && given.length !== shape.length)
        throw new Refusal(`This takes ${shape.length} values.`);
      return given.map((item) => inner(shape.of, item));
    }
    case 'record': {
      if (Array.isArray(given)) {
        if (given.length !== shape.members.length)
          throw new Refusal(`This takes ${shape.members.length} values.`);
        return shape.members.map((member, at) => inner(member.type, given[at]));
      }
      if (typeof given !== 'object' || given === null)
        throw new Refusal('Write an object with a value for each member.');
      const fields = new Map(Object.entries(given));
      return shape.members.map((member) => inner(member.type, fields.get(member.name)));
    }
    case 'choice': {
      const [name, value] =
        typeof given === 'string'
          ? [given, undefined]
          : (Object.entries(given ?? {})[0] ?? ['', undefined]);
      const at = shape.variants.findIndex((variant) => variant.name === name);
      const variant = shape.variants[at];
      if (!variant)
        throw new Refusal(
          `Write one of ${shape.variants
            .slice(0, 10)
            .map((one) => one.name.slice(0, 40))
            .join(', ')}.`,
        );
      return { variant: at, value: variant.type === '()' ? '' : inner(variant.type, value) };
    }
    case 'raw':
      return Array.isArray(given) ? given.map(String).join(' ') : String(given ?? '');
    default:
      return typeof given === 'object' ? '' : String(given ?? '');
  }
}

/** The draft that a value on the chain would have been typed as. */
export function draftFrom(type: string, value: Decoded, abi: Abi): Draft {
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
        ? value.items.map((item) => draftFrom(shape.of, item, abi))
        : blank(type, abi);
    case 'record':
      return shape.kind === 'record'
        ? shape.members.map((member, at) => {
            const part = value.members[at]?.value;
            return part ? draftFrom(member.type, part, abi) : blank(member.type, abi);
          })
        : blank(type, abi);
    case 'choice': {
      if (shape.kind !== 'choice') return blank(type, abi);
      const at = shape.variants.findIndex(({ name }) => name === value.variant);
      const variant = shape.variants[at];
      if (!variant) return blank(type, abi);
      return {
        variant: at,
        value: value.value ? draftFrom(variant.type, value.value, abi) : '',
      };
    }
  }
}
