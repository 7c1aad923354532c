// The time that long work may take in one turn of the event loop.

/** In milliseconds. After it, timers and other requests go first. */
const LONGEST_TURN = 10;

let turnBegan: number | undefined;
const waiting: (() => void)[] = [];

/** Milliseconds that do not depend on the time of day. */
export function milliseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/**
 * Where long work may be interrupted. All long work shares one measure: in each turn of the loop one piece
 * of it goes on, however many requests there are.
 *
 * @returns nothing if the work may go on at once
 */
export function breathe(): Promise<void> | undefined {
  const now = milliseconds();
  if (turnBegan === undefined) {
    turnBegan = now;
    setImmediate(endTurn);
    return undefined;
  }
  if (now - turnBegan < LONGEST_TURN && waiting.length === 0) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

function endTurn(): void {
  const next = waiting.shift();
  turnBegan = next === undefined ? undefined : milliseconds();
  if (next === undefined) return;
  setImmediate(endTurn);
  next();
}
