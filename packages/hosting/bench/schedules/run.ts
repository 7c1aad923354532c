// A run of a schedule, and the check of all answers that it gave.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Violation, violationsIn } from '../../test/support/history.js';
import { FinalChains } from '../final-chains.js';
import { Fleet } from '../fleet.js';
import { Recorder } from '../recorder.js';
import { LEASE_SCHEDULES } from './lease-schedules.js';
import { LIFETIME_SCHEDULES } from './lifetime-schedules.js';
import { MANIFEST_SCHEDULES } from './manifest-schedules.js';
import { Stage } from './stage.js';

const FINAL_MILLISECONDS = 20_000;
const LONGEST_MILLISECONDS = 45_000;
/** A renewal has come by then. */
const RENEWAL_MILLISECONDS = 5_000;
/** No instance hibernates unless a schedule wants it. */
const FLEET = { nodes: 3, hibernateAfter: 3600, hasRouter: false };

export const SCHEDULES = {
  ...LEASE_SCHEDULES,
  ...MANIFEST_SCHEDULES,
  ...LIFETIME_SCHEDULES,
} as const;

export type ScheduleName = keyof typeof SCHEDULES;

export interface ScheduleResult {
  readonly violations: readonly Violation[];
  /** Why it was not carried out to its end. */
  readonly failure: Error | undefined;
  readonly seconds: number;
}

/** Starts nodes for schedules, each of which has executed a transaction: the first one takes long. */
export async function startFleet(binary: string, command?: string): Promise<Fleet> {
  const fleet = await Fleet.start(binary, { ...FLEET, ...(command !== undefined && { command }) });
  const stage = new Stage(fleet, new Recorder());
  await Promise.all(
    stage.nodes.map(async (node) => {
      const instance = await stage.create(node);
      await stage.change(node, instance);
    }),
  );
  return fleet;
}

/**
 * Runs a schedule with new instances, then reads them at each node and changes them once more.
 *
 * @param endsEarly whether it ends when there is a violation before that
 */
export async function runSchedule(
  fleet: Fleet,
  name: ScheduleName,
  { endsEarly }: { readonly endsEarly: boolean },
): Promise<ScheduleResult> {
  const began = performance.now();
  const recorder = new Recorder();
  const stage = new Stage(fleet, recorder);
  const final = new FinalChains(recorder);
  let failure: Error | undefined;
  // The schedule before may have left it with a lease that is broken, which it notices by a renewal.
  await Promise.race([stage.leaseWritten(stage.owner), sleep(RENEWAL_MILLISECONDS)]);
  try {
    await Promise.race([SCHEDULES[name](stage), lateness()]);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  for (const node of stage.nodes) stage.heal(node);
  try {
    await Promise.all(stage.nodes.map((node) => node.start(FINAL_MILLISECONDS)));
    const isFound = violationsIn(recorder.answers, recorder.lives).length > 0;
    if (!endsEarly || !isFound) await readFinally(stage, final);
  } catch (error) {
    failure ??= error instanceof Error ? error : new Error(String(error));
  }
  await Promise.all(stage.nodes.map(({ proxy }) => proxy.settled()));
  const violations = [...stage.violations, ...final.violations()];
  return { violations, failure, seconds: (performance.now() - began) / 1000 };
}

/** A fault may come too late on a busy machine, so that what a schedule waits for never happens. */
async function lateness(): Promise<void> {
  await sleep(LONGEST_MILLISECONDS, undefined, { ref: false });
  throw new Error('the schedule cannot go on');
}

async function readFinally(stage: Stage, final: FinalChains): Promise<void> {
  for (const instance of stage.recorder.lives.keys()) {
    for (const node of stage.nodes) await final.read(node, instance, FINAL_MILLISECONDS);
  }
  for (const instance of final.chains.keys()) await stage.accepts(stage.owner, instance);
}
