// Messages between a node and a real L1, as existing test suites expect them.
import { messageToL1Hash } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  asHex,
  FIRST_CONTRACT,
  KEYS,
  messagingAt,
  mined,
  startAnvil,
} from '@starkbox/test-support/l1/anvil';
import {
  balanceOf,
  deposit,
  load,
  send,
  startMessaging,
} from '@starkbox/test-support/l1/messaging-setup';
import { AMPLE, bounds, contract, hex, selector } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';

const L1_USER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';

test('messaging.1 a dry run shows what waits for L1, sent by a contract or through a library call', async () => {
  const stage = await startMessaging();
  const { client, sender, messenger } = stage;
  await send(stage, L1_USER, ['0x1', '0x2']);
  const message = { from_address: messenger, to_address: L1_USER, payload: ['0x1', '0x2'] };
  const dry = { messages_to_l2: [], generated_l2_transactions: [], l1_provider: 'dry run' };
  expect(await client.call('devnet_postmanFlush', { dry_run: true })).toEqual({
    messages_to_l1: [message],
    ...dry,
  });

  await client.call('devnet_restart');
  const [caller, called] = [await contract('reverter'), await contract('messenger')];
  await sender.declare(called);
  const reverter = await sender.deploy(caller);
  const calldata = [L1_USER, '0x1', '0x7'];
  await sender.invoke([
    {
      to: reverter,
      name: 'library',
      calldata: [called.hash, selector('send'), hex(calldata.length), ...calldata],
    },
  ]);
  expect(await client.call('devnet_postmanFlush', { dry_run: true })).toEqual({
    messages_to_l1: [{ from_address: reverter, to_address: L1_USER, payload: ['0x7'] }],
    ...dry,
  });
});

test('messaging.2 a mock message from L1', async () => {
  const stage = await startMessaging();
  const { client, messenger } = stage;
  const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', {
    l1_contract_address: L1_USER,
    l2_contract_address: messenger,
    entry_point_selector: selector('deposit'),
    payload: ['0x5', '0x64'],
    paid_fee_on_l1: '0x1',
    nonce: '0x0',
  });
  expect(await balanceOf(stage, '0x5')).toBe(100);
  expect(await client.call('starknet_getTransactionByHash', [transaction_hash])).toMatchObject({
    type: 'L1_HANDLER',
    calldata: [L1_USER, '0x5', '0x64'],
  });
  expect(await client.call('starknet_getTransactionReceipt', [transaction_hash])).toMatchObject({
    execution_status: 'SUCCEEDED',
  });
});

test('messaging.3 loading deploys a contract, or takes one that is there', async () => {
  const anvil = await startAnvil();
  const { client } = await startFixture();
  const network_url = anvil.url;
  const early = await client.failure('devnet_postmanLoad', {
    network_url,
    address: FIRST_CONTRACT,
  });
  expect(early).toMatchObject({
    code: -1,
    message: `Alloy error: The specified address (${FIRST_CONTRACT}) contains no contract.`,
  });
  const loaded = { messaging_contract_address: FIRST_CONTRACT };
  expect(await client.call('devnet_postmanLoad', { network_url })).toEqual(loaded);
  for (const name of ['address', 'messaging_contract_address']) {
    expect(
      await client.call('devnet_postmanLoad', { network_url, [name]: FIRST_CONTRACT }),
    ).toEqual(loaded);
  }
  const { read } = messagingAt(anvil.client(), FIRST_CONTRACT);
  expect(await read.messageCancellationDelay()).toBe(86_400n);
  expect(await read.getMaxL1MsgFee()).toBe(10n ** 18n);
});

test('messaging.3 loading signs with the key that is given', async () => {
  const anvil = await startAnvil(['--mnemonic-seed-unsafe', '1']);
  const { client } = await startFixture();
  const network_url = anvil.url;
  const poor = await client.failure('devnet_postmanLoad', { network_url });
  expect(poor.code).toBe(-1);
  expect(poor.message).toMatch(/^Alloy error: .* Insufficient funds for gas \* price \+ value\.$/);

  const rich = KEYS[2];
  const { address } = anvil.client(2).account;
  await anvil.client().setBalance({ address, value: 10n ** 18n });
  const { messaging_contract_address } = await client.call('devnet_postmanLoad', {
    network_url,
    deployer_account_private_key: rich,
  });
  expect(await anvil.client().getCode({ address: asHex(messaging_contract_address) })).toBeTruthy();
  expect(await anvil.client().getTransactionCount({ address })).toBe(1);
});

test('messaging.3 an L1 that is not there, no URL and no key', async () => {
  const anvil = await startAnvil();
  const { client } = await startFixture();
  for (const params of [
    { network_url: 'http://127.0.0.1:1' },
    { network_url: 'abc' },
    { network_url: anvil.url, deployer_account_private_key: '0x12' },
  ]) {
    expect((await client.failure('devnet_postmanLoad', params)).code).toBe(-1);
  }
  expect((await client.failure('devnet_postmanFlush')).code).toBe(ERRORS.INTERNAL_ERROR.code);
});

test('messaging.4 the hash of a consumed message', async () => {
  expect(
    messageToL1Hash({
      from_address: '0x4db0679c568e6a9df6f21da9e243772853d6714b12b6b79c0551d9ea12ef91a',
      to_address: '0xc662c410c0ecf747543f5ba90660f6abebd9c8c4',
      payload: ['0x0', '0x1', '0x1'],
    }),
  ).toBe('0xac5356289f98e5012f8efcabb9f7ad3adaa43f81ac47b6311d2c23ca01590bd0');
  const stage = await startMessaging();
  const { client, messenger: from_address } = stage;
  const to_address = '0xc662c410c0ecf747543f5ba90660f6abebd9c8c4';
  const payload = ['0x0', '0x1', '0x1'];
  await send(stage, to_address, payload);
  const consumed = await client.call('devnet_postmanConsumeMessageFromL2', {
    from_address,
    to_address,
    payload,
  });
  const anvil = await startAnvil();
  const contractAddress = await load(stage, anvil);
  await client.call('devnet_postmanFlush');
  const { read } = messagingAt(anvil.client(), contractAddress);
  expect(await read.l2ToL1Messages([asHex(consumed.message_hash)])).toBe(1n);
});

test('messaging.5a a message goes to L1 and back, and its trace survives a dump', async () => {
  const anvil = await startAnvil();
  const stage = await startMessaging({ dumpOn: 'request' });
  const { client, sender, messenger } = stage;
  const contractAddress = await load(stage, anvil);
  const l1 = anvil.client();
  const l1Address = l1.account.address.toLowerCase();
  const user = sender.account.address;

  const l1_transaction_hash = await deposit(l1, contractAddress, messenger, user, 100);
  const inward = await client.call('devnet_postmanFlush');
  const [generated = ''] = inward.generated_l2_transactions;
  expect(inward).toEqual({
    messages_to_l1: [],
    messages_to_l2: [
      {
        l1_transaction_hash,
        l2_contract_address: messenger,
        entry_point_selector: selector('deposit'),
        l1_contract_address: l1Address,
        payload: [user, '0x64'],
        paid_fee_on_l1: '0x3b9aca00',
        nonce: '0x0',
      },
    ],
    generated_l2_transactions: [generated],
    l1_provider: anvil.url,
  });
  expect(await balanceOf(stage, user)).toBe(100);
  const trace = await client.call('starknet_traceTransaction', [generated]);
  expect(trace).toMatchObject({
    type: 'L1_HANDLER',
    function_invocation: { contract_address: messenger, calldata: [l1Address, user, '0x64'] },
  });

  await sender.invoke([{ to: messenger, name: 'withdraw', calldata: [l1Address, '0x28'] }]);
  const message = { from_address: messenger, to_address: l1Address, payload: [user, '0x28'] };
  const empty = { messages_to_l2: [], generated_l2_transactions: [], l1_provider: anvil.url };
  expect(await client.call('devnet_postmanFlush')).toEqual({ messages_to_l1: [message], ...empty });
  expect(await client.call('devnet_postmanFlush')).toEqual({ messages_to_l1: [], ...empty });

  const { write } = messagingAt(l1, contractAddress);
  const payload = [BigInt(user), 40n];
  await mined(l1, await write.consumeMessageFromL2([BigInt(messenger), payload]));
  await expect(write.consumeMessageFromL2([BigInt(messenger), payload])).rejects.toThrow(
    'INVALID_MESSAGE_TO_CONSUME',
  );

  const events = await client.call('devnet_dump');
  const other = await startFixture();
  expect(await other.client.call('devnet_load', { events })).toEqual({});
  expect(await other.client.call('starknet_traceTransaction', [generated])).toEqual(trace);
});

test('messaging.5b a mock message survives a dump', async () => {
  const { client, messenger } = await startMessaging({ dumpOn: 'request' });
  const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', {
    l1_contract_address: L1_USER,
    l2_contract_address: messenger,
    entry_point_selector: selector('deposit'),
    payload: ['0x5', '0x64'],
    paid_fee_on_l1: '0x1',
    nonce: '0x0',
  });
  const trace = await client.call('starknet_traceTransaction', [transaction_hash]);
  const events = await client.call('devnet_dump');
  const other = await startFixture();
  await other.client.call('devnet_load', { events });
  expect(await other.client.call('starknet_traceTransaction', [transaction_hash])).toEqual(trace);
});

test('messaging.5c five deposits arrive in their order', async () => {
  const anvil = await startAnvil();
  const stage = await startMessaging();
  const contractAddress = await load(stage, anvil);
  for (let amount = 1; amount <= 5; amount += 1) {
    await deposit(anvil.client(), contractAddress, stage.messenger, '0x5', amount);
  }
  const { client } = stage;
  const { messages_to_l2, generated_l2_transactions } = await client.call('devnet_postmanFlush');
  expect(messages_to_l2.map(({ nonce }) => nonce)).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4']);
  expect(messages_to_l2.map(({ payload }) => payload[1])).toEqual([
    '0x1',
    '0x2',
    '0x3',
    '0x4',
    '0x5',
  ]);
  const handled = await Promise.all(
    generated_l2_transactions.map((hash) => client.call('starknet_getTransactionReceipt', [hash])),
  );
  const blocks = handled.map((receipt) => ('block_number' in receipt ? receipt.block_number : -1));
  expect(blocks).toEqual(blocks.toSorted((a, b) => a - b));
  expect(await balanceOf(stage, '0x5')).toBe(15);
});

test('messaging.6 connecting is not part of a journal, and a journal that connects is rejected', async () => {
  const anvil = await startAnvil();
  const { client } = await startFixture({ dumpOn: 'request' });
  const params = { network_url: anvil.url };
  await client.call('devnet_postmanLoad', params);
  expect(await client.call('devnet_dump')).toEqual([]);
  const before = await anvil.client().getBlockNumber();
  const other = await startFixture();
  for (const method of ['devnet_postmanLoad', 'sandbox_postmanLoad']) {
    const events = [{ jsonrpc: '2.0', id: 1, method, params }];
    expect(await other.client.failure('devnet_load', { events })).toMatchObject({
      code: ERRORS.DUMP_ERROR.code,
      message: expect.stringContaining(`call 0 of the journal (${method}): `),
    });
  }
  // A connection deploys a contract, in a block of its own.
  expect(await anvil.client().getBlockNumber()).toBe(before);
  expect((await other.client.failure('devnet_postmanFlush')).code).toBe(ERRORS.INTERNAL_ERROR.code);
});

test('messaging.7 after a restart nothing old is delivered, and new messages are', async () => {
  const anvil = await startAnvil();
  const stage = await startMessaging();
  const { client, sender } = stage;
  const contractAddress = await load(stage, anvil);
  const l1 = anvil.client();
  await deposit(l1, contractAddress, stage.messenger, '0x5', 1);
  await send(stage, L1_USER, ['0x1']);
  await client.call('devnet_postmanFlush');
  await deposit(l1, contractAddress, stage.messenger, '0x5', 2);
  await client.call('devnet_restart');
  await sender.deploy(await contract('messenger'));
  // Sent before the restart, but not read before it.
  const waiting = await client.call('devnet_postmanFlush');
  expect(waiting.messages_to_l2.map(({ nonce }) => nonce)).toEqual(['0x1']);
  expect(waiting.messages_to_l1).toEqual([]);
  const nothing = { messages_to_l1: [], messages_to_l2: [], generated_l2_transactions: [] };
  expect(await client.call('devnet_postmanFlush')).toMatchObject(nothing);
  await deposit(l1, contractAddress, stage.messenger, '0x5', 3);
  await send(stage, L1_USER, ['0x2']);
  const fresh = await client.call('devnet_postmanFlush');
  expect(fresh.messages_to_l2.map(({ nonce }) => nonce)).toEqual(['0x2']);
  expect(fresh.messages_to_l1.map(({ payload }) => payload)).toEqual([['0x2']]);
  expect(await balanceOf(stage, '0x5')).toBe(5);

  await client.call('devnet_restart', { restart_l1_to_l2_messaging: true });
  expect((await client.failure('devnet_postmanFlush')).code).toBe(ERRORS.INTERNAL_ERROR.code);
});

test('messaging.8 the status of mock and real messages', async () => {
  const anvil = await startAnvil();
  const stage = await startMessaging();
  const { client, messenger } = stage;
  const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', {
    l1_transaction_hash: '0xABC',
    l1_contract_address: L1_USER,
    l2_contract_address: messenger,
    entry_point_selector: selector('deposit'),
    payload: ['0x5', '0x64'],
    paid_fee_on_l1: '0x1',
    nonce: '0x0',
  });
  const succeeded = {
    finality_status: 'ACCEPTED_ON_L2',
    execution_status: 'SUCCEEDED',
    failure_reason: null,
  };
  for (const hash of ['0xABC', '0xabc', `0x${'abc'.padStart(64, '0')}`]) {
    expect(await client.call('starknet_getMessagesStatus', [hash])).toEqual([
      { transaction_hash, ...succeeded },
    ]);
  }
  const contractAddress = await load(stage, anvil);
  const l1Hash = await deposit(anvil.client(), contractAddress, messenger, '0x5', 7);
  const { generated_l2_transactions: generated } = await client.call('devnet_postmanFlush');
  expect(await client.call('starknet_getMessagesStatus', [l1Hash])).toEqual([
    { transaction_hash: generated[0], ...succeeded },
  ]);
});

test('messaging.9 a withdrawal needs L1 gas', async () => {
  const stage = await startMessaging();
  const { client, sender, messenger } = stage;
  const none = bounds({ l1_gas: 0n, l1_data_gas: 100_000n, l2_gas: 10n ** 9n });
  const withdrawal = { to: messenger, name: 'send', calldata: [L1_USER, '0x1', '0x1'] };
  const failed = await sender.invoke([withdrawal], { resource_bounds: none });
  expect(await client.call('starknet_getTransactionReceipt', [failed])).toMatchObject({
    execution_status: 'REVERTED',
    revert_reason: expect.stringContaining('Insufficient max L1Gas'),
  });
  const transactionHash = await sender.invoke([withdrawal], { resource_bounds: AMPLE });
  expect(await client.call('starknet_getTransactionReceipt', [transactionHash])).toMatchObject({
    execution_status: 'SUCCEEDED',
  });
  const { messages_to_l1 } = await client.call('devnet_postmanFlush', { dry_run: true });
  expect(messages_to_l1).toHaveLength(1);
});
