// Schedules with nodes that lack a check: the checker must find a violation, unless another check covers it.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bound, Figures } from '../../../../bench/figures.js';
import { ROOT } from '../../../../bench/repository.js';
import type { Fleet } from '../fleet.js';
import { CHECKS, CONTROLS, type Control, type Edit } from './controls.js';
import { runSchedule, type ScheduleResult, startFleet } from './run.js';
import type { Repetition } from './schedule-run.js';

export const CONTROL_BOUNDS: Readonly<Record<string, Bound>> = {
  'missing checks not found': { atMost: 0 },
  'covered checks found': { atMost: 0 },
};

/** A control without a violation takes longer. */
const COVERED_ROUNDS = 3;
/** Schedules in a run, which takes less than a minute with all of them. */
const MOST_ATTEMPTS = 3;

interface Row {
  readonly control: Control;
  readonly times: number;
  /** Runs in which a violation was found. */
  readonly failures: number;
  readonly kinds: readonly string[];
  readonly seconds: number;
}

const {
  bundleEdited,
}: { bundleEdited: (name: string, edits: readonly Edit[]) => Promise<string> } = await import(
  new URL('scripts/bundle/bundle.mjs', ROOT).href
);

export async function runControls(
  binary: string,
  figures: Figures,
  { only, times, lanes }: Repetition,
): Promise<void> {
  const rows: Row[] = [];
  const waiting = [...CONTROLS.entries()]
    .filter(([, { without }]) => without.some((name) => name.includes(only)))
    .values();
  const lane = async (): Promise<void> => {
    for (const [index, control] of waiting) {
      const row = await runControl(binary, control, index, times);
      rows.push(row);
      console.log(shown(row));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const missed = rows.filter(({ control, failures }) => !control.isCovered && failures < times);
  const surprising = rows.filter(({ control, failures }) => control.isCovered && failures > 0);
  figures.say('controls', rows.length);
  figures.say(
    'runs of controls',
    rows.reduce((sum, row) => sum + row.times, 0),
  );
  figures.say('missing checks not found', missed.length);
  figures.say('covered checks found', surprising.length);
}

async function runControl(
  binary: string,
  control: Control,
  index: number,
  times: number,
): Promise<Row> {
  const edits = control.without.flatMap((name): Edit | readonly Edit[] => CHECKS[name]);
  const command = await bundleEdited(`control-${index}`, edits);
  const fleet = await startFleet(binary, command);
  const kinds = new Set<string>();
  const rounds = control.isCovered ? Math.min(times, COVERED_ROUNDS) : times;
  let [failures, sum] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const { violations, seconds } = await runUntilFound(fleet, control);
    if (violations.length > 0) failures += 1;
    for (const { kind } of violations) kinds.add(kind);
    sum += seconds;
  }
  await fleet.close(false);
  rmSync(dirname(command), { recursive: true });
  return { control, times: rounds, failures: failures, kinds: [...kinds], seconds: sum / rounds };
}

/** On a busy machine a fault may come too late to be noticed, so that the schedule is repeated. */
async function runUntilFound(
  fleet: Fleet,
  { schedule, isCovered }: Control,
): Promise<Pick<ScheduleResult, 'violations' | 'seconds'>> {
  let sum = 0;
  for (let attempt = 1; ; attempt += 1) {
    const result = await runSchedule(fleet, schedule, { endsEarly: true });
    const { violations, failure, seconds } = result;
    sum += seconds;
    if (failure) {
      if (violations.length === 0) console.log(`        ${failure}`);
      // Without the check, a node may be of no use any more.
      await Promise.all(fleet.nodes.map(({ process }) => process.end('SIGKILL')));
      await Promise.all(fleet.nodes.map((node) => node.start()));
    }
    if (isCovered || violations.length > 0 || attempt === MOST_ATTEMPTS) {
      return { violations, seconds: sum };
    }
  }
}

/** A row of the table: how often it was found, in which schedule, without which checks. */
function shown({ control, times, failures, kinds, seconds }: Row): string {
  const { without, schedule, isCovered } = control;
  return [
    `${failures} of ${times}`.padEnd(9),
    `${isCovered ? 'covered' : ''}`.padEnd(8),
    `${seconds.toFixed(1)} s`.padStart(7),
    ` | ${without.join(' + ')} | ${schedule} | ${kinds.join(', ')}`,
  ].join(' ');
}
