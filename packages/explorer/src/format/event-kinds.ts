// Kinds of events that a class declares, with the keys by which a node filters them.
import { type Abi, type AbiEvent, selectorOf } from '@starkbox/abi';
import type { EventField } from '@starkbox/abi/internal';

export interface EventKind {
  /** Unique among the kinds of a class: `Transfer`, or `OwnableEvent.Transfer` for a nested one. */
  readonly name: string;
  /** The first keys of each such event. */
  readonly keys: readonly string[];
  readonly fields: readonly EventField[];
}

/** Limits for forged ABIs. */
const MAX_KINDS = 200;
const DEEPEST = 8;

interface Place {
  readonly names: readonly string[];
  readonly keys: readonly string[];
}

export function eventKindsOf(abi: Abi): readonly EventKind[] {
  const kinds = new Map<string, EventKind>();
  const add = (event: AbiEvent, { names, keys }: Place): void => {
    const name = names.join('.');
    if (kinds.size < MAX_KINDS && !kinds.has(name)) {
      kinds.set(name, { name, keys, fields: event.fields });
    }
  };
  const addVariants = (choice: AbiEvent, place: Place, depth: number): void => {
    if (depth > DEEPEST || kinds.size >= MAX_KINDS) return;
    for (const { name, type, kind } of choice.fields) {
      const event = abi.events.get(type);
      if (!event) continue;
      const below =
        kind === 'flat'
          ? place
          : { names: [...place.names, name], keys: [...place.keys, selectorOf(name)] };
      if (event.kind === 'enum') addVariants(event, below, depth + 1);
      else add(event, below);
    }
  };
  for (const root of abi.roots) {
    const event = abi.events.get(root);
    if (event?.kind === 'enum') addVariants(event, { names: [], keys: [] }, 0);
    else if (event) {
      const name = event.name.split('::').at(-1) ?? event.name;
      add(event, { names: [name], keys: [selectorOf(name)] });
    }
  }
  return [...kinds.values()];
}
