// Comparison of two runs of a transaction: with the old class and with the new one.
import type { Gas } from '@starkbox/engine';
import type { Change } from './report.js';
import type { Run, RunCall, RunEvent, SlotDifference, Writes } from './run.js';
import type { Describer } from './words.js';

export interface CompareOptions {
  readonly words: Describer;
  /** Percent by which gas may grow. */
  readonly tolerance: number;
  /** The hash of the new class, which stands in reasons of failures. */
  readonly newClass: string;
}

/** Everything that differs, decoded. */
export async function compareRuns(
  old: Run,
  now: Run,
  { words, tolerance, newClass }: CompareOptions,
): Promise<readonly Change[]> {
  const changes: Change[] = [...statusChanges(old, now, words, newClass)];
  // A failed run has no calls, events and messages: its status says so.
  if (old.status === 'SUCCEEDED' && now.status === 'SUCCEEDED') {
    changes.push(...(await callChanges(old.calls, now.calls, words)));
    changes.push(...(await eventChanges(old, now, words)));
    changes.push(...messageChanges(old, now));
    changes.push(...(await words.slots(slotDifferences(old, now), old, now)));
  }
  if (old.gas && now.gas) changes.push(...gasChanges(old.gas, now.gas, tolerance));
  return changes;
}

function statusChanges(old: Run, now: Run, words: Describer, newClass: string): readonly Change[] {
  const [before, after] = [old, now].map(
    ({ status, reason }) => `${status}${reason === undefined ? '' : `: ${words.reason(reason)}`}`,
  );
  const isEqual =
    old.status === now.status && comparable(old, newClass) === comparable(now, newClass);
  if (isEqual || before === undefined || after === undefined) return [];
  return [{ kind: 'status', subject: 'transaction', old: before, new: after }];
}

/** Hashes of classes differ by purpose, and so do positions in their bytecode. */
function comparable({ reason = '' }: Run, newClass: string): string {
  return reason
    .replaceAll(new RegExp(`class hash: 0x0*${newClass.slice(2)}\\b`, 'gi'), 'class hash')
    .replaceAll(/class hash: 0x[0-9a-f]+/gi, 'class hash')
    .replaceAll(/pc=\d+:\d+/g, 'pc');
}

/** Results of calls that both runs made, and calls that only one made. */
async function callChanges(
  old: readonly RunCall[],
  now: readonly RunCall[],
  words: Describer,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const after = new Map(now.map((call) => [call.path, call]));
  const isSame = (call: RunCall, other: RunCall): boolean =>
    call.contract === other.contract && call.selector === other.selector;
  for (const call of old) {
    const other = after.get(call.path);
    if (other && isSame(call, other)) {
      after.delete(call.path);
      if (areEqual(call.result, other.result)) continue;
      changes.push({
        kind: 'result',
        subject: await words.functionOf(call),
        old: await words.result(call),
        new: await words.result(other),
      });
    } else {
      changes.push({ kind: 'call', subject: await words.functionOf(call), old: 'called' });
    }
  }
  for (const call of after.values()) {
    changes.push({ kind: 'call', subject: await words.functionOf(call), new: 'called' });
  }
  return changes;
}

const areEqual = (first: readonly string[], second: readonly string[]): boolean =>
  first.length === second.length && first.every((felt, index) => felt === second[index]);

async function eventChanges(old: Run, now: Run, words: Describer): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const [before, after] of alignEvents(old.events, now.events)) {
    const subject = before ? await words.eventName(old, before) : await words.eventName(now, after);
    changes.push({
      kind: 'event',
      subject,
      ...(before ? { old: await words.event(old, before) } : {}),
      ...(after ? { new: await words.event(now, after) } : {}),
    });
  }
  return changes;
}

type EventPair = readonly [before: RunEvent | undefined, after: RunEvent | undefined];

/** Products of the lengths of two lists that are aligned exactly. */
const MAX_PAIRS = 1_000_000;

/** Events that differ: pairs of the same kind, and those that only one run emitted. */
function alignEvents(old: readonly RunEvent[], now: readonly RunEvent[]): readonly EventPair[] {
  const [before, after] = [old, now].map((events) => events.map((event) => JSON.stringify(event)));
  if (!before || !after) return [];
  const equal = commonPositions(before, after);
  const pairs: EventPair[] = [];
  let [oldAt, newAt] = [0, 0];
  for (const [oldEnd, newEnd] of [...equal, [old.length, now.length] as const]) {
    pairs.push(...pairsIn(old.slice(oldAt, oldEnd), now.slice(newAt, newEnd)));
    [oldAt, newAt] = [oldEnd + 1, newEnd + 1];
  }
  return pairs;
}

/** Events between two equal ones: the next of the same contract and name is the other half. */
function pairsIn(old: readonly RunEvent[], now: readonly RunEvent[]): readonly EventPair[] {
  const rest = [...now];
  const pairs = old.map((event): EventPair => {
    const at = rest.findIndex(({ from, keys }) => from === event.from && keys[0] === event.keys[0]);
    return [event, at < 0 ? undefined : rest.splice(at, 1)[0]];
  });
  return [...pairs, ...rest.map((event): EventPair => [undefined, event])];
}

/** Positions of a longest common subsequence. */
function commonPositions(
  old: readonly string[],
  now: readonly string[],
): readonly (readonly [number, number])[] {
  if (old.length * now.length > MAX_PAIRS) {
    return old.flatMap((text, at) => (text === now[at] ? [[at, at] as const] : []));
  }
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const below = lengths[(i + 1) * width + j] ?? 0;
      const right = lengths[i * width + j + 1] ?? 0;
      const diagonal = (lengths[(i + 1) * width + j + 1] ?? 0) + 1;
      lengths[i * width + j] = old[i] === now[j] ? diagonal : Math.max(below, right);
    }
  }
  const positions: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      positions.push([i, j]);
      i += 1;
      j += 1;
    } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return positions;
}

function messageChanges(old: Run, now: Run): readonly Change[] {
  const count = Math.max(old.messages.length, now.messages.length);
  return Array.from({ length: count }, (_, index) => index).flatMap((index): readonly Change[] => {
    const [before, after] = [old.messages[index], now.messages[index]].map(
      (message) => message && `to ${message.to_address}: [${message.payload.join(', ')}]`,
    );
    if (before === after) return [];
    return [
      {
        kind: 'message',
        subject: `message ${index + 1}`,
        ...(before === undefined ? {} : { old: before }),
        ...(after === undefined ? {} : { new: after }),
      },
    ];
  });
}

const RESOURCES = ['l1_gas', 'l1_data_gas', 'l2_gas'] as const;

function gasChanges(old: Gas, now: Gas, tolerance: number): readonly Change[] {
  return RESOURCES.flatMap((resource): readonly Change[] => {
    const [before, after] = [old[resource], now[resource]];
    const isWithin = after <= before * (1 + tolerance / 100) && (tolerance > 0 || before === after);
    if (isWithin) return [];
    return [{ kind: 'gas', subject: resource, old: String(before), new: String(after) }];
  });
}

/** Slots with different values after the runs, without the part that the fees explain. */
export function slotDifferences(old: Run, now: Run): readonly SlotDifference[] {
  const differences: SlotDifference[] = [];
  const contracts = new Set([...old.writes.keys(), ...now.writes.keys()]);
  for (const contract of contracts) {
    const found = inContract(contract, old.writes, now.writes);
    const isFeeToken = contract === old.feeToken || contract === now.feeToken;
    differences.push(...(isFeeToken ? withoutFee(found, now.fee - old.fee) : found));
  }
  return differences;
}

function inContract(contract: string, old: Writes, now: Writes): readonly SlotDifference[] {
  const before = old.get(contract);
  const after = now.get(contract);
  const keys = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
  return [...keys].flatMap((key) => {
    const [oldValue, newValue] = [before?.get(key), after?.get(key)];
    return oldValue === newValue ? [] : [{ contract, key, old: oldValue, new: newValue }];
  });
}

/** Sender and sequencer have balances that differ by the difference of the fees: one slot each. */
function withoutFee(
  differences: readonly SlotDifference[],
  fee: bigint,
): readonly SlotDifference[] {
  const explained = new Set<SlotDifference>();
  for (const expected of fee === 0n ? [] : [fee, -fee]) {
    const slot = differences.find(
      (difference) =>
        !explained.has(difference) &&
        difference.old !== undefined &&
        difference.new !== undefined &&
        BigInt.asUintN(128, BigInt(difference.new) - BigInt(difference.old)) ===
          BigInt.asUintN(128, expected),
    );
    if (slot) explained.add(slot);
  }
  return differences.filter((difference) => !explained.has(difference));
}
