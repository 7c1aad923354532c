// Chains for tests of Jest; importing it adds the matchers of transactions to `expect`.
import { expect } from '@jest/globals';
import { matchers } from '../dist/matchers/matchers.js';

expect.extend(matchers);

export { withChain, withChainHooks } from '../dist/runners/node.js';
