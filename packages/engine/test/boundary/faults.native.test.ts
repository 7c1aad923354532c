// A panic at every layer of the engine becomes an error, and the engine goes on. By hand: node packages/engine/test/boundary/build-faults.mjs

import { expect, test } from 'vitest';
import { COMPILER } from '../../js/addon.js';
import { runProgram } from './program.js';

/** An addon with the feature `fault-injection`, which no package has. */
const ADDON = process.env['TEST_FAULTS'];

test.skipIf(ADDON === undefined)(
  'a panic is an error, at every layer',
  { timeout: 180_000 },
  async () => {
    const injected = (layer: string) => ({
      before: 'fine',
      // Functions that return at once have the code `GenericFailure`, which stands for `internal`.
      during: expect.stringMatching(new RegExp(`^(\\w+: .*)?a fault was injected: ${layer}\\b`)),
      after: 'fine',
    });
    const layers = ['binding', 'worker', 'execution', 'read', 'state', 'report', 'source', 'class'];
    expect(await runProgram('./faults.mjs', [ADDON ?? '', COMPILER])).toEqual({
      ...Object.fromEntries(
        [...layers, 'export', 'import'].map((layer) => [layer, injected(layer)]),
      ),
      release: { before: 'fine', during: 'fine', after: 'fine' },
      spawn: {
        before: 'fine',
        during: expect.stringMatching(/^internal: no thread could be started/),
        after: 'fine',
      },
    });
  },
);
