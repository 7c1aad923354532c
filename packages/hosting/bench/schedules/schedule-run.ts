// All schedules with nodes as they are: no answer may be wrong.
import type { Bound, Figures } from '../../../../bench/figures.js';
import {
  runSchedule,
  SCHEDULES,
  type ScheduleName,
  type ScheduleResult,
  startFleet,
} from './run.js';

export const SCHEDULE_BOUNDS: Readonly<Record<string, Bound>> = {
  'violations in schedules': { atMost: 0 },
  'schedules not carried out': { atMost: 0 },
};

/** A busy machine may be too slow for a schedule once. */
const MOST_ATTEMPTS = 3;

const isSchedule = (name: string): name is ScheduleName => name in SCHEDULES;

export interface Repetition {
  /** Only what has this text in its name. */
  readonly only: string;
  readonly times: number;
  /** How many run at one time, each with nodes of its own. */
  readonly lanes: number;
}

export async function runSchedules(
  binary: string,
  figures: Figures,
  { only, times, lanes }: Repetition,
): Promise<void> {
  const names = Object.keys(SCHEDULES).filter(isSchedule);
  const chosen = names.filter((name) => name.includes(only));
  const waiting = Array.from({ length: times }, () => chosen)
    .flat()
    .values();
  let [violations, failures] = [0, 0];
  const lane = async (): Promise<void> => {
    const fleet = await startFleet(binary);
    const before = violations + failures;
    for (const name of waiting) {
      let result = await runSchedule(fleet, name, { endsEarly: false });
      console.log(shown(name, result));
      for (let attempt = 2; result.failure && attempt <= MOST_ATTEMPTS; attempt += 1) {
        violations += result.violations.length;
        result = await runSchedule(fleet, name, { endsEarly: false });
        console.log(shown(name, result));
      }
      violations += result.violations.length;
      if (result.failure) failures += 1;
    }
    const isWrong = violations + failures > before;
    if (isWrong) console.log(`The logs are in ${fleet.folder}`);
    await fleet.close(isWrong);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, chosen.length) }, lane));
  figures.say('schedules', chosen.length * times);
  figures.say('violations in schedules', violations);
  figures.say('schedules not carried out', failures);
}

function shown(name: ScheduleName, { violations, failure, seconds }: ScheduleResult): string {
  return [
    `${seconds.toFixed(1).padStart(6)} s  ${name}${failure ? `: ${failure}` : ''}`,
    ...violations.map(
      ({ kind, instance, text }) => `VIOLATION ${kind}: instance ${instance}: ${text}`,
    ),
  ].join('\n');
}
