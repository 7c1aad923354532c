// Clients with their own defaults on a busy and on a congested network: each transaction succeeds, or fails as documented.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ERRORS } from '@starkbox/spec';
import { startNode } from '@starkbox/test-support';
import { type Account, STRK } from '@starkbox/test-support/signing';
import { expect, onTestFinished, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./starknet_py_sender.py', import.meta.url));
const { installedPython }: { installedPython: () => string | undefined } = await import(
  new URL('../../../../scripts/starknet-py.mjs', import.meta.url).href
);
const python = installedPython();
if (python === undefined) {
  console.warn(
    'starknet.py is not installed and was not tried under network conditions: node scripts/starknet-py.mjs installs it.',
  );
}

/** What became of a transaction, as its client sees it. */
interface Ending {
  readonly hash?: string | undefined;
  readonly status?: string | undefined;
  /** Of the answer to a submission or an estimate. */
  readonly code?: number | undefined;
  readonly error?: string | undefined;
}

interface Sender {
  execute(call: {
    contractAddress: string;
    entrypoint: string;
    calldata: string[];
  }): Promise<{ readonly transaction_hash: string }>;
}

interface Library {
  readonly wait: (hash: string) => Promise<{ isSuccess(): boolean }>;
  readonly account: (account: Account) => Sender;
}

/** How often they ask is all that is set. */
const ASKING = { transactionRetryIntervalFallback: 25 };

const LIBRARIES: Readonly<Record<string, (nodeUrl: string) => Promise<Library>>> = {
  async 'starknet.js 8'(nodeUrl) {
    const { Account: Sends, logger, RpcProvider } = await import('starknet-v8');
    logger.setLogLevel('OFF');
    const provider = await RpcProvider.create({ nodeUrl: `${nodeUrl}/rpc/v0_9`, ...ASKING });
    return {
      wait: (hash) => provider.waitForTransaction(hash),
      account: ({ address, privateKey: signer }) => new Sends({ provider, address, signer }),
    };
  },
  async 'starknet.js 9'(nodeUrl) {
    const { Account: Sends, logger, RpcProvider } = await import('starknet-v9');
    logger.setLogLevel('OFF');
    const provider = await RpcProvider.create({ nodeUrl: `${nodeUrl}/rpc/v0_9`, ...ASKING });
    return {
      wait: (hash) => provider.waitForTransaction(hash),
      account: ({ address, privateKey: signer }) => new Sends({ provider, address, signer }),
    };
  },
  async 'starknet.js 10'(nodeUrl) {
    const { Account: Sends, logger, RpcProvider } = await import('starknet');
    logger.setLogLevel('OFF');
    const provider = await RpcProvider.create({ nodeUrl: `${nodeUrl}/rpc/v0_10`, ...ASKING });
    return {
      wait: (hash) => provider.waitForTransaction(hash),
      account: ({ address, privateKey: signer }) => new Sends({ provider, address, signer }),
    };
  },
};

const TRANSFER = {
  contractAddress: STRK,
  entrypoint: 'transfer',
  calldata: ['0x77', '0x1', '0x0'],
};

async function ending({ wait }: Library, sender: Sender): Promise<Ending> {
  let hash: string | undefined;
  try {
    hash = (await sender.execute(TRANSFER)).transaction_hash;
    return { hash, status: (await wait(hash)).isSuccess() ? 'SUCCEEDED' : 'REVERTED' };
  } catch (error) {
    const { baseError, message } = Object(error);
    return { hash, code: baseError?.code, error: String(message) };
  }
}

/** Sends one after another from each account, and from all accounts at once. */
async function endings(
  library: Library,
  accounts: readonly Account[],
  count: number,
): Promise<readonly Ending[]> {
  const lists = await Promise.all(
    accounts.map(async (account) => {
      const sender = library.account(account);
      const ends: Ending[] = [];
      while (ends.length < count) ends.push(await ending(library, sender));
      return ends;
    }),
  );
  return lists.flat();
}

const COUNT = 3;
const ACCOUNTS = 2;

/** Share of transactions that succeed on any machine. */
const LEAST = { busy: 0.75, congested: 0.25 };

/** Messages of clients that wait for a transaction which the node dropped. */
const GIVEN_UP = /evicted|timed-out|not received|was not received|failed|mempool/i;

/** Codes of submissions that compete with a waiting transaction of the same nonce. */
const COMPETING: readonly (number | undefined)[] = [
  ERRORS.INVALID_TRANSACTION_NONCE.code,
  ERRORS.REPLACEMENT_TRANSACTION_UNDERPRICED.code,
];

for (const preset of ['busy', 'congested'] as const) {
  test(`clients send through ${preset}`, { timeout: 240_000 }, async () => {
    // As on the command line.
    const conditions: object = { networkConditions: preset };
    const { url, node, client, close } = await startNode({
      listen: true,
      accounts: 4 * ACCOUNTS,
      blockGenerationOn: 'mempool:200ms',
      ...conditions,
    });
    onTestFinished(close);
    const owners = (index: number) => node.accounts.slice(index * ACCOUNTS, (index + 1) * ACCOUNTS);
    const runs = Object.entries(LIBRARIES).map(
      async ([name, open], index) =>
        [name, await endings(await open(url), owners(index), COUNT)] as const,
    );
    const results = new Map(await Promise.all([...runs, ...(await withPython(url, owners(3)))]));
    await client.call('devnet_setNetworkConditions', { conditions: null });
    await client.call('devnet_setBlockSettings', { block_generation_on: 'mempool' });
    await client.call('devnet_mempoolSeal');
    const { dropped } = await client.call('devnet_mempoolList', { limit: 200, dropped_from: 0 });
    const gone = new Set(dropped.map(({ transaction_hash }) => BigInt(transaction_hash)));
    for (const [name, ends] of results) {
      expect(ends).toHaveLength(COUNT * ACCOUNTS);
      const succeeded = ends.filter(({ status }) => status === 'SUCCEEDED');
      console.info(`${preset}, ${name}: ${succeeded.length} of ${ends.length} succeeded`);
      for (const { hash, status, code, error } of ends) {
        if (hash === undefined) {
          expect(COMPETING, error).toContain(code);
        } else if (status === 'SUCCEEDED') {
          expect(await client.call('starknet_getTransactionStatus', [hash])).toMatchObject({
            finality_status: 'ACCEPTED_ON_L2',
            execution_status: 'SUCCEEDED',
          });
        } else {
          expect(error).toMatch(GIVEN_UP);
          expect(gone, error).toContain(BigInt(hash));
        }
      }
      // Prices rise while a client prepares a transaction, so that some may be too cheap.
      expect(succeeded.length).toBeGreaterThanOrEqual(ends.length * LEAST[preset]);
    }
  });
}

async function withPython(
  url: string,
  accounts: readonly Account[],
): Promise<readonly Promise<readonly [string, readonly Ending[]]>[]> {
  if (python === undefined) return [];
  const task = {
    url: `${url}/rpc/v0_10`,
    token: STRK,
    count: COUNT,
    accounts: accounts.map(({ address, privateKey }) => ({ address, privateKey })),
  };
  const run = promisify(execFile)(python, [SCRIPT, JSON.stringify(task)], { timeout: 200_000 });
  return [run.then(({ stdout }) => ['starknet.py', JSON.parse(stdout)] as const)];
}
