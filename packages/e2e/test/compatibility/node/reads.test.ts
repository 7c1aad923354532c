// Classes, class hashes, counts and transactions: what can be read, at which block, and what is missing.

import { builtinClass, Class } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  ACCOUNT_CLASS,
  AMPLE,
  contract,
  deployAccountRequest,
  ETH,
  hex,
  LEGACY_UDC,
  multicall,
  newAccount,
  Sender,
  STRK,
  UDC,
} from '@starkbox/test-support/signing';
import { hash as hashes } from 'starknet';
import { describe, expect, test } from 'vitest';

const { node, client, sender } = await startFixture();
const counter = await contract('counter');
const counterAddress = await sender.deploy(counter, ['0x5']);

const transfer = { to: STRK, name: 'transfer', calldata: ['0x99', '0x5', '0x0'] };

describe('classes of contracts', () => {
  test('reads.1 predeployed contracts have the classes that their hashes say', async () => {
    const predeployed = [node.tokens.eth, node.tokens.strk, node.udc].map(
      ({ address, classHash }) => [address, classHash] as const,
    );
    expect(predeployed.map(([address]) => address)).toEqual([ETH, STRK, UDC]);
    for (const [address, hash] of [
      ...predeployed,
      [sender.account.address, ACCOUNT_CLASS] as const,
      [LEGACY_UDC, (await builtinClass('udc-cairo0')).hash] as const,
    ]) {
      expect(await client.call('starknet_getClassHashAt', ['latest', address])).toBe(hash);
      const at = await client.call('starknet_getClassAt', ['latest', address]);
      expect(await Class.hashOf(JSON.stringify(at))).toBe(hash);
      expect(await client.call('starknet_getClass', ['latest', hash])).toEqual(at);
    }
  });

  test('reads.1 a declared class is what was sent', async () => {
    expect(await client.call('starknet_getClass', ['latest', counter.hash])).toEqual(counter.body);
    const at = await client.call('starknet_getClassAt', ['latest', counterAddress]);
    expect(at).toEqual(counter.body);
  });

  test('reads.1 where there is no contract there is no class', async () => {
    expect(await client.failure('starknet_getClassAt', ['latest', '0x1234'])).toMatchObject({
      code: ERRORS.CONTRACT_NOT_FOUND.code,
      data: expect.stringContaining('0x1234'),
    });
    expect((await client.failure('starknet_getClass', ['latest', '0x1234'])).code).toBe(
      ERRORS.CLASS_HASH_NOT_FOUND.code,
    );
  });
});

test('reads.2 a declared class is visible at its own block only, and everywhere later', async () => {
  const { client, node } = await startFixture({ blockGenerationOn: 'demand' });
  await client.call('devnet_createBlock');
  const old = await client.call('starknet_blockHashAndNumber');
  await new Sender(client, node.accounts[0]).declare(counter);
  const code = async (id: unknown) =>
    (await client.failure('starknet_getClass', [id, counter.hash])).code;

  const before = [
    'latest',
    { block_number: 0 },
    { block_number: old.block_number },
    { block_hash: old.block_hash },
  ];
  for (const id of before) expect(await code(id)).toBe(28);
  expect(await code({ block_number: 2 })).toBe(24);
  expect(await client.call('starknet_getClass', ['pre_confirmed', counter.hash])).toEqual(
    counter.body,
  );

  const { block_hash } = await client.call('devnet_createBlock');
  await client.call('devnet_createBlock');
  for (const id of ['pre_confirmed', 'latest', { block_number: 2 }, { block_hash }]) {
    expect(await client.call('starknet_getClass', [id, counter.hash])).toEqual(counter.body);
  }
  for (const id of before.slice(1)) expect(await code(id)).toBe(28);
});

describe('compiled classes', () => {
  test('reads.3 only classes of Cairo 1 that are declared have one', async () => {
    const code = async (hash: string) =>
      (await client.failure('starknet_getCompiledCasm', [hash])).code;
    expect(await code((await builtinClass('udc-cairo0')).hash)).toBe(28);
    expect(await code((await builtinClass('account-cairo0')).hash)).toBe(28);
    expect(await code('0x1234')).toBe(28);
  });

  test('reads.3 the compiled class hashes to what the declaration said', async () => {
    const casm = await client.call('starknet_getCompiledCasm', [counter.hash]);
    expect(casm).not.toHaveProperty('pythonic_hints');
    const text = JSON.stringify(casm);
    const read = await Class.withCasm(JSON.stringify(counter.body), text);
    expect(read.compiledClassHash).toBe(counter.compiledHash);
    expect(hashes.computeCompiledClassHashBlake(JSON.parse(text))).toBe(counter.compiledHash);
  });
});

test('reads.3 immediates of hints have no sign', async () => {
  const [erc20, counterClass] = await Promise.all(
    [(await client.call('devnet_getConfig')).strk_erc20_class_hash, counter.hash].map((hash) =>
      client.call('starknet_getCompiledCasm', [hash]),
    ),
  );
  const compiled = JSON.parse(await (await builtinClass('strk')).casm());
  const negative = /"-0x/;
  expect(JSON.stringify(compiled)).toMatch(negative);
  expect(JSON.stringify(erc20)).not.toMatch(negative);
  expect(JSON.stringify(counterClass)).not.toMatch(negative);
  // Felts wrap at the prime, so the program is the same.
  const prime = BigInt(compiled.prime);
  const felts = (casm: unknown): string =>
    JSON.stringify(casm, (key, value: unknown) => {
      if (key !== 'Immediate' || typeof value !== 'string') return value;
      return String(value.startsWith('-') ? prime - BigInt(value.slice(1)) : BigInt(value));
    });
  expect(felts(erc20)).toBe(felts(compiled));
});

describe('class hashes and counts', () => {
  test('reads.4 the class hash of a contract at a block', async () => {
    const at = (id: unknown, address: string) =>
      ['starknet_getClassHashAt', [id, address]] as const;
    const { address } = sender.account;
    const codes = [
      ['latest', '0x1234', 20],
      [{ block_hash: '0x1234' }, address, 24],
      [{ block_number: 9_000_000_000 }, address, 24],
      [{ block_number: 0 }, counterAddress, 20],
    ] as const;
    for (const [id, contractAddress, code] of codes) {
      expect((await client.failure(...at(id, contractAddress))).code).toBe(code);
    }
    expect(await client.call(...at({ block_number: 0 }, address))).toBe(ACCOUNT_CLASS);
    expect(await client.call(...at('latest', counterAddress))).toBe(counter.hash);
  });

  test('reads.4 the number of transactions in a block', async () => {
    const count = (id: unknown) => client.call('starknet_getBlockTransactionCount', [id]);
    expect(await count({ block_number: 0 })).toBe(0);
    expect(await count('pre_confirmed')).toBe(0);
    await sender.invoke([transfer]);
    expect(await count('latest')).toBe(1);
    const { block_hash } = await client.call('starknet_blockHashAndNumber');
    expect(await count({ block_hash })).toBe(1);
    for (const id of [{ block_number: 9_000_000_000 }, { block_hash: '0x1234' }]) {
      const { code } = await client.failure('starknet_getBlockTransactionCount', [id]);
      expect(code).toBe(ERRORS.BLOCK_NOT_FOUND.code);
    }
  });
});

describe('transactions', () => {
  test('reads.5 by the index in a block', async () => {
    const transaction_hash = await sender.invoke([transfer]);
    const { block_hash, block_number } = await client.call('starknet_blockHashAndNumber');
    const at = (id: unknown, index: number) =>
      ['starknet_getTransactionByBlockIdAndIndex', [id, index]] as const;
    const expected = await client.call('starknet_getTransactionByHash', [transaction_hash]);
    expect(expected).toMatchObject({ type: 'INVOKE', transaction_hash });
    for (const id of ['latest', { block_number }, { block_hash }]) {
      expect(await client.call(...at(id, 0))).toEqual(expected);
    }
    expect((await client.failure(...at('latest', 1))).code).toBe(ERRORS.INVALID_TXN_INDEX.code);
    expect((await client.failure(...at('pre_confirmed', 0))).code).toBe(
      ERRORS.INVALID_TXN_INDEX.code,
    );
    expect((await client.failure(...at({ block_number: 9000 }, 0))).code).toBe(
      ERRORS.BLOCK_NOT_FOUND.code,
    );
    expect((await client.failure(...at('latest', -1))).code).toBe(ERRORS.INVALID_PARAMS.code);
  });

  const COMMON = {
    version: '0x3',
    resource_bounds: AMPLE,
    tip: '0x0',
    paymaster_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  };

  test('reads.5 a declaration by its hash', async () => {
    const slots = await contract('slots');
    const nonce = await sender.nonce();
    const request = await sender.declareRequest(slots);
    const { transaction_hash } = await client.call('starknet_addDeclareTransaction', [request]);
    expect(await client.call('starknet_getTransactionByHash', [transaction_hash])).toEqual({
      type: 'DECLARE',
      ...COMMON,
      transaction_hash,
      signature: request['signature'],
      nonce: hex(nonce),
      sender_address: sender.account.address,
      compiled_class_hash: slots.compiledHash,
      class_hash: slots.hash,
      account_deployment_data: [],
    });
  });

  test('reads.5 the deployment of an account by its hash', async () => {
    const account = newAccount('0x987');
    await client.call('devnet_mint', { address: account.address, amount: 1e20 });
    const request = deployAccountRequest(account);
    const { transaction_hash } = await client.call('starknet_addDeployAccountTransaction', [
      request,
    ]);
    expect(await client.call('starknet_getTransactionByHash', [transaction_hash])).toEqual({
      type: 'DEPLOY_ACCOUNT',
      ...COMMON,
      transaction_hash,
      signature: request['signature'],
      nonce: '0x0',
      class_hash: ACCOUNT_CLASS,
      contract_address_salt: account.salt,
      constructor_calldata: account.constructorCalldata,
    });
  });

  test('reads.5 an invocation by its hash', async () => {
    const nonce = await sender.nonce();
    const request = await sender.invokeRequest([transfer]);
    const { transaction_hash } = await client.call('starknet_addInvokeTransaction', [request]);
    expect(await client.call('starknet_getTransactionByHash', [transaction_hash])).toEqual({
      type: 'INVOKE',
      ...COMMON,
      transaction_hash,
      signature: request['signature'],
      nonce: hex(nonce),
      sender_address: sender.account.address,
      calldata: multicall([transfer]),
      account_deployment_data: [],
    });
  });

  test('reads.5 an unknown hash', async () => {
    const { code, data } = await client.failure('starknet_getTransactionByHash', ['0x1234']);
    expect([code, data]).toEqual([29, undefined]);
  });
});

describe('proof facts', () => {
  /** The transaction as four methods show it. */
  async function transactionForms(hash: string, flags?: readonly string[]) {
    const { block_number, index } = await placeOf(hash);
    const block_id = { block_number };
    const response_flags = flags ?? [];
    const ask = { block_id, response_flags };
    const { transactions } = await client.call('starknet_getBlockWithTxs', ask);
    const withReceipts = await client.call('starknet_getBlockWithReceipts', ask);
    return [
      await client.call('starknet_getTransactionByHash', {
        transaction_hash: hash,
        response_flags,
      }),
      await client.call('starknet_getTransactionByBlockIdAndIndex', { ...ask, index }),
      transactions[index],
      withReceipts.transactions[index]?.transaction,
    ];
  }

  async function placeOf(hash: string) {
    const { block_number } = await client.call('starknet_getTransactionReceipt', [hash]);
    const { transactions } = await client.call('starknet_getBlockWithTxHashes', [{ block_number }]);
    return { block_number, index: transactions.indexOf(hash) };
  }

  test('reads.6 a transaction shows them when asked to', async () => {
    const params = ['latest', await sender.invokeRequest([transfer])];
    const { proof, proof_facts } = await client.call('starknet_proveTransaction', params);
    for (let i = 0; i < 10; i += 1) await client.call('devnet_createBlock');
    const hash = await sender.invoke([transfer], { proof, proof_facts });
    expect(proof_facts).toHaveLength(9);
    for (const transaction of await transactionForms(hash, ['INCLUDE_PROOF_FACTS'])) {
      expect(transaction).toHaveProperty('proof_facts', proof_facts);
      expect(transaction).not.toHaveProperty('proof');
    }
    for (const transaction of await transactionForms(hash))
      expect(transaction).not.toHaveProperty('proof_facts');
  });

  test('reads.6 a plain transaction shows an empty list when asked to', async () => {
    const hash = await sender.invoke([transfer]);
    for (const transaction of await transactionForms(hash, ['INCLUDE_PROOF_FACTS'])) {
      expect(transaction).toHaveProperty('proof_facts', []);
    }
    for (const transaction of await transactionForms(hash))
      expect(transaction).not.toHaveProperty('proof_facts');
  });
});
