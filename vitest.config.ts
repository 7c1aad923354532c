// Test projects: what `npm test` runs, what needs a browser, what ends processes, and what is timed.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const ALL = ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];

/** Tests of pages in chromium. */
const BROWSER = ['packages/{e2e,explorer,playground,wallet}/test/**/*.browser.test.ts'];
const BROWSER_SUPPORT = 'packages/explorer/test/support';

/** Tests that kill, crash or restart processes many times. */
const KILLS = [
  'packages/e2e/test/mempool/kill.test.ts',
  'packages/e2e/test/store/damage.test.ts',
  'packages/e2e/test/store/kill.test.ts',
  'packages/e2e/test/store/kill-and-undo.test.ts',
  'packages/starkbox/test/store/lost-files.test.ts',
  'packages/starkbox/test/store/page-check.test.ts',
  'packages/e2e/test/l1/kill.test.ts',
  'packages/e2e/test/l1/managed.test.ts',
  'packages/e2e/test/l1/restart.test.ts',
];

/** Tests that measure time. Each has the machine for itself. */
const TIMED = [
  'packages/engine/test/**/compiler.test.ts',
  'packages/e2e/test/node/longest-transaction.test.ts',
];

/** Tests that replace a global, or count the work or the handles of a whole process. Each has its own process. */
const ALONE = [
  'packages/engine/test/**/forget.test.ts',
  'packages/starkbox/test/browser/port.test.ts',
  'packages/starkbox/test/chain/one-transaction.test.ts',
  'packages/starkbox/test/instances/memory.test.ts',
  'packages/e2e/test/{starknet-js,versions}/follow-the-chain.test.ts',
  'packages/{e2e,starkbox}/test/node/*(failed-start|isolation|lifecycle).test.ts',
  'packages/starkbox/test/subscriptions/no-listeners.test.ts',
  'packages/starkbox/test/subscriptions/pending-cost.test.ts',
  'packages/testing/test/reports.test.ts',
  // It counts objects in memory, which takes a walk through the heap of the process.
  'packages/hosting/test/hibernation.test.ts',
];

/** Tests of execution, which run again with contracts and accounts of Cairo 2.8, whose gas is counted by steps. */
const EXECUTION = [
  'packages/engine/test/execution/*.test.ts',
  'packages/e2e/test/compatibility/transactions/{calls,estimation,receipts,simulation,traces,transactions}.test.ts',
  'packages/e2e/test/starknet-js/{call-a-contract,deploy-a-contract,estimate-fees,read-why-it-reverted,try-without-sending}.test.ts',
];

/** Tests that also run on the WebAssembly engine: execution, state, classes, golden conversations, explained failures. */
const WASM = [
  'packages/engine/test/{class,crypto,execution,state,state-source}/**/*.test.ts',
  'packages/engine/test/{bindings,fuzz}/*.test.ts',
  'packages/engine-wasm/test/*.test.ts',
  'packages/e2e/test/golden/golden.test.ts',
  'packages/e2e/test/explain/corpus.test.ts',
];

/** Tests of what it does not have: threads, processes, a cache on disk, an allocator. */
const NATIVE = [
  'packages/engine/test/bindings/memory.test.ts',
  'packages/engine/test/class/casm-cache.test.ts',
  'packages/engine/test/class/compiler.test.ts',
  'packages/engine/test/execution/comparison.test.ts',
  'packages/engine/test/state/forget.test.ts',
  'packages/engine/test/state-source/lookup.test.ts',
];

const CLOSE_AFTER_TESTS = 'packages/e2e/support/close-after-tests.ts';

/** The longest tests start first. Started last, one would run on while the other workers are idle. */
const LONG = [
  'packages/e2e/test/store/kill.test.ts',
  'packages/e2e/test/store/kill-and-undo.test.ts',
  'packages/e2e/test/store/damage.test.ts',
  'packages/e2e/test/explain/corpus.test.ts',
  'packages/starkbox/test/docs/blocks.test.ts',
  'packages/e2e/test/model/model.test.ts',
  'packages/debugger/test/walks.test.ts',
  'packages/e2e/test/l1/restart.test.ts',
  'packages/starkbox/test/store/lost-files.test.ts',
  'packages/e2e/test/l1/kill.test.ts',
  'packages/e2e/test/dump/image/slices.test.ts',
  'packages/e2e/test/instances/stored-histories.test.ts',
  'packages/e2e/test/node/lifecycle.test.ts',
  'packages/e2e/test/golden/golden.test.ts',
  'packages/e2e/test/mempool/kill.test.ts',
  'packages/starkbox/test/fuzz/fuzz.test.ts',
  'packages/starkbox/test/fuzz/bulk/bulk.test.ts',
  'packages/starkbox/test/node/isolation.test.ts',
  'packages/starkbox/test/dump/image/content.test.ts',
  'packages/e2e/test/followed/followed.test.ts',
  'packages/e2e/test/l1/answers.test.ts',
  'packages/e2e/test/instances/stored.test.ts',
  'packages/e2e/test/fork/forked-failures.test.ts',
  'packages/e2e/test/l1/managed.test.ts',
  'packages/e2e/test/l1/delivery.test.ts',
  'packages/starkbox/test/chain/history/history.test.ts',
  'packages/e2e/test/cli/built-command.test.ts',
  'packages/e2e/test/compatibility/chain/dump.test.ts',
  'packages/starkbox/test/debug-info/places.test.ts',
  'packages/e2e/test/store/data-dir.test.ts',
  'packages/e2e/test/starknet-js/read-why-it-reverted.test.ts',
  'packages/e2e/test/starknet-js/estimate-fees.test.ts',
  'packages/e2e/test/starknet-js/deploy-a-contract.test.ts',
  'packages/e2e/test/browser/tab.browser.test.ts',
  'packages/playground/test/playground.browser.test.ts',
  'packages/explorer/test/app/layout.browser.test.ts',
  'packages/explorer/test/app/limits.browser.test.ts',
  'packages/explorer/test/app/layout-shift.browser.test.ts',
  'packages/explorer/test/app/appearance.browser.test.ts',
  'packages/explorer/test/app/chain-changes.browser.test.ts',
  'packages/explorer/test/contracts/interact.browser.test.ts',
  // By now the first one has made the long chain that it needs.
  'packages/explorer/test/gas/gas.browser.test.ts',
  'packages/explorer/test/transactions/failures.browser.test.ts',
  'packages/explorer/test/app/untrusted-content.browser.test.ts',
  'packages/explorer/test/app/keyboard.browser.test.ts',
  'packages/wallet/test/wallet.browser.test.ts',
  'packages/explorer/test/app/instances.browser.test.ts',
  'packages/explorer/test/timeline/timeline.browser.test.ts',
];

/** Files of one project follow each other: a worker with a shared module graph ends at a file of another project. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = [...new Set(files.map(({ project }) => project.name))].sort().toReversed();
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const at = LONG.findIndex((file) => moduleId.endsWith(file));
      return projects.indexOf(project.name) * (LONG.length + 1) + (at < 0 ? LONG.length : at);
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Many tests wait for a process, a timer or the disk: a worker takes less than half of a core. */
const maxWorkers = availableParallelism() + 3;

export default defineConfig({
  resolve: {
    // Tests run our sources, so that an edit needs no build in between.
    alias: [
      { find: /^@starkbox\/spec$/, replacement: source('packages/spec/src/index.ts') },
      {
        find: /^@starkbox\/spec\/documents$/,
        replacement: source('packages/spec/src/documents.ts'),
      },
      { find: /^@starkbox\/engine$/, replacement: source('packages/engine/js/index.ts') },
      { find: /^starkbox$/, replacement: source('packages/starkbox/src/index.ts') },
      {
        find: /^starkbox\/client$/,
        replacement: source('packages/starkbox/src/client-node.ts'),
      },
      { find: /^starkbox\/registry$/, replacement: source('packages/starkbox/src/registry.ts') },
      { find: /^@starkbox\/hosting$/, replacement: source('packages/hosting/src/index.ts') },
      { find: /^@starkbox\/abi$/, replacement: source('packages/abi/src/index.ts') },
      { find: /^@starkbox\/abi\/internal$/, replacement: source('packages/abi/src/internal.ts') },
      { find: /^@starkbox\/abi\/basics$/, replacement: source('packages/abi/src/basics.ts') },
      { find: /^@starkbox\/debugger$/, replacement: source('packages/debugger/src/index.ts') },
      { find: /^@starkbox\/signing$/, replacement: source('packages/signing/src/index.ts') },
      { find: /^@starkbox\/wallet$/, replacement: source('packages/wallet/src/index.ts') },
      {
        find: /^@starkbox\/wallet\/playwright$/,
        replacement: source('packages/wallet/src/playwright.ts'),
      },
      { find: /^@starkbox\/testing$/, replacement: source('packages/testing/src/index.ts') },
      {
        find: /^@starkbox\/conformance$/,
        replacement: source('packages/conformance/src/index.ts'),
      },
    ],
  },
  test: {
    environment: 'node',
    experimental: { fsModuleCache: true },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Polls end as soon as their condition holds; the limit only catches hangs.
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ALL,
          exclude: [...BROWSER, ...KILLS, ...TIMED, ...ALONE, 'packages/engine-wasm/test/**'],
          setupFiles: CLOSE_AFTER_TESTS,
          // Files of one process share its modules, which saves a second per file.
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'cairo-2.8',
          include: EXECUTION,
          env: { STARKBOX_CAIRO: '2.8' },
          setupFiles: CLOSE_AFTER_TESTS,
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'wasm',
          include: WASM,
          exclude: NATIVE,
          env: { STARKBOX_ENGINE: 'wasm' },
          setupFiles: CLOSE_AFTER_TESTS,
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE,
          setupFiles: CLOSE_AFTER_TESTS,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'kills',
          include: KILLS,
          setupFiles: CLOSE_AFTER_TESTS,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: BROWSER,
          globalSetup: `${BROWSER_SUPPORT}/browser-server.ts`,
          setupFiles: [CLOSE_AFTER_TESTS, `${BROWSER_SUPPORT}/release-pages.ts`],
          // Files of one process share its modules and its pages.
          isolate: false,
          // They bound how long a failing test takes; a busy machine needs long for a passing one.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 90_000 } },
          // With its page and its node, a worker takes two thirds of a core.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'timed', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
