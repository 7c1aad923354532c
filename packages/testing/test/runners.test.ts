// Chains that runners hand to tests: one each, from what was prepared, closed afterwards.
import { afterAll, afterEach, beforeEach, describe, expect, test as plain } from 'vitest';
import { fixture, getProvider, type LocalTestChain } from '../src/index.js';
import { withChain, withChainHooks } from '../src/runners/node.js';
import { withChain as withPageChain } from '../src/runners/playwright.js';
import { test, withChain as testWithChain } from '../src/runners/vitest.js';

const funded = fixture('funded', async (chain) => {
  await chain.mint('0xabc', 1000n);
  return { holder: '0xabc' };
});

const blockNumber = (chain: LocalTestChain): Promise<number> =>
  chain.request('starknet_blockNumber');

describe('vitest', () => {
  const chains: LocalTestChain[] = [];
  const isClosed = (chain: LocalTestChain | undefined): boolean => {
    try {
      chain?.branch();
      return false;
    } catch {
      return true;
    }
  };

  for (const name of ['one', 'other']) {
    test(`${name} test changes a chain of its own`, async ({ chain }) => {
      expect(await blockNumber(chain)).toBe(0);
      await chain.mine(3);
      expect(chains.every(isClosed)).toBe(true);
      chains.push(chain);
    });
  }

  const prepared = testWithChain(funded);
  prepared('a test begins with what was prepared', async ({ chain, data }) => {
    const { balance } = await chain.mint(data.holder, 1n);
    expect(balance).toBe(1001n);
  });
  prepared('and so does the next', async ({ chain, data }) => {
    const { balance } = await chain.mint(data.holder, 1n);
    expect(balance).toBe(1001n);
    expect(funded.executions).toBeLessThanOrEqual(1);
  });
});

describe('node:test and Jest', () => {
  plain(
    'a body gets a chain',
    withChain(async (chain) => {
      await chain.mine();
      expect(await blockNumber(chain)).toBe(1);
    }),
  );
  plain(
    'a body gets a prepared chain and its data',
    withChain(funded, async (chain, { holder }) => {
      expect((await chain.mint(holder, 1n)).balance).toBe(1001n);
    }),
  );
  plain('the chain of a failed test is closed as well', async () => {
    let firstChain: LocalTestChain | undefined;
    const run = withChain(async (chain) => {
      firstChain = chain;
      throw new Error('as the test says');
    });
    expect(run.length).toBe(0);
    await expect(run()).rejects.toThrow('as the test says');
    expect(() => firstChain?.branch()).toThrow(/closed/);
  });

  describe('hooks', () => {
    const current = withChainHooks({ beforeEach, afterEach }, funded);
    expect(() => current.chain).toThrow(/while a test runs/);
    for (const name of ['one', 'other']) {
      plain(`${name} test has a chain`, async () => {
        expect((await current.chain.mint(current.data.holder, 1n)).balance).toBe(1001n);
      });
    }
  });
});

describe('Playwright', () => {
  plain('a page reaches a branch at a port of its own', async () => {
    const { chain, chainUrl, chainData } = withPageChain(funded);
    const urls = new Set<string>();
    const run = () =>
      chain({}, async (branch) => {
        await chainUrl({ chain: branch }, async (url) => {
          urls.add(url);
          await branch.mine();
          expect(await getProvider(`${url}/rpc`).getBlockNumber()).toBe(2);
        });
        await chainData({ chain: branch }, async ({ holder }) => expect(holder).toBe('0xabc'));
      });
    await Promise.all([run(), run()]);
    expect(urls.size).toBe(2);
    for (const url of urls) await expect(fetch(`${url}/is_alive`)).rejects.toThrow();
  });
});

describe('arguments of another kind are rejected when the chain is requested', () => {
  // As a program without types calls them.
  const called =
    (run: (...args: never[]) => unknown, ...args: readonly unknown[]): (() => unknown) =>
    () =>
      Reflect.apply(run, undefined, args);
  const body = async (): Promise<void> => {};

  plain('vitest', () => {
    for (const args of [[], [body], [{}]]) {
      expect(called(testWithChain, ...args)).toThrow(
        new TypeError(
          "withChain of @starkbox/testing/vitest takes a fixture: withChain(fixture('key', prepare)). Without a fixture, import { test }.",
        ),
      );
    }
  });
  plain('node:test and Jest', () => {
    for (const args of [[], [funded], [body, body], [funded, 'counts']]) {
      expect(called(withChain, ...args)).toThrow(
        /^withChain of @starkbox\/testing\/node takes the/,
      );
    }
    expect(called(withChainHooks, { beforeEach, afterEach }, body)).toThrow(
      /^withChainHooks takes/,
    );
  });
  plain('Playwright', () => {
    expect(called(withPageChain, body)).toThrow(
      /^withChain of @starkbox\/testing\/playwright takes/,
    );
  });
});

afterAll(() => funded.close());
