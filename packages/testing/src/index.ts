// Public API of the package.
export {
  accountsAt,
  accountsOf,
  ChainAccount,
  impersonate,
} from './client/account.js';
export { ChainProvider, type InProcessChain, providerOf } from './client/provider.js';
export { type Fixture, type FixtureOptions, fixture, type Prepared } from './fixtures/fixture.js';
export type { EventName, EventValues } from './matchers/event-types.js';
export { createTestChain, type DeployOptions, TestChain } from './test-chain.js';
