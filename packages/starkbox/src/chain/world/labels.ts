// User-defined labels for addresses, classes and other felts.
import { refuse } from '../../errors.js';
import { PersistentMap } from '../../immutable.js';
import { felt, list, pair, string } from '../../json/reader.js';

/** Labels by felt. */
export type Labels = PersistentMap<string, string>;

export const NO_LABELS: Labels = PersistentMap();

/** Limited because all labels are stored in one entry. */
const MAX_COUNT = 10_000;

/** Sets a label, or removes it if `label` is undefined. */
function withLabel(labels: Labels, value: string, label: string | undefined): Labels {
  if (label === undefined) return labels.delete(value);
  const next = labels.set(value, label);
  if (next.size > MAX_COUNT) refuse(`There may be ${MAX_COUNT} labels`);
  return next;
}

/** Pairs for JSON, sorted by felt. */
export function labelsToJson(labels: Labels): readonly (readonly [string, string])[] {
  return [...labels].sort(([first], [other]) => (first < other ? -1 : 1));
}

/** Reads the result of `labelsToJson`; throws a `TypeError` for other values. */
export function labelsFromJson(value: unknown): Labels {
  const labels = PersistentMap(
    list(value, 'labels', (labelled, at) => pair(labelled, at, felt, label)),
  );
  if (labels.size > MAX_COUNT) throw new TypeError(`labels: expected at most ${MAX_COUNT}`);
  return labels;
}

function label(value: unknown, where: string): string {
  const text = string(value, where);
  if (!/^.{1,100}$/u.test(text)) throw new TypeError(`${where}: expected 1 to 100 characters`);
  return text;
}

/** A world with the label of a felt set or removed; the same world if nothing changes. */
export function labelled<W extends { readonly labels: Labels }>(
  world: W,
  value: string,
  label: string | undefined,
): W {
  const labels = withLabel(world.labels, value, label);
  return labels === world.labels ? world : { ...world, labels };
}
