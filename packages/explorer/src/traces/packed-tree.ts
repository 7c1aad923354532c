// Call tree in a few arrays, which pass between threads without being copied object by object.
import type { CallTree, Frame } from '@starkbox/abi';
import type { Phase } from '@starkbox/abi/internal';

export interface PackedTree {
  /** Addresses, class hashes, selectors and messages, each once. */
  readonly texts: readonly string[];
  /** `FIELDS` numbers of each frame, outer frames before inner ones. */
  readonly numbers: Int32Array;
  readonly gas: Float64Array;
  /** Orders of the events, frame by frame. */
  readonly orders: Int32Array;
}

const FIELDS = 10;
const PHASES: readonly Phase[] = ['validate', 'execute', 'constructor', 'handler', 'fee'];
const KINDS: readonly Frame['kind'][] = ['CALL', 'DELEGATE', 'CONSTRUCTOR', 'L1 HANDLER'];
const ABSENT = -1;

export function pack({ roots }: CallTree): PackedTree {
  const places = new Map<string, number>();
  const placeOf = (text: string | undefined): number => {
    if (text === undefined) return ABSENT;
    const index = places.get(text) ?? places.size;
    places.set(text, index);
    return index;
  };
  const numbers: number[] = [];
  const gas: number[] = [];
  const orders: number[] = [];
  const visit = (frame: Frame): void => {
    numbers.push(
      PHASES.indexOf(frame.phase),
      KINDS.indexOf(frame.kind),
      placeOf(frame.contract),
      placeOf(frame.classHash),
      placeOf(frame.selector),
      placeOf(frame.caller),
      placeOf(frame.cause),
      frame.failed ? 1 : 0,
      frame.events.length,
      frame.children.length,
    );
    gas.push(frame.l2Gas ?? ABSENT);
    for (const { order } of frame.events) orders.push(order);
    frame.children.forEach(visit);
  };
  roots.forEach(visit);
  return {
    texts: [...places.keys()],
    numbers: Int32Array.from(numbers),
    gas: Float64Array.from(gas),
    orders: Int32Array.from(orders),
  };
}

const NO_FELTS: readonly string[] = [];

/**
 * The frames without calldata, results and contents of events.
 * @param learn gets each frame with its place in the order of `pack`
 */
export function unpack(
  { texts, numbers, gas, orders }: PackedTree,
  learn: (frame: Frame, index: number) => void,
): CallTree {
  let at = 0;
  let event = 0;
  const textAt = (index: number): string | undefined => texts[index];
  const read = (parent: string | undefined, index: number, depth: number): Frame => {
    const position = at++;
    const number = (field: number): number => numbers[position * FIELDS + field] ?? 0;
    const phase = PHASES[number(0)] ?? 'execute';
    const id = parent === undefined ? phase : `${parent}.${index}`;
    const l2Gas = gas[position] ?? ABSENT;
    const events = Array.from({ length: number(8) }, () => ({
      keys: NO_FELTS,
      data: NO_FELTS,
      order: orders[event++] ?? 0,
    }));
    const children = Array.from({ length: number(9) }, (_, child) => read(id, child, depth + 1));
    const frame: Frame = {
      id,
      phase,
      depth,
      contract: textAt(number(2)) ?? '0x0',
      classHash: textAt(number(3)),
      selector: textAt(number(4)) ?? '0x0',
      kind: KINDS[number(1)] ?? 'CALL',
      caller: textAt(number(5)),
      calldata: undefined,
      result: undefined,
      l2Gas: l2Gas === ABSENT ? undefined : l2Gas,
      events,
      children,
      failed: number(7) === 1,
      cause: textAt(number(6)),
      fate: undefined,
    };
    learn(frame, position);
    return frame;
  };
  const roots: Frame[] = [];
  while (at < gas.length) roots.push(read(undefined, 0, 0));
  return { roots, count: gas.length, cause: undefined, isUncertain: false };
}
