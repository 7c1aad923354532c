// Values of contracts as JSON: arguments encoded by an ABI, results and events decoded by it.
import {
  type Abi,
  type AbiFunction,
  type Decoded,
  draftOfJson,
  encodeDraft,
  firstError,
  InvalidInput,
  inputsOf,
  type Named,
  type Parameter,
  shortType,
} from '@starkbox/abi';

/** Arguments by position, or by name. */
export type Arguments = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A function with its types, for example `transfer(recipient: ContractAddress, amount: u256)`. */
export function signatureOf(of: Pick<AbiFunction, 'name' | 'inputs' | 'outputs'>): string {
  const inputs = inputsOf(of).map(({ name, type }) => `${name}: ${shortType(type)}`);
  const outputs = of.outputs.map(shortType).join(', ');
  return `${of.name}(${inputs.join(', ')})${outputs === '' ? '' : ` -> ${outputs}`}`;
}

/** The felts of arguments. */
export function encodeArguments(
  of: Pick<AbiFunction, 'name' | 'inputs' | 'outputs'>,
  values: Arguments,
  abi: Abi,
): readonly string[] {
  const inputs = inputsOf(of);
  return ordered(of, inputs, values).flatMap((value, at) => {
    const { name, type } = inputs[at] ?? { name: '', type: '' };
    const wrong = (reason: string): Error =>
      new Error(`Argument ${name} (${shortType(type)}) of ${of.name}: ${reason}`);
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

function ordered(
  of: Pick<AbiFunction, 'name' | 'inputs' | 'outputs'>,
  inputs: readonly Parameter[],
  values: Arguments,
): readonly unknown[] {
  const takes = `${signatureOf(of)} takes ${inputs.length} arguments`;
  if (isList(values)) {
    if (values.length === inputs.length) return values;
    throw new Error(`${takes}; ${values.length} were given.`);
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

/** A decoded value as JSON; numbers are texts, because JSON numbers lose digits. */
export function jsonOf(value: Decoded): unknown {
  switch (value.kind) {
    case 'felt':
    case 'address':
    case 'class':
      return value.felt;
    case 'number':
      return String(value.value);
    case 'bool':
      return value.value;
    case 'text':
      return value.text;
    case 'list':
      return value.items.map(jsonOf);
    case 'record':
      return membersJson(value.members);
    case 'choice':
      return value.value === undefined ? value.variant : { [value.variant]: jsonOf(value.value) };
    case 'unit':
      return null;
  }
}

export function membersJson(members: readonly Named[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members.map(({ name, value }) => [name, jsonOf(value)]));
}
