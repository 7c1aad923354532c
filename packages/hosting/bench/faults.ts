// Benchmark of a fleet under faults: schedules of faults at chosen moments, random faults under load, and controls.
//
//   npm run bench:fleet-faults               all schedules, then 200 random faults: a quarter of an hour
//   npm run bench:fleet-faults -- --quick    all schedules, then one control: a minute and a half
//   npm run bench:fleet-faults -- --controls each schedule with nodes that lack the check it is against
//
// --schedules and --random run one part. --faults sets the number of random faults, and --seed repeats their kinds; what runs
// meanwhile differs. --only takes the schedules, faults or checks whose names contain a text, --times repeats each
// schedule or control, and --lanes is how many of them run at one time, each with a fleet of its own. It needs MinIO, which
// `node scripts/minio.mjs` installs; random faults need haproxy. Prints each figure with its bound, then one line of JSON.
// Exits 1 if a bound is broken.
import { parseArgs } from 'node:util';
import { type Bound, Figures } from '../../../bench/figures.js';
import { ROOT } from '../../../bench/repository.js';
import { RANDOM_BOUNDS, runRandomFaults } from './random-faults.js';
import { CONTROL_BOUNDS, runControls } from './schedules/control-run.js';
import { runSchedules, SCHEDULE_BOUNDS } from './schedules/schedule-run.js';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    schedules: { type: 'boolean', default: false },
    random: { type: 'boolean', default: false },
    controls: { type: 'boolean', default: false },
    faults: { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    times: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '3' },
  },
});

/** The check whose removal a quick run tries. */
const QUICK_CHECK = 'a change is a conditional write';

const { installedMinio }: { installedMinio: () => string | undefined } = await import(
  new URL('scripts/minio.mjs', ROOT).href
);
const binary = installedMinio();
if (binary === undefined) throw new Error('MinIO is not installed: node scripts/minio.mjs');

const { quick, only, schedules, random, controls } = options;
const isWhole = !schedules && !random && !controls;
const [times, lanes] = [Number(options.times), Number(options.lanes)];
const [faults, seed] = [Number(options.faults), Number(options.seed)];
const parts = {
  schedules: schedules || isWhole,
  random: random || (isWhole && !quick),
  controls: controls || (isWhole && quick),
};
const bounds: Readonly<Record<string, Bound>> = {
  ...(parts.schedules && SCHEDULE_BOUNDS),
  ...(parts.random && RANDOM_BOUNDS),
  ...(parts.controls && CONTROL_BOUNDS),
};
const figures = new Figures(bounds, { quick });
if (parts.schedules) await runSchedules(binary, figures, { only, times, lanes });
if (parts.controls) {
  await runControls(binary, figures, { only: controls ? only : QUICK_CHECK, times, lanes });
}
if (parts.random) await runRandomFaults(binary, figures, { only, faults, seed });
figures.finish({ times, ...(parts.random && { faults, seed }) });
