// A plugin of Vite that puts switches of mutants or counters of functions into our sources.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { withCounters, withSwitches } from './mutants.mjs';

/** Where `runner.mjs` finds the mutants of its run; without it, functions are counted. */
export const PLAN = 'MUTANTS_PLAN';

const OURS = /^(packages\/[^/]+\/src|test\/support\/mutants)\/.*(?<!\.d|\.test)\.ts$/;

/** @returns {import('./mutants.mjs').Mutant[] | undefined} */
function plannedMutants() {
  const plan = process.env[PLAN];
  return plan ? JSON.parse(readFileSync(plan, 'utf8')) : undefined;
}

/** @param {string} root */
export function changeSources(root) {
  const planned = plannedMutants();
  return {
    name: 'starkbox:mutants',
    /** @type {'pre'} */
    enforce: 'pre',
    /** @param {string} code @param {string} id */
    transform(code, id) {
      const file = relative(root, id.split('?')[0] ?? id);
      if (!OURS.test(file)) return undefined;
      if (!planned) return { code: withCounters(file, code), map: null };
      const mutants = planned.filter((mutant) => mutant.file === file);
      return mutants.length > 0 ? { code: withSwitches(code, mutants), map: null } : undefined;
    },
  };
}
