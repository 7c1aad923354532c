// Options that other nodes have and this node does not.

import { runCommandLine } from '@starkbox/test-support/command-line';
import { expect, test } from 'vitest';

test.each(['--mempool-size', '--mempool-capacity', '--mempool'])(
  'additions.8a there is no mempool to set up: %s',
  async (option) => {
    for (const words of [[option], [option, '5'], [`${option}=5`]]) {
      const { outcome } = await runCommandLine(words);
      expect(outcome).toEqual({ exitCode: 2 });
    }
  },
);
