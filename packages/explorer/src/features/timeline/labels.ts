// Places of labels: none covers another, and none leaves the chart.

/** Pixels of a letter; labels are short, so an estimate is enough. */
const LETTER = 6.6;
const GAP = 10;

export const labelWidth = (text: string): number => text.length * LETTER;

/** The left end of a label that begins at a place, moved so that it stays inside. */
export function within(at: number, width: number, room: number): number {
  return Math.max(2, Math.min(at, room - width - 2));
}

export interface Label {
  readonly id: string;
  /** Pixel of the thing. */
  readonly at: number;
  readonly text: string;
}

export interface Placed extends Label {
  readonly start: number;
  /** From 0, the nearest to the chart. */
  readonly lane: number;
  /** How many further things this label stands for. */
  readonly others: number;
}

/** Room behind a label for the count of others that it stands for. */
export const COUNT_ROOM = 4 * LETTER;

/**
 * Puts labels into lanes. Where no lane has room, the label below stands for the thing as well.
 * @param labels in order of importance
 */
export function placeLabels(
  labels: readonly Label[],
  room: number,
  mostLanes: number,
  countRoom: number,
): readonly Placed[] {
  const placed: (Placed & { others: number; readonly end: number })[] = [];
  for (const label of labels) {
    const width = labelWidth(label.text) + countRoom;
    const start = within(label.at, width, room);
    const end = start + width;
    const isFree = (lane: number): boolean =>
      placed.every(
        (other) => other.lane !== lane || other.end + GAP <= start || end + GAP <= other.start,
      );
    const lane = Array.from({ length: mostLanes }, (_, at) => at).find(isFree);
    if (lane === undefined) {
      const nearest = placed.reduce((best, other) =>
        Math.abs(other.at - label.at) < Math.abs(best.at - label.at) ? other : best,
      );
      nearest.others++;
    } else placed.push({ ...label, start, end, lane, others: 0 });
  }
  return placed;
}
