// Arguments of functions: their number, names and values checked against an ABI.
import type { Abi, AbiFunction, Parameter } from './abi.js';
import { draftOfJson, encodeDraft, inputsOf } from './draft.js';
import { firstError } from './encode.js';
import { InvalidInput } from './scalar.js';
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
  const inputs = inputsOf(of);
  return orderedArguments(of, values).flatMap((value, at) => {
    const { name, type } = inputs[at] ?? { name: '', type: '' };
    const wrong = (reason: string): Error => wrongArgument(of, { name, type }, reason);
    refuseRounded(value, wrong);
    try {
      const encoded = encodeDraft(type, draftOfJson(type, value, abi), abi);
      if (!encoded.isWrong) return encoded.felts;
      throw new InvalidInput(firstError(encoded) ?? 'The value does not fit the type.');
    } catch (error) {
      throw error instanceof InvalidInput ? wrong(error.message) : error;
    }
  });
}

/**
 * Puts arguments into the order of a function's inputs.
 *
 * @throws Error if their number or names differ from the inputs
 */
export function orderedArguments(of: Signature, values: Arguments): readonly unknown[] {
  const inputs = inputsOf(of);
  const plural = inputs.length === 1 ? '' : 's';
  const takes = `${signatureOf(of)} takes ${inputs.length} argument${plural}`;
  if (isList(values)) {
    if (values.length === inputs.length) return values;
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

/** JSON numbers lose digits above 2^53. */
function refuseRounded(value: unknown, wrong: (reason: string) => Error): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw wrong(
      `${value} is not exact as a JSON number: write it as a string, for example "0x10".`,
    );
  }
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) refuseRounded(part, wrong);
  }
}
