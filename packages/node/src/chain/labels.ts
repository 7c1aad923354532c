// Knows the names that people gave to addresses, classes and other felts.
import { refuse } from '../errors.js';
import { PersistentMap } from './persistent.js';

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
  if (!Array.isArray(value)) throw new TypeError('labels are missing');
  return PersistentMap(
    value.map((pair: unknown): [string, string] => {
      const [felt, label] = Array.isArray(pair) ? pair : [];
      if (typeof felt !== 'string' || typeof label !== 'string') {
        throw new TypeError('a label is missing');
      }
      return [felt, label];
    }),
  );
}
