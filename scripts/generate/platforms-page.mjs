// docs/start/platforms.md, from the table of platforms and the recorded runs. As a program, it prints the page.
import { PLATFORMS, packageFor } from '../../packages/engine/dist/platforms.js';
import { OLDEST } from '../packages/glibc.mjs';
import { recordedRuns, WEBASSEMBLY_HOSTS } from '../platform-runs.mjs';
import { isMain } from '../processes.mjs';

const SYSTEMS = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };

/** How the table says in which way the engine ran. */
const ENGINES = {
  native: 'native',
  emulated: 'native, emulated by QEMU',
  WebAssembly: 'WebAssembly',
};

/**
 * @param {string} title of the row
 * @param {import('../platform-runs.mjs').Run | undefined} run
 * @param {string} untested the engine of a platform without a record
 * @returns {string} the row
 */
function rowOf(title, run, untested) {
  if (run === undefined) return `| ${title} | ${untested} | | | |`;
  const checks = Object.entries(run.checks).map(([check, { passed, failed }]) => {
    const count = passed.toLocaleString('en-US');
    return `${check}: ${failed === 0 ? count : `${count}, ${failed} failed`}`;
  });
  const engine = ENGINES[run.kind];
  return `| ${title} | ${engine} | ${run.runtime} | ${checks.join('<br>')} | ${run.date} |`;
}

/**
 * @param {Readonly<Record<string, import('../platform-runs.mjs').Run>>} [runs] by platform
 * @returns {string} the page
 */
export function platformsPage(runs = recordedRuns()) {
  const native = Object.entries(PLATFORMS).map(([name, { os, cpu, libc }]) => {
    const facts = [Object(SYSTEMS)[os], cpu, libc].filter(Boolean).join(', ');
    return rowOf(`${facts}: \`${name}\``, runs[name], 'untested: built by the release workflow');
  });
  const hosts = Object.entries(WEBASSEMBLY_HOSTS).map(([name, title]) =>
    rowOf(`${title}: \`${name}\``, runs[name], 'untested'),
  );
  return [
    '# Platforms',
    '',
    'This table lists where Starkbox was tried, and how many checks passed there. Scripts record the counts:',
    '[how to repeat a run](../contributing/releases.md#platforms).',
    '',
    '| platform | engine | on | passed checks | last run |',
    '| --- | --- | --- | --- | --- |',
    ...native,
    ...hosts,
    '',
    `Each native engine is a package, such as \`${packageFor('linux-arm64-gnu')}\`. The npm client installs the engine for`,
    'your platform.',
    '',
    `Linux with glibc must have glibc ${OLDEST} or later, and 2.34 or later for \`--data-dir\`.`,
    '',
  ].join('\n');
}

if (isMain(import.meta.url)) {
  process.stdout.write(platformsPage());
}
