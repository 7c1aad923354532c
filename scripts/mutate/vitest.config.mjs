// Tests of mutants: the projects without browser, kills and times, with sources changed by `runner.mjs`.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import config from '../../vitest.config.ts';
import { CACHE } from '../processes.mjs';
import { changeSources } from './change-sources.mjs';

const PROJECTS = ['shared', 'alone'];
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const { projects = [], ...test } = config.test ?? {};

export default {
  ...config,
  root: ROOT,
  // Durations under counters are none of the other runs.
  cacheDir: join(CACHE, 'mutants', 'vitest'),
  plugins: [changeSources(ROOT)],
  test: {
    ...test,
    experimental: { fsModuleCache: false },
    // What never comes because of a mutant is not awaited for long.
    expect: { poll: { timeout: 20_000 } },
    projects: projects.flatMap((project) => {
      if (typeof project !== 'object' || !('test' in project)) return [];
      const { name, setupFiles = [] } = project.test ?? {};
      if (typeof name !== 'string' || !PROJECTS.includes(name)) return [];
      const setup = [setupFiles, 'scripts/mutate/executed.mjs'].flat();
      return [{ ...project, test: { ...project.test, maxWorkers: 2, setupFiles: setup } }];
    }),
  },
};
