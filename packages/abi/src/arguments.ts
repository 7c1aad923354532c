// Arguments of functions: their number, names and values checked against an ABI.
import type { Abi, AbiFunction, Parameter } from './abi.js';
import { type Build, Decoders, type Encode, Encoders, FeltCursor, forEachAbi } from './codec.js';
import { InvalidInput } from './scalar.js';
import { selectorOf } from './selector.js';
import { inputsOf } from './shape.js';
import { shortType } from './type-name.js';

/** Arguments by position, or by name. */
export type Arguments = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The name, inputs and outputs of a function. */
export type Signature = Pick<AbiFunction, 'name' | 'inputs' | 'outputs'>;

/** A function with its types, for example `transfer(recipient: ContractAddress, amount: u256)`. */
export function signatureOf(of: Signature): string {
  const inputs = inputsOf(of).map(({ name, type }) => `${name}: ${shortType(type)}`);
  const outputs = of.outputs.map(shortType).join(', ');
  return `${of.name}(${inputs.join(', ')})${outputs === '' ? '' : ` -> ${outputs}`}`;
}

/** An error about one argument. */
export function wrongArgument(of: Signature, { name }: Parameter, reason: string): Error {
  const lowered = reason.replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase());
  return new Error(`Argument ${name} of ${signatureOf(of)}: ${lowered}`);
}

/** The constructor of a class; without inputs if the ABI has none. */
export function constructorOf(abi: Abi): Signature {
  return abi.constructor_ ?? { name: 'constructor', inputs: [], outputs: [] };
}

/**
 * The felts of arguments.
 *
 * @throws Error if an argument is missing, unknown or does not fit its type
 */
export function encodeArguments(of: Signature, values: Arguments, abi: Abi): readonly string[] {
  const inputs = inputEncoders(of, abi);
  return encodeEach(of, inputs, orderedArguments(of, values));
}

const encodersOf = forEachAbi((abi) => new Encoders(abi));

interface InputEncoder {
  readonly input: Parameter;
  readonly encode: Encode;
}

function inputEncoders(of: Signature, abi: Abi): readonly InputEncoder[] {
  return inputsOf(of).map((input) => ({ input, encode: encodersOf(abi).of(input.type) }));
}

function encodeEach(
  of: Signature,
  inputs: readonly InputEncoder[],
  values: readonly unknown[],
): readonly string[] {
  const felts: string[] = [];
  let at = 0;
  try {
    for (const { encode } of inputs) {
      encode(values[at], felts);
      at += 1;
    }
  } catch (error) {
    const { input } = inputs[at] ?? {};
    throw input && error instanceof InvalidInput ? wrongArgument(of, input, error.message) : error;
  }
  return felts;
}

/** A decoded value: integers and felts are bigints, addresses and class hashes hexadecimal texts. */
type Value = bigint | boolean | string | readonly Value[] | { readonly [member: string]: Value };

const VALUES: Build<Value> = {
  unit: [],
  felt: (felt, kind) => (kind === 'address' || kind === 'class' ? felt : BigInt(felt)),
  number: (value) => value,
  bool: (value) => value,
  text: (text) => text,
  list: (items) => items,
  record: (values, members, struct) => {
    if (struct === undefined) return values;
    const record: Record<string, Value> = {};
    let at = 0;
    for (const { name } of members) record[name] = values[at++] ?? [];
    return record;
  },
  choice: (variant, value) => (value === undefined ? variant : { [variant]: value }),
};

const decodersOf = forEachAbi((abi) => new Decoders(abi, VALUES));

/** Encoder of a function's arguments and decoder of its results. */
export interface FunctionCodec {
  readonly name: string;
  readonly selector: string;
  readonly inputs: readonly Parameter[];
  /** Types of the results. */
  readonly outputs: readonly string[];
  /** @throws Error as `encodeArguments` does */
  encode(values: readonly unknown[]): readonly string[];
  /** Undefined for a function without a result; a list for several results. */
  decode(result: readonly string[]): Value | undefined;
}

/** The codec of a function. */
export function functionCodec(of: Signature, abi: Abi): FunctionCodec {
  const inputs = inputEncoders(of, abi);
  const outputs = of.outputs.map((type) => decodersOf(abi).of(type));
  return {
    name: of.name,
    selector: selectorOf(of.name),
    inputs: inputs.map(({ input }) => input),
    outputs: of.outputs,
    encode: (values) =>
      encodeEach(
        of,
        inputs,
        values.length === inputs.length ? values : orderedArguments(of, values),
      ),
    decode: (result) => {
      const felts = new FeltCursor(result);
      if (outputs.length === 1) return outputs[0]?.(felts);
      return outputs.length === 0 ? undefined : outputs.map((output) => output(felts));
    },
  };
}

/**
 * Puts arguments into the order of a function's inputs.
 *
 * @throws Error if their number or names differ from the inputs
 */
export function orderedArguments(of: Signature, values: Arguments): readonly unknown[] {
  const inputs = inputsOf(of);
  if (isList(values) && values.length === inputs.length) return values;
  const plural = inputs.length === 1 ? '' : 's';
  const takes = `${signatureOf(of)} takes ${inputs.length} argument${plural}`;
  if (isList(values)) {
    const verb = values.length === 1 ? 'was' : 'were';
    throw new Error(`${takes}; ${values.length} ${verb} given.`);
  }
  const names = new Set(inputs.map(({ name }) => name));
  const unknown = Object.keys(values).filter((name) => !names.has(name));
  const missing = [...names].filter((name) => !Object.hasOwn(values, name));
  if (unknown.length > 0) throw new Error(`${takes}; none is named ${unknown.join(', ')}.`);
  if (missing.length > 0) throw new Error(`${takes}; ${missing.join(', ')} was not given.`);
  return inputs.map(({ name }) => values[name]);
}

const isList = (values: Arguments): values is readonly unknown[] => Array.isArray(values);
