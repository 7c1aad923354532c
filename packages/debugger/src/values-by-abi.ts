// Values of calldata, results and storage by the types of an ABI.
import {
  type Abi,
  type Decoded,
  decodeInputs,
  decodeOutputs,
  readAbi,
  valueText,
} from '@starkbox/abi';
import type { DEBUG_RUN } from '@starkbox/spec';
import type { Value, Variable } from './debugger.js';

const PLAIN = {
  felt: (felt: string): string => felt,
  address: (felt: string): string => felt,
  classHash: (felt: string): string => felt,
};

/** A value without parts. */
export function leaf(type: string, text: string): Value {
  return { type, text, childCount: 0, children: async () => [] };
}

const isShown = (first: number, count: number, index: number): boolean =>
  index >= first && index < first + count;

export function valueOfDecoded(decoded: Decoded, type: string): Value {
  const parts = partsOf(decoded);
  return {
    type,
    text: valueText(decoded, PLAIN),
    childCount: parts.length,
    children: async (first = 0, count = parts.length) =>
      parts.flatMap(({ name, type: partType, value }, index) =>
        isShown(first, count, index)
          ? [{ name, value: valueOfDecoded(value, partType), isParameter: false }]
          : [],
      ),
  };
}

function partsOf(
  decoded: Decoded,
): readonly { readonly name: string; readonly type: string; readonly value: Decoded }[] {
  switch (decoded.kind) {
    case 'list':
      return decoded.items.map((value, index) => ({ name: String(index), type: '', value }));
    case 'record':
      return decoded.members;
    case 'choice':
      return decoded.value ? [{ name: decoded.variant, type: '', value: decoded.value }] : [];
    default:
      return [];
  }
}

/** Arguments of a call by the ABI of its class, and its result if it has returned; felts where the ABI does not fit. */
export function callVariables(
  run: DEBUG_RUN,
  abi: unknown,
  hasReturned: boolean,
): readonly Variable[] {
  const read = readAbi(abi);
  const entry = entryOf(read, run);
  const inputs = entry && decodeInputs(entry, run.calldata, read);
  const variables: readonly Variable[] =
    inputs?.map(({ name, type, value }) => ({
      name,
      value: valueOfDecoded(value, type),
      isParameter: true,
    })) ?? felts(run.calldata, 'calldata', true);
  if (!hasReturned || run.result === undefined) return variables;
  const outputs = run.failed || !entry ? undefined : decodeOutputs(entry, run.result, read);
  const name = run.failed ? 'panic data' : 'result';
  const results = outputs?.map((value, index) => ({
    name: outputs.length === 1 ? name : `${name} ${index}`,
    value: valueOfDecoded(value, entry?.outputs[index] ?? ''),
    isParameter: false,
  }));
  return [...variables, ...(results ?? felts(run.result, name, false))];
}

function entryOf(abi: Abi, { entry_point_type, entry_point_selector }: DEBUG_RUN) {
  return entry_point_type === 'CONSTRUCTOR'
    ? abi.constructor_
    : abi.functions.get(entry_point_selector);
}

function felts(list: readonly string[], name: string, isParameter: boolean): readonly Variable[] {
  const items = list.map((felt): Decoded => ({ kind: 'felt', felt }));
  return [{ name, value: valueOfDecoded({ kind: 'list', items }, 'Array<felt252>'), isParameter }];
}
