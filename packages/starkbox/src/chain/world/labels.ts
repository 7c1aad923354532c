// User-defined labels for addresses, classes and other felts.
import { refuse } from '../../errors.js';
import { PersistentMap } from '../../immutable.js';
import { felt, list, pair, string } from '../../json/reader.js';

/** Names by felt. */
export type Labels = PersistentMap<string, string>;

export const NO_LABELS: Labels = PersistentMap();

/** They are kept in one piece. */
const MOST = 10_000;

/** With one more, or one less where there is no label. */
export function withLabel(labels: Labels, value: string, label: string | undefined): Labels {
  if (label === undefined) return labels.delete(value);
  const next = labels.set(value, label);
  if (next.size > MOST) refuse(`There may be ${MOST} labels`);
  return next;
}

/** As JSON can carry them, in an order of their own. */
export function labelsToJson(labels: Labels): readonly (readonly [string, string])[] {
  return [...labels].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** What `labelsToJson` made; throws a `TypeError` for anything else. */
export function labelsFromJson(value: unknown): Labels {
  const labels = PersistentMap(list(value, 'labels', (one, at) => pair(one, at, felt, label)));
  if (labels.size > MOST) throw new TypeError(`labels: expected at most ${MOST}`);
  return labels;
}

function label(value: unknown, where: string): string {
  const text = string(value, where);
  if (!/^.{1,100}$/u.test(text)) throw new TypeError(`${where}: expected 1 to 100 characters`);
  return text;
}
