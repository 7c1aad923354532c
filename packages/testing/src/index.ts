// Public API of the package.
export {
  accountsAt,
  ChainAccount,
  getAccounts,
  impersonate,
} from './client/account.js';
export { ChainProvider, getProvider, type InProcessChain } from './client/provider.js';
export {
  type Fixture,
  type FixtureContext,
  type FixtureOptions,
  fixture,
} from './fixtures/fixture.js';
export type { EventName, EventValues } from './matchers/event-types.js';
export { createTestChain, type DeployOptions, TestChain } from './test-chain.js';
