// The seed of random tests.

/** Always the same, so that a run fails by what was changed; TEST_SEED chooses other cases. */
export const SEED = Number(process.env['TEST_SEED'] ?? 20_251_115);
