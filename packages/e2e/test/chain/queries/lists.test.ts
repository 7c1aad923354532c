// Lists for the explorer: each entry once, newest first, in pages, in memory and on disk.
import { ERRORS, type Methods } from '@starkbox/spec';
import { type Client, checkedClient } from '@starkbox/test-support';
import { openNode } from '@starkbox/test-support/fixture';
import { contract, hex, Sender, STRK, selector, UDC } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config, LocalChain } from 'starkbox';
import { beforeAll, describe, expect, test } from 'vitest';

type PagedMethod =
  | 'devnet_listTransactions'
  | 'devnet_listContracts'
  | 'devnet_listClasses'
  | 'devnet_getStorage';

const directory = temporaryFolderOfFile();

async function start(config: Partial<Config> = {}): Promise<{ node: LocalChain; client: Client }> {
  const node = await openNode({ seed: 0, accounts: 2, port: 0, ...config });
  return { node, client: checkedClient(node.handle) };
}

/** Every page of a list. */
async function pages<M extends PagedMethod>(
  client: Client,
  method: M,
  params: object,
): Promise<readonly Methods[M]['result'][]> {
  const allPages: Methods[M]['result'][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.call(method, { ...params, ...(cursor && { cursor }) });
    allPages.push(page);
    cursor = page.next;
    if (cursor === undefined) return allPages;
  }
}

const transactions = async (client: Client, params: object = {}) =>
  (await pages(client, 'devnet_listTransactions', params)).flatMap((page) => page.transactions);
const storage = async (client: Client, params: object) =>
  (await pages(client, 'devnet_getStorage', params)).flatMap((page) => page.entries);

const slots = await contract('slots');
const reverter = await contract('reverter');

describe.each([
  ['in memory', {}],
  ['in a data directory', { dataDir: directory, recentBlocks: 1 }],
  ['without history', { stateArchive: 'none' }],
] as const)('a chain %s', (_, config) => {
  let node: LocalChain;
  let client: Client;
  let firstSender: Sender;
  let secondSender: Sender;
  let slotsAt: string;
  let reverterAt: string;
  /** Transactions in the order in which they were sent. */
  const sentHashes: string[] = [];
  let failed: string;

  const send = async (sender: Sender, ...calls: Parameters<Sender['invoke']>[0]) => {
    const hash = await sender.invoke(calls);
    sentHashes.push(hash);
    return hash;
  };

  beforeAll(async () => {
    ({ node, client } = await start(config));
    firstSender = new Sender(client, node.accounts[0]);
    secondSender = new Sender(client, node.accounts[1]);
    slotsAt = await firstSender.deploy(slots);
    reverterAt = await firstSender.deploy(reverter);
    sentHashes.push(...(await transactions(client)).map((row) => row.transaction_hash).reverse());
    await send(firstSender, { to: slotsAt, name: 'fill', calldata: ['0x64', '0x5'] });
    await send(secondSender, { to: slotsAt, name: 'put', calldata: ['0x66', '0x7'] });
    const call = [slotsAt, selector('clear'), '0x2', '0x65', '0x1'];
    await send(secondSender, { to: reverterAt, name: 'forward', calldata: call });
    failed = await send(firstSender, {
      to: reverterAt,
      name: 'fail',
      calldata: ['0x1', '0x6f6f7073'],
    });
    for (let count = 0; count < 12; count += 1) await client.call('devnet_createBlock');
    const transfer = [secondSender.account.address, '0x5', '0x0'];
    await send(
      firstSender,
      { to: STRK, name: 'transfer', calldata: transfer },
      { to: slotsAt, name: 'put', calldata: ['0x64', '0x9'] },
    );
  });

  test('lists its blocks, and what is in them', async () => {
    const head = await client.call('starknet_blockNumber');
    const { blocks, next } = await client.call('devnet_listBlocks');
    expect(next).toBeUndefined();
    expect(blocks.map((row) => row.block_number)).toEqual(
      Array.from({ length: head + 1 }, (_, index) => head - index),
    );
    const [newest] = blocks;
    const block_id = { block_number: head };
    const block = await client.call('starknet_getBlockWithReceipts', { block_id });
    if (!newest || !('block_hash' in block)) throw new Error('there is no block');
    const [first] = block.transactions;
    expect(newest).toEqual({
      block_number: head,
      block_hash: block.block_hash,
      timestamp: block.timestamp,
      transaction_count: 1,
      failed_count: 0,
      event_count: first?.receipt.events.length,
      fee: { fri: BigInt(first?.receipt.actual_fee.amount ?? 0).toString(), wei: '0' },
      l2_gas: first?.receipt.execution_resources.l2_gas,
      finality_status: 'ACCEPTED_ON_L2',
    });
    expect(blocks.filter((row) => row.failed_count > 0)).toHaveLength(1);
    expect(blocks.filter((row) => row.transaction_count > 0)).toHaveLength(sentHashes.length);
    const page = await client.call('devnet_listBlocks', { limit: 3, before: 5 });
    expect(page.blocks).toEqual(blocks.slice(-5, -2));
    expect(page.next).toBe(2);
    expect(await client.call('devnet_listBlocks', { before: page.next })).toEqual({
      blocks: blocks.slice(-2),
    });
    expect((await client.failure('devnet_listBlocks', { limit: 201 })).code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
  });

  test('lists its transactions', async () => {
    const all = await transactions(client, { limit: 3 });
    expect(all.map((row) => row.transaction_hash)).toEqual(sentHashes.toReversed());
    expect(await transactions(client)).toEqual(all);
    const [newest] = all;
    expect(newest).toMatchObject({
      index: 0,
      type: 'INVOKE',
      sender_address: firstSender.account.address,
      call: { contract_address: STRK, selector: selector('transfer') },
      call_count: 2,
      execution_status: 'SUCCEEDED',
      finality_status: 'ACCEPTED_ON_L2',
    });
    const reverted = all.find((row) => row.transaction_hash === failed);
    expect(reverted).toMatchObject({ execution_status: 'REVERTED', call_count: 1 });
    expect(reverted?.revert_reason?.length).toBeLessThanOrEqual(300);
    expect(all.map((row) => row.type)).toContain('DECLARE');
  });

  test('finds transactions by sender, contract, type, status and block', async () => {
    const find = async (filter: object): Promise<readonly string[]> =>
      (await transactions(client, { filter, limit: 2 })).map((row) => row.transaction_hash);
    const at = (...places: readonly number[]) => places.map((index) => sentHashes[index]);
    expect(await find({ sender: secondSender.account.address })).toEqual(at(6, 5));
    // A call inside of another call counts, what fees are paid in does not.
    expect(await find({ contract: slotsAt })).toEqual(at(8, 6, 5, 4, 1));
    expect(await find({ contract: STRK })).toEqual(at(8));
    // The trace of a reverted execution has no calls, but its reason has those that failed.
    expect(await find({ contract: reverterAt })).toEqual(at(7, 6, 3));
    expect(await find({ contract: UDC })).toEqual(at(3, 1));
    expect(await find({ contract: secondSender.account.address })).toEqual(at(6, 5));
    expect(await find({ type: 'DECLARE' })).toEqual(at(2, 0));
    expect(await find({ status: 'REVERTED' })).toEqual([failed]);
    expect(await find({ status: 'REVERTED', sender: secondSender.account.address })).toEqual([]);
    expect(await find({ status: 'SUCCEEDED' })).toEqual(at(8, 6, 5, 4, 3, 2, 1, 0));
    expect(await find({ block_number: 3 })).toEqual(at(2));
    expect(await find({ block_number: 0 })).toEqual([]);
    expect(await find({ block_number: 999 })).toEqual([]);
    expect(await find({ sender: '0x77' })).toEqual([]);
  });

  test('finds transactions by function, range of blocks and reason of a revert', async () => {
    const find = async (filter: object): Promise<readonly string[]> =>
      (await transactions(client, { filter, limit: 2 })).map((row) => row.transaction_hash);
    const at = (...places: readonly number[]) => places.map((index) => sentHashes[index]);
    const put = selector('put');
    expect(await find({ selector: put })).toEqual(at(8, 5));
    // A call inside of another one, a call that failed, and what only takes the fee.
    expect(await find({ selector: selector('clear') })).toEqual(at(6));
    expect(await find({ selector: selector('fail') })).toEqual([failed]);
    expect(await find({ selector: selector('transfer') })).toEqual(at(8));
    expect(await find({ selector: put, contract: STRK })).toEqual(at(8));
    expect(await find({ selector: '0x77' })).toEqual([]);
    expect(await find({ from_block: 5, to_block: 7 })).toEqual(at(6, 5, 4));
    expect(await find({ from_block: 9 })).toEqual(at(8));
    expect(await find({ to_block: 2, selector: selector('deployContract') })).toEqual(at(1));
    expect(await find({ from_block: 999 })).toEqual([]);
    expect(await find({ from_block: 7, to_block: 5 })).toEqual([]);
    expect(await find({ block_number: 3, from_block: 4 })).toEqual([]);
    expect(await find({ revert_reason: 'OOPS' })).toEqual([failed]);
    expect(await find({ revert_reason: 'oops', from_block: 9 })).toEqual([]);
    expect(await find({ revert_reason: 'oops', status: 'SUCCEEDED' })).toEqual([]);
    expect(await find({ revert_reason: 'no such text' })).toEqual([]);
    const empty = { filter: { revert_reason: '' } };
    expect((await client.failure('devnet_listTransactions', empty)).code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
  });

  test('lists contracts and classes', async () => {
    const contracts = (await pages(client, 'devnet_listContracts', { limit: 2 })).flatMap(
      (page) => page.contracts,
    );
    const named = (name: string) => ({ name, name_source: 'CLASS' });
    const [reverterName, slotsName] = [named('reverter'), named('slots')];
    expect(contracts.slice(0, 2)).toEqual([
      {
        contract_address: reverterAt,
        class_hash: reverter.hash,
        deployed_in: 4,
        ...reverterName,
      },
      { contract_address: slotsAt, class_hash: slots.hash, deployed_in: 2, ...slotsName },
    ]);
    const old = contracts.slice(2).map((row) => row.contract_address);
    expect(old).toEqual(expect.arrayContaining([STRK, UDC, firstSender.account.address]));
    expect(new Set(old).size).toBe(old.length);
    const classes = (await pages(client, 'devnet_listClasses', { limit: 2 })).flatMap(
      (page) => page.classes,
    );
    expect(classes.slice(0, 2)).toEqual([
      { class_hash: reverter.hash, declared_in: 3, kind: 'sierra', ...reverterName },
      { class_hash: slots.hash, declared_in: 1, kind: 'sierra', ...slotsName },
    ]);
    expect(classes.map((row) => row.kind)).toContain('cairo0');
    expect(classes.map((row) => row.class_hash)).toEqual(
      expect.arrayContaining([node.accountClassHash]),
    );
  });

  test('lists the slots of a contract by their keys', async () => {
    const head = await client.call('starknet_blockNumber');
    const entries = await storage(client, { contract_address: slotsAt, limit: 1 });
    expect(await storage(client, { contract_address: slotsAt })).toEqual(entries);
    const keys = entries.map(({ key }) => BigInt(key));
    expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : 1)));
    const dates = entries.map(({ last_update_block: block }) => block);
    expect(dates.toSorted((a, b) => a - b)).toEqual([5, 5, 6, head]);
    expect(entries.map(({ value }) => value).sort()).toEqual(['0x68', '0x69', '0x7', '0x9']);
    for (const { key, value, last_update_block } of entries) {
      const at = { contract_address: slotsAt, key, block_id: 'latest' };
      const response_flags = ['INCLUDE_LAST_UPDATE_BLOCK'];
      expect(await client.call('starknet_getStorageAt', { ...at, response_flags })).toEqual({
        value,
        last_update_block,
      });
    }
    expect((await client.failure('devnet_getStorage', { contract_address: '0x77' })).code).toBe(
      ERRORS.CONTRACT_NOT_FOUND.code,
    );
    const cursor = 'nonsense';
    const bad = { contract_address: slotsAt, cursor };
    expect((await client.failure('devnet_getStorage', bad)).code).toBe(ERRORS.INVALID_PARAMS.code);
  });

  test('finds what a few characters mean', async () => {
    const search = async (query: string) =>
      (await client.call('devnet_search', { query })).candidates;
    const { block_hash } = await client.call('starknet_blockHashAndNumber');
    const head = String(await client.call('starknet_blockNumber'));
    expect(await search(` ${head} `)).toEqual([{ kind: 'block', value: head, detail: block_hash }]);
    expect(await search(block_hash.toUpperCase().replace('0X', '0x'))).toEqual([
      { kind: 'block', value: head, detail: block_hash },
    ]);
    expect(await search(failed)).toEqual([
      { kind: 'transaction', value: failed, detail: 'block 8' },
    ]);
    const zeros = `0x${slotsAt.slice(2).padStart(64, '0')}`;
    expect(await search(zeros)).toMatchObject([{ kind: 'contract', value: slotsAt }]);
    expect(await search(slots.hash)).toMatchObject([{ kind: 'class', value: slots.hash }]);
    expect(await search('getnonce')).toEqual([{ kind: 'method', value: 'starknet_getNonce' }]);
    expect(await search('sandbox_mint')).toEqual([{ kind: 'method', value: 'devnet_mint' }]);
    expect((await search('starknet')).length).toBe(20);
    const largest = `0x${'f'.repeat(64)}`;
    for (const nothing of ['', '99999', '0x77', largest, 'no such thing', 'x'.repeat(1000)]) {
      expect(await search(nothing)).toEqual([]);
    }
  });

  test('omits aborted blocks', async () => {
    if ('stateArchive' in config) return;
    await client.call('devnet_abortBlocks', { starting_block_id: { block_number: 3 } });
    expect((await transactions(client)).map((row) => row.transaction_hash)).toEqual(
      sentHashes.slice(0, 2).toReversed(),
    );
    const { contracts } = await client.call('devnet_listContracts', { limit: 1 });
    expect(contracts).toMatchObject([{ contract_address: slotsAt }]);
    expect(await storage(client, { contract_address: slotsAt })).toEqual([]);
    await firstSender.invoke([{ to: slotsAt, name: 'fill', calldata: ['0x1', '0x1'] }]);
    expect(await storage(client, { contract_address: slotsAt })).toMatchObject([
      { value: '0x2', last_update_block: 3 },
    ]);
    expect(await transactions(client, { filter: { contract: slotsAt } })).toHaveLength(2);
  });
});

describe('a block under construction', () => {
  test('is part of the lists, and its transactions keep their places', async () => {
    const { node, client } = await start({ blockGenerationOn: 'demand' });
    const sender = new Sender(client, node.accounts[0]);
    const address = await sender.deploy(slots);
    for (let count = 0; count < 5; count += 1) {
      await sender.invoke([{ to: address, name: 'put', calldata: [hex(count + 1), '0x1'] }]);
    }
    const waiting = await transactions(client, { limit: 2 });
    expect(waiting).toHaveLength(7);
    expect(waiting.map((row) => row.index)).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect(new Set(waiting.map((row) => row.finality_status))).toEqual(new Set(['PRE_CONFIRMED']));
    expect(await client.call('devnet_listContracts', { limit: 1 })).toMatchObject({
      contracts: [{ contract_address: address, deployed_in: 1 }],
    });
    expect((await client.failure('devnet_getStorage', { contract_address: address })).code).toBe(
      20,
    );
    const pending = { contract_address: address, block_id: 'pre_confirmed' };
    expect(await storage(client, pending)).toHaveLength(5);

    const first = await client.call('devnet_listTransactions', { limit: 4 });
    await client.call('devnet_createBlock');
    await sender.invoke([{ to: address, name: 'put', calldata: ['0x9', '0x1'] }]);
    const { next: cursor } = first;
    const rest = await client.call('devnet_listTransactions', { cursor });
    expect([...first.transactions, ...rest.transactions].map((row) => row.index)).toEqual([
      6, 5, 4, 3, 2, 1, 0,
    ]);
    expect(rest.transactions[0]?.finality_status).toBe('ACCEPTED_ON_L2');
    expect((await client.call('devnet_listBlocks')).blocks).toHaveLength(2);
  });
});

describe('a long chain', () => {
  test('is looked through a bounded part at a time', async () => {
    const { client } = await start({ liteMode: true });
    await client.call('devnet_mint', { address: '0x1', amount: 1 });
    for (let count = 0; count < 2500; count += 1) await client.call('devnet_createBlock');
    // Blocks without transactions cost nothing.
    const transactionPages = await pages(client, 'devnet_listTransactions', {});
    expect(transactionPages.map((page) => page.transactions.length)).toEqual([1]);
    const classes = await pages(client, 'devnet_listClasses', {});
    expect(classes).toHaveLength(1);
    // Every block writes into this one.
    const slots = await pages(client, 'devnet_getStorage', { contract_address: '0x1', limit: 200 });
    expect(slots).toHaveLength(13);
    const keys = slots.flatMap((page) => page.entries).map((entry) => entry.key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(2501 + 1 - 10);
  });
});
