// Written by hand, because Jest is not installed here; examples/token-jest checks it with TypeScript.
import type { ChainMatchers } from '../dist/matchers/matchers.js';

// `expect` of @jest/globals.
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends ChainMatchers {}
}

// The global `expect` of @types/jest.
declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: all declarations must have the parameters of @types/jest
    interface Matchers<R, T = {}> extends ChainMatchers {}
  }
}

export { withChain, withChainHooks } from '../dist/runners/node.js';
