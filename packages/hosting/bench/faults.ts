// A fleet under faults: schedules of faults at chosen moments, random faults under load, and controls.
//
// A whole run takes a quarter of an hour: all schedules, then random faults. A quick one takes a minute and a half: all
// schedules, then one control. --schedules, --random and --controls run one part; controls run each schedule with nodes
// that lack the check it is against. --seed repeats the kinds of random faults; what runs meanwhile differs. --only takes
// the schedules, faults or checks whose names contain a text, --times repeats each schedule or control, and --lanes is how
// many of them run at one time, each with a fleet of its own. Random faults need haproxy.
import { defineScenario } from '../../../bench/harness/scenario.js';
import { minioBinary } from './minio.js';
import { RANDOM_BOUNDS, runRandomFaults } from './random-faults.js';
import { CONTROL_BOUNDS, runControls } from './schedules/control-run.js';
import { runSchedules, SCHEDULE_BOUNDS } from './schedules/schedule-run.js';

/** The check whose removal a quick run tries. */
const QUICK_CHECK = 'a change is a conditional write';

export const scenario = defineScenario({
  measures: 'a fleet under faults: lost changes, and answers that are wrong',
  sizes: { faults: [200, 200], seed: [1, 1], times: [1, 1], lanes: [3, 3] },
  options: { schedules: 'flag', random: 'flag', controls: 'flag', only: 'text' },
  async measure(run) {
    const { sizes, figures, quick } = run;
    const binary = minioBinary();
    const only = run.text('only') ?? '';
    const [schedules, random, controls] = ['schedules', 'random', 'controls'].map((part) =>
      run.flag(part),
    );
    const isWhole = !schedules && !random && !controls;
    if (schedules || isWhole) {
      figures.bound(SCHEDULE_BOUNDS);
      await runSchedules(binary, figures, { ...sizes, only });
    }
    if (controls || (isWhole && quick)) {
      figures.bound(CONTROL_BOUNDS);
      await runControls(binary, figures, { ...sizes, only: controls ? only : QUICK_CHECK });
    }
    if (random || (isWhole && !quick)) {
      figures.bound(RANDOM_BOUNDS);
      await runRandomFaults(binary, figures, { ...sizes, only });
    }
    return undefined;
  },
});
