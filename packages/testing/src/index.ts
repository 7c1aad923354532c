// Public API of the package.
export {
  ChainAccount,
  getAccounts,
  ImpersonatedChainAccount,
  PredeployedChainAccount,
} from './client/account.js';
export { getExplanation } from './client/explanation.js';
export { ChainProvider, getProvider } from './client/provider.js';
export {
  type Fixture,
  type FixtureContext,
  type FixtureOptions,
  fixture,
} from './fixtures/fixture.js';
export type { EventName, EventValues } from './matchers/event-types.js';
export { createTestChain, type DeployOptions, LocalTestChain, TestChain } from './test-chain.js';
