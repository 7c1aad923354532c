// Options that other nodes have and this node does not.
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/cli/arguments.js';
import { UsageError } from '../../../src/config/option.js';

test.each(['--mempool-size', '--mempool-capacity', '--mempool'])(
  'additions.8a there is no mempool to set up: %s',
  async (option) => {
    for (const words of [[option], [option, '5'], [`${option}=5`]]) {
      const settings = { env: {}, directory: '/', coloured: false };
      await expect(readConfig(words, settings)).rejects.toThrow(UsageError);
    }
  },
);
