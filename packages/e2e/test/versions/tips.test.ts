// Estimation of tips by releases of starknet.js: the requests and the log lines of one transfer.
import { startNode } from '@starkbox/test-support';
import { Sender, STRK } from '@starkbox/test-support/signing';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const TRANSFER = { contractAddress: STRK, entrypoint: 'transfer', calldata: ['0x1', '1', '0'] };

/** A function that sends the transfer, with a tip or by the defaults of the release. */
type Send = (tip?: bigint) => Promise<unknown>;
type Connect = (
  nodeUrl: string,
  address: string,
  signer: string,
  get: typeof fetch,
) => Promise<Send>;

const LIBRARIES: Readonly<Record<string, Connect>> = {
  async 'starknet.js 8'(nodeUrl, address, signer, baseFetch) {
    const { Account, logger, RpcProvider } = await import('starknet-v8');
    logger.setLogLevel('INFO');
    const account = new Account({
      provider: new RpcProvider({ nodeUrl, baseFetch }),
      address,
      signer,
    });
    return (tip) => account.execute(TRANSFER, tip === undefined ? {} : { tip });
  },
  async 'starknet.js 9'(nodeUrl, address, signer, baseFetch) {
    const { Account, logger, RpcProvider } = await import('starknet-v9');
    logger.setLogLevel('INFO');
    const account = new Account({
      provider: new RpcProvider({ nodeUrl, baseFetch }),
      address,
      signer,
    });
    return (tip) => account.execute(TRANSFER, tip === undefined ? {} : { tip });
  },
  async 'starknet.js 10'(nodeUrl, address, signer, baseFetch) {
    const { Account, logger, RpcProvider } = await import('starknet');
    logger.setLogLevel('INFO');
    const account = new Account({
      provider: new RpcProvider({ nodeUrl, baseFetch }),
      address,
      signer,
    });
    return (tip) => account.execute(TRANSFER, tip === undefined ? {} : { tip });
  },
};

const { url, node, client, close } = await startNode({
  listen: true,
  accounts: 2,
  blockGenerationOn: 'demand',
});
afterAll(close);

let lines: string[];
beforeEach(async () => {
  lines = [];
  for (const name of ['log', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, name).mockImplementation((line) => void lines.push(String(line)));
  }
  await client.call('devnet_restart');
});
afterEach(() => void vi.restoreAllMocks());

describe.each(Object.keys(LIBRARIES))('%s', (library) => {
  /** Blocks that a transfer reads. */
  async function blocksRead(tip?: bigint): Promise<number> {
    let count = 0;
    const { address = '', privateKey = '' } = node.accounts[0] ?? {};
    const send = await LIBRARIES[library]?.(url, address, privateKey, (input, init) => {
      if (String(init?.body).includes('starknet_getBlockWithTxs')) count += 1;
      return fetch(input, init);
    });
    await send?.(tip);
    return count;
  }

  test('reads blocks and warns on a young chain, but not with a tip', async () => {
    for (const _ of [1, 2, 3]) await client.call('devnet_createBlock');
    expect(await blocksRead()).toBe(4);
    expect(lines.filter((line) => line.includes('Insufficient transaction data'))).toHaveLength(1);
    await client.call('devnet_createBlock');
    lines = [];
    expect(await blocksRead(0n)).toBe(0);
    expect(lines).toEqual([]);
  });

  test('is quiet where the latest block has ten transactions, whose median it sends', async () => {
    const sender = new Sender(client, node.accounts[1]);
    for (let count = 0; count < 10; count += 1) await sender.invoke([], { tip: '0x5' });
    await client.call('devnet_createBlock');
    expect(await blocksRead()).toBe(2);
    expect(lines).toEqual([]);
    const { transactions } = await client.call('starknet_getBlockWithTxs', {
      block_id: 'pre_confirmed',
    });
    expect(transactions).toMatchObject([{ tip: '0x5' }]);
  });
});
