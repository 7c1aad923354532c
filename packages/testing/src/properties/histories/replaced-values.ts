// Replacement of values in all steps of a history, and histories without addresses.
import type { History, StepValue } from '../model/history.js';

export type Replace = (part: StepValue) => StepValue;

/** Replaces callers, contracts and arguments of calls, and arguments of actions, part by part. */
export function withReplaced(history: History, replace: Replace): History {
  const text = (value: string): string => {
    const replaced = replace(value);
    return typeof replaced === 'string' ? replaced : value;
  };
  return history.map((step) => {
    if (step.kind !== 'call' && step.kind !== 'action') return step;
    const values = step.arguments.map((value) => replacedIn(value, replace));
    if (step.kind === 'action') return { ...step, arguments: values };
    return { ...step, from: text(step.from), to: text(step.to), arguments: values };
  });
}

function replacedIn(value: StepValue, replace: Replace): StepValue {
  if (typeof value !== 'object') return replace(value);
  if (isList(value)) return value.map((part) => replacedIn(part, replace));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, replacedIn(part, replace)]),
  );
}

const isList = (value: StepValue): value is readonly StepValue[] => Array.isArray(value);

/** Addresses of contracts and actors, in the order of the options. */
export interface OrderedAddresses {
  readonly contracts: readonly string[];
  readonly actors: readonly string[];
}

/** Positions stand for addresses: `contract:0`, `actor:1`. */
function positions({
  contracts,
  actors,
}: OrderedAddresses): readonly (readonly [string, string])[] {
  return [
    ...contracts.map((address, at) => [`contract:${at}`, address] as const),
    ...actors.map((address, at) => [`actor:${at}`, address] as const),
  ];
}

/** The history with positions in place of addresses: contracts of a changed class have other addresses. */
export function withPositions(history: History, addresses: OrderedAddresses): History {
  const byAddress = new Map(positions(addresses).map(([position, address]) => [address, position]));
  return withReplaced(history, (part) =>
    typeof part === 'string' ? (byAddress.get(part) ?? part) : part,
  );
}

/** The history with addresses in place of positions. */
export function withAddresses(history: History, addresses: OrderedAddresses): History {
  const byPosition = new Map(positions(addresses));
  return withReplaced(history, (part) =>
    typeof part === 'string' ? (byPosition.get(part) ?? part) : part,
  );
}
