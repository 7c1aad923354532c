// Planted bugs: a guided search finds them from ABIs and promises alone, and nothing in correct contracts.
import { expect, test } from 'vitest';
import { checkInvariants, InvariantViolation } from '../../../src/properties.js';
import { CORRECT, openPlanted, PLANTED, type PlantedContract, type Variant } from './contracts.js';

const FOLDER = new URL('../../../../../contracts/planted/', import.meta.url);
const CALLS = 5_000;
const CALLS_OF_CORRECT = 1_000;

/** Bugs that a search finds within few calls, with the steps of the shortest history. */
const FOUND_SOON: Readonly<Record<string, number>> = {
  share_vault: 3,
  lending: 4,
  exchange: 2,
  staking: 3,
  debt_book: 3,
};
const soon = PLANTED.filter(({ name }) => name in FOUND_SOON);

async function search(
  contract: PlantedContract,
  variant: Variant,
  calls: number,
): Promise<InvariantViolation | undefined> {
  const { chain, options } = await openPlanted(contract, FOLDER, variant);
  try {
    await checkInvariants(chain, { ...options, calls, seed: 1, corpus: false, progress: false });
    return undefined;
  } catch (error) {
    if (error instanceof InvariantViolation) return error;
    throw error;
  } finally {
    await chain.close();
  }
}

test.each(soon)('a search finds the bug of $name: $kind', async (contract) => {
  const found = await search(contract, 'planted', CALLS);
  expect(found?.violation.history).toHaveLength(FOUND_SOON[contract.name] ?? 0);
});

test.each(soon)('a search finds nothing in $name without its bug', async (contract) => {
  expect(await search(contract, 'repaired', CALLS_OF_CORRECT)).toBeUndefined();
});

test.each(CORRECT)('a search finds nothing in $name, which is correct', async (contract) => {
  expect(await search(contract, 'planted', CALLS_OF_CORRECT)).toBeUndefined();
});

test('the set has sixteen bugs of different kinds', () => {
  expect(new Set(PLANTED.map(({ kind }) => kind)).size).toBe(16);
  expect(soon).toHaveLength(Object.keys(FOUND_SOON).length);
});
