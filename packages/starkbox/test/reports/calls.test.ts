// Coverage of calls outside of transactions, which a node keeps if it is asked to.
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { deployed } from '@starkbox/test-support/contracts';
import { hash } from 'starknet';
import { expect, test } from 'vitest';
import { RecordedCalls } from '../../src/chain/recorded-calls.js';
import { runCommand } from '../../src/cli/commands/command.js';

const NODE = { listen: true, seed: 42, accounts: 1, blockGenerationOn: 'transaction' } as const;
const selector = (name: string): string => hash.getSelectorFromName(name);

async function started(recordCalls: boolean) {
  const node = await startNode({ ...NODE, recordCalls });
  closeAfterFile(() => node.close());
  const { address: counter } = await deployed(node.account(0), 'counter', [5]);
  const { address: reverter } = await deployed(node.account(0), 'reverter');
  const call = (contract_address: string, name: string, calldata: readonly string[]) =>
    node.client
      .call('starknet_call', {
        request: { contract_address, entry_point_selector: selector(name), calldata },
        block_id: 'latest',
      })
      .catch(() => undefined);
  await call(counter, 'get', []);
  await call(counter, 'get', []);
  await call(counter, 'increase', ['0x0']);
  await call(reverter, 'forward', [counter, selector('get'), '0x0']);
  return { node, counter };
}

async function countsOf(node: ListeningNode, name: string, params: object = {}) {
  const page = await node.client.call('devnet_coverage', params);
  const contractClass = page.classes.find(({ contract_name }) => contract_name === name);
  const counts = (contractClass?.entry_points ?? []).map((entryPoint) => [
    entryPoint.function_name,
    [entryPoint.calls, entryPoint.failed],
  ]);
  return { page, counts: Object.fromEntries(counts), statements: contractClass?.statements };
}

test('counts calls, with the nested and the failed ones, on the first page alone', async () => {
  const { node } = await started(true);
  const { page, counts, statements } = await countsOf(node, 'counter', { include: ['statements'] });
  expect(page).toMatchObject({ calls: 4 });
  expect(counts).toEqual({ constructor: [1, 0], get: [3, 0], increase: [1, 1] });
  const ran = (of: typeof statements): number =>
    (of ?? []).filter(([, times = 0]) => times > 0).length;
  const { statements: again } = await countsOf(node, 'counter', { include: ['statements'] });
  expect(again).toEqual(statements);
  const first = await node.client.call('devnet_coverage', { limit: 1 });
  const second = await node.client.call('devnet_coverage', { limit: 1, cursor: first.next ?? '' });
  expect([first.calls, second.calls]).toEqual([4, undefined]);
  const said = await runCommand(['coverage', '--url', node.url]);
  expect(said).toMatch(/\n\d+ transactions and 4 calls outside of them\nentry points called: /);
  const { node: plain } = await started(false);
  const without = await countsOf(plain, 'counter', { include: ['statements'] });
  expect(without.page).not.toHaveProperty('calls');
  expect(without.counts).toEqual({ constructor: [1, 0], get: [0, 0], increase: [0, 0] });
  expect(ran(statements)).toBeGreaterThan(ran(without.statements));
});

test('keeps the calls that were made last, each once', () => {
  const calls = new RecordedCalls();
  for (let count = 0; count < 1500; count += 1) {
    const call = { contract_address: '0x1', entry_point_selector: '0x2', calldata: [`0x${count}`] };
    calls.add(call, 1);
  }
  const last = { contract_address: '0x1', entry_point_selector: '0x2', calldata: ['0x1499'] };
  calls.add(last, 1);
  calls.add(last, 2);
  const { all } = calls;
  expect(all).toHaveLength(1000);
  expect(all.slice(-2)).toEqual([
    { call: last, number: 1, times: 2 },
    { call: last, number: 2, times: 1 },
  ]);
  const long = { ...last, calldata: new Array<string>(99_999).fill('0x0') };
  calls.add(long, 1);
  expect(calls.all).toHaveLength(2);
});
