// Other calls are answered while the longest transaction of the protocol is executed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { checkedClient, connectDapp, startNode } from '@starkbox/test-support';
import { deployed } from '@starkbox/test-support/contracts';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { CallData, hash, num, transaction } from 'starknet';
import { afterAll, expect, test } from 'vitest';

const IDLE_SERVER = `
  const server = require('node:http').createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/** In a process of its own, as it is in life: here the client would slow it down. */
const node = await RunningCommand.start(['--seed', '0']);
afterAll(() => node.stop());
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

/** A server that does nothing, beside the node: what it takes to answer is what the machine takes. */
const idle = spawn(process.execPath, ['-e', IDLE_SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
afterAll(() => void idle.kill());
const [port] = await once(idle.stdout, 'data');
const idleUrl = `http://127.0.0.1:${String(port).trim()}`;

async function call(method: string, params: object = {}, url: string = node.url): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await new Promise<string>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    request(url, { method: 'POST', agent, headers }, (response) => {
      text(response).then(resolve, reject);
    })
      .on('error', reject)
      .end(body);
  });
  return JSON.parse(answer).result;
}

const milliseconds = (): number => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
};

/** How long each call took, one after the other, until something is over. */
async function timed(isOver: (count: number) => boolean, work: () => Promise<unknown>) {
  const times: number[] = [];
  while (!isOver(times.length)) {
    const begin = milliseconds();
    await work();
    times.push(milliseconds() - begin);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return times.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? 0;
const blockNumber = () => call('starknet_blockNumber');

test('reads and calls go on, and the transaction ends', async () => {
  const accounts = await call('devnet_getPredeployedAccounts');
  if (!Array.isArray(accounts)) throw new Error('no accounts');
  const predeployed = accounts.map(({ address, public_key, private_key }) => ({
    address,
    publicKey: public_key,
    privateKey: private_key,
  }));
  const { account, provider } = await connectDapp(node.url, predeployed, []);
  const contract = await deployed(account(0), 'reverter');

  let isDone = false;
  const price = 2_000_000_000n;
  // More turns than gas: it burns all that there may be, and is reverted.
  const sending = account(0)
    .execute(contract.populate('burn', [1_000_000_000n]), {
      tip: 0,
      resourceBounds: {
        l1_gas: { max_amount: 0n, max_price_per_unit: price },
        l2_gas: { max_amount: 1_100_000_000n, max_price_per_unit: price },
        l1_data_gas: { max_amount: 100_000n, max_price_per_unit: price },
      },
    })
    .finally(() => {
      isDone = true;
    });
  const isOver = () => isDone;
  const calls = [1, 2, 3, 4].map(() =>
    timed(isOver, () =>
      call('starknet_call', {
        request: {
          contract_address: contract.address,
          entry_point_selector: hash.getSelectorFromName('written'),
          calldata: [],
        },
        block_id: 'latest',
      }),
    ),
  );
  const [busy, control] = await Promise.all([
    timed(isOver, blockNumber),
    timed(isOver, () => call('nothing', {}, idleUrl)),
  ]);
  const { transaction_hash } = await sending;
  const receipt = await provider.waitForTransaction(transaction_hash);
  expect(receipt.isReverted()).toBe(true);
  expect(busy.length).toBeGreaterThan(100);
  const summary = (times: readonly number[]): string =>
    `${at(times, 0.5).toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms`;
  console.log(`blockNumber ${summary(busy)}; an empty server ${summary(control)}`);
  // The empty server runs in the same process: both wait for the same processor.
  expect(at(busy, 0.5)).toBeLessThan(5 + 5 * at(control, 0.5));
  for (const times of await Promise.all(calls)) expect(times.length).toBeGreaterThan(50);
}, 180_000);

test('a batch of such transactions is aborted at half of the timeout', async () => {
  const { node: inner, account, close } = await startNode({ listen: true, timeout: 2 });
  const contract = await deployed(account(0), 'reverter');
  const calls = [contract.populate('burn', [1_000_000_000n])];
  const calldata = CallData.toHex(transaction.fromCallsToExecuteCalldata_cairo1(calls));
  const nothing = { max_amount: '0x0', max_price_per_unit: '0x0' };
  const nonce = Number(await account(0).getNonce());
  const request = Array.from({ length: 20 }, (_, index) => ({
    type: 'INVOKE' as const,
    version: '0x100000000000000000000000000000003' as const,
    sender_address: num.toHex(account(0).address),
    calldata,
    signature: [],
    nonce: num.toHex(nonce + index),
    resource_bounds: { l1_gas: nothing, l2_gas: nothing, l1_data_gas: nothing },
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1' as const,
    fee_data_availability_mode: 'L1' as const,
  }));
  const client = checkedClient(inner.handle);
  const block_id = 'latest' as const;
  const asks = [
    () =>
      client.failure('starknet_estimateFee', {
        request,
        simulation_flags: ['SKIP_VALIDATE'],
        block_id,
      }),
    () =>
      client.failure('starknet_simulateTransactions', {
        transactions: request,
        simulation_flags: ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE', 'RETURN_INITIAL_READS'],
        block_id,
      }),
  ];
  for (const ask of asks) {
    const { code, message } = await ask();
    expect([code, message]).toEqual([-1, expect.stringMatching(/ of 20 transactions took 1 s/)]);
  }
  await close();
}, 180_000);
