// A chain behind a MessagePort, as a page has it: the worker's half and the page's half in one process.
import '@starkbox/test-support/global-websocket';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '@starkbox/spec';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { RpcProvider, WebSocketChannel } from 'starknet';
import { describe, expect, test } from 'vitest';
import { openWorkerChain } from '../../src/browser/open-chain.js';
import type { BrowserConfig } from '../../src/browser/options.js';
import { ServedPorts } from '../../src/browser/serve-port.js';
import { connectPort, type TabChain } from '../../src/client/tab-chain.js';
import { RpcError } from '../../src/errors.js';
import { silentLog } from '../../src/log.js';

const COUNTER: unknown = JSON.parse(
  readFileSync(
    fileURLToPath(new URL('../../../../contracts/cairo/counter.sierra.json', import.meta.url)),
    'utf8',
  ),
);

interface Opened {
  readonly chain: TabChain;
  readonly ports: ServedPorts;
}

async function open(config: BrowserConfig = {}, image?: Uint8Array): Promise<Opened> {
  const worker = await openWorkerChain({
    config: { seed: 0, accounts: 2, ...config },
    image,
    log: silentLog,
    version: '0.0.0',
  });
  const ports = new ServedPorts(worker);
  const { port1, port2 } = new MessageChannel();
  ports.add(port1);
  const chain = await connectPort(port2);
  closeAfterTest(async () => {
    await chain.close();
    await worker.close();
  });
  return { chain, ports };
}

describe('a chain behind a port', () => {
  test('calls, mints, declares and deploys', async () => {
    const { chain } = await open();
    expect(chain.accounts).toHaveLength(2);
    const { balance } = await chain.mint('0x123', 5n);
    expect(balance).toBe(5n);
    const { classHash } = await chain.declare(Object(COUNTER));
    const { address } = await chain.deploy({ classHash, calldata: [0] });
    expect(
      await chain.request('starknet_getClassHashAt', {
        block_id: 'latest',
        contract_address: address,
      }),
    ).toBe(classHash);
  });

  test('rejects with the error of the node', async () => {
    const { chain } = await open();
    const failure = await chain
      .request('starknet_getBlockWithTxs', { block_id: { block_number: 99 } })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RpcError);
    expect(failure).toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
  });

  test('sends notifications until it is closed', async () => {
    const { chain } = await open();
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await chain.mine(2);
    await chain.close();
    const numbers: unknown[] = [];
    for await (const { result } of heads) numbers.push(Object(result).block_number);
    expect(numbers).toEqual([1, 2]);
    await expect(chain.request('starknet_blockNumber')).rejects.toThrow('closed');
  });

  test('has branches and snapshots', async () => {
    const { chain } = await open();
    const snapshot = await chain.snapshot();
    const branch = await chain.branch();
    await branch.mine(3);
    await chain.mine();
    expect(await branch.request('starknet_blockNumber')).toBe(3);
    expect(await chain.request('starknet_blockNumber')).toBe(1);
    await branch.close();
    expect(await chain.instances.list()).toEqual([]);
    await snapshot.restore();
    expect(await chain.request('starknet_blockNumber')).toBe(0);
  });

  test('serves starknet.js by its fetch and its WebSocket', async () => {
    const { chain } = await open();
    const provider = new RpcProvider({ nodeUrl: chain.rpcUrl, baseFetch: chain.fetch });
    expect(await provider.getChainId()).toBe('0x534e5f5345504f4c4941');
    const old = new RpcProvider({ nodeUrl: `${chain.rpcUrl}/v0_9`, baseFetch: chain.fetch });
    expect(await old.getSpecVersion()).toMatch(/^0\.9/);
    const channel = new WebSocketChannel({
      nodeUrl: chain.wsUrl,
      websocket: Object(chain.WebSocket),
    });
    await channel.waitForConnection();
    const heads = await channel.subscribeNewHeads();
    const number = new Promise((resolve) => heads.on((head) => resolve(head.block_number)));
    await chain.mine();
    expect(await number).toBe(1);
    channel.disconnect();
    await channel.waitForDisconnection();
  });

  test('saves an image that another chain begins with', async () => {
    const { chain } = await open({ seed: 7 });
    await chain.mint('0x123', 5n);
    const { chain: other } = await open({}, await chain.saveImage());
    expect(await other.request('starknet_blockNumber')).toBe(1);
    expect(other.accounts).toEqual(chain.accounts);
    expect((await other.mint('0x123', 1n)).balance).toBe(6n);
  });

  test('has further clients by ports of their own', async () => {
    const { chain } = await open();
    const other = await connectPort(await chain.openPort());
    await other.mine();
    await other.close();
    expect(await chain.request('starknet_blockNumber')).toBe(1);
  });

  test('rejects everything that waits when the worker ends', async () => {
    const { chain, ports } = await open();
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await heads.ready;
    const waiting = chain.request('devnet_createBlock');
    ports.end('The engine stopped: unreachable.');
    await expect(waiting).rejects.toThrow(/The engine stopped: unreachable\. Create another chain/);
    await expect(chain.request('starknet_blockNumber')).rejects.toThrow('The engine stopped');
    await heads.next();
    await expect(chain.saveImage()).rejects.toThrow('The engine stopped');
  });
});

test.each([
  [{ dataDir: '/tmp/x' }, /'dataDir' is not an option in a browser.*saveImage/],
  [{ l1: 'anvil' }, /'l1' is not an option in a browser.*on Node/],
  [{ sed: 1 }, /unknown key 'sed'.*did you mean 'seed'/],
])('refuses %j', async (config, message) => {
  await expect(
    openWorkerChain({ config: Object(config), image: undefined, log: silentLog, version: '0.0.0' }),
  ).rejects.toThrow(message);
});
