// Contracts with planted bugs: the calls after which a guided search finds each one, beside calls that are drawn at
// random in the same run, and the same budget for correct contracts.

import { checkInvariants, InvariantViolation } from '@starkbox/testing/properties';
import {
  CORRECT,
  openPlanted,
  PLANTED,
  type PlantedContract,
} from '../../packages/testing/test/properties/planted/contracts.js';
import { defineScenario, type Run } from '../harness/scenario.js';
import { CONTRACTS } from '../repository.js';

type Sizes = 'calls' | 'seed';
type Strategy = 'guided' | 'random';

interface Finding {
  /** Calls before the violation, or all of the budget. */
  readonly calls: number;
  /** Steps of the shortest history; undefined if nothing was found. */
  readonly steps: number | undefined;
  readonly milliseconds: number;
}

const FOLDER = new URL('planted/', CONTRACTS);

async function search(
  run: Run<Sizes>,
  contract: PlantedContract,
  strategy: Strategy,
): Promise<Finding> {
  const { chain, options } = await openPlanted(contract, FOLDER);
  const { calls, seed } = run.sizes;
  const limits = { calls, seed, strategy, corpus: false, progress: false } as const;
  try {
    const report = await checkInvariants(chain, { ...options, ...limits });
    return { calls: report.calls, steps: undefined, milliseconds: report.milliseconds };
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error;
    if (run.flag('explain')) console.log(error.message);
    const { report, violation } = error;
    const { calls, milliseconds } = report;
    return { calls, steps: violation.history.length, milliseconds };
  } finally {
    await chain.close();
  }
}

const HEAD = `${'contract'.padEnd(17)}${'kind'.padEnd(38)}${'guided'.padStart(8)}${'steps'.padStart(7)}${'s'.padStart(6)}${'random'.padStart(12)}`;

function line(
  { name, kind }: Pick<PlantedContract, 'name' | 'kind'>,
  guided: Finding,
  random: Finding,
): string {
  return [
    name.padEnd(17),
    kind.padEnd(38),
    (guided.steps === undefined ? '-' : String(guided.calls)).padStart(8),
    String(guided.steps ?? '-').padStart(7),
    (guided.milliseconds / 1000).toFixed(1).padStart(6),
    (random.steps === undefined ? 'not found' : String(random.calls)).padStart(12),
  ].join('');
}

const countFound = (findings: readonly Finding[]): number =>
  findings.filter(({ steps }) => steps !== undefined).length;

export const scenario = defineScenario<Sizes>({
  measures: 'planted bugs of contracts: calls until a guided and a random search find them',
  sizes: { calls: [20_000, 5_000], seed: [1, 1] },
  options: { only: 'list', explain: 'flag' },
  promises: (quick) => ({
    guided_missed: { atMost: quick ? 8 : 2 },
    found_in_correct: { atMost: 0 },
  }),
  async measure(run) {
    const chosen = run.chosen([...PLANTED, ...CORRECT], ({ name }) => name);
    const found: Record<'planted' | 'correct' | 'random', Finding[]> = {
      planted: [],
      correct: [],
      random: [],
    };
    console.log(HEAD);
    for (const contract of chosen) {
      const guided = await search(run, contract, 'guided');
      const random = await search(run, contract, 'random');
      console.log(line(contract, guided, random));
      const { isCorrect = false } = contract;
      found[isCorrect ? 'correct' : 'planted'].push(guided);
      if (isCorrect) found.correct.push(random);
      else found.random.push(random);
    }
    const guidedFound = countFound(found.planted);
    run.figures.say('guided_found', guidedFound);
    run.figures.say('guided_missed', found.planted.length - guidedFound);
    run.figures.say('random_found', countFound(found.random));
    run.figures.say('found_in_correct', countFound(found.correct));
    return undefined;
  },
});
