// Values and steps as TypeScript.
import { isList, type Step, type StepValue } from '../model/history.js';

/** Names of addresses, which stand for them. */
export type AddressNames = ReadonlyMap<string, string>;

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

/** A value as it is written in TypeScript. */
export function valueCode(value: StepValue, names: AddressNames): string {
  if (typeof value === 'bigint') return `${groupedDigits(value)}n`;
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string') return names.get(value) ?? quote(value);
  if (isList(value)) return `[${value.map((part) => valueCode(part, names)).join(', ')}]`;
  const members = Object.entries(value).map(([name, part]) => {
    const key = PLAIN_KEY.test(name) ? name : quote(name);
    return `${key}: ${valueCode(part, names)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Long numbers are hard to read without groups. */
function groupedDigits(value: bigint): string {
  const digits = value.toString();
  return digits.replace('-', '').length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, '_');
}

export function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}

/** A step in words, for a table: who, and what. */
export function stepCells(step: Step, names: AddressNames): readonly [actor: string, call: string] {
  const listValues = (values: readonly StepValue[]): string =>
    values.map((value) => valueCode(value, names)).join(', ');
  switch (step.kind) {
    case 'call':
      return [
        names.get(step.from) ?? step.from,
        `${names.get(step.to) ?? step.to}.${step.function}(${listValues(step.arguments)})`,
      ];
    case 'action':
      return ['', `${step.name}(${listValues(step.arguments)})`];
    case 'time':
      return ['', `${groupedDigits(BigInt(step.seconds))} seconds pass`];
    case 'block':
      return ['', 'the block is closed'];
  }
}

const RESERVED = new Set(['chain', 'options', 'run', 'test', 'invariants', 'openRun', 'contract']);
const KEYWORDS =
  /^(?:await|break|case|catch|class|const|continue|default|delete|do|else|enum|export|extends|false|finally|for|function|if|import|in|instanceof|interface|let|new|null|package|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield)$/;

/** Identifiers for named addresses: distinct, and none that a test has already. */
export function identifiersOf(
  addresses: readonly { readonly name: string; readonly address: string }[],
): AddressNames {
  const identifiers = new Map<string, string>();
  const reserved = new Set(RESERVED);
  for (const { name, address } of addresses) {
    if (identifiers.has(address)) continue;
    const letters = name.replace(/[^\w$]+(\w?)/g, (_, next: string) => next.toUpperCase());
    const plain = /^[A-Za-z_$]/.test(letters) ? letters : `contract${letters}`;
    const base = KEYWORDS.test(plain) ? `${plain}Contract` : plain;
    let identifier = base;
    for (let count = 2; reserved.has(identifier); count++) identifier = `${base}${count}`;
    reserved.add(identifier);
    identifiers.set(address, identifier);
  }
  return identifiers;
}
