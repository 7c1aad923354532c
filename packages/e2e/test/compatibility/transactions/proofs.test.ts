// Mock proofs: how one is made, which ones a transaction may carry, and what each mode lets pass.

import { pedersen } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import type { Client } from '@starkbox/test-support';
import { startFixture } from '@starkbox/test-support/fixture';
import {
  contract,
  deployAccountRequest,
  hex,
  newAccount,
  Sender,
  STRK,
  selector,
  short,
} from '@starkbox/test-support/signing';
import { beforeAll, describe, expect, test } from 'vitest';

const START = 1_700_000_000;
const L1 = '0xaa';
const transfer = { to: STRK, name: 'transfer', calldata: ['0x99', '0x5', '0x0'] };
const BLOCKS = 10;

let client: Client;
let sender: Sender;

beforeAll(async () => {
  ({ client, sender } = await startFixture({ startTime: START }));
});

const prove = (transaction: unknown, blockId: unknown = 'latest') =>
  client.call('starknet_proveTransaction', [blockId, transaction]);

async function createBlocks(to: Client): Promise<void> {
  for (let i = 0; i < BLOCKS; i += 1) await to.call('devnet_createBlock');
}

async function refused(changes: object) {
  const request = await sender.invokeRequest([transfer], { ...changes });
  return client.failure('starknet_addInvokeTransaction', [request]);
}

describe('making a proof', () => {
  test('proofs.1a it is 32 bytes in base64 and nine facts', async () => {
    const block = await client.call('starknet_blockHashAndNumber');
    const { proof, proof_facts, l2_to_l1_messages } = await prove(
      await sender.invokeRequest([transfer]),
    );
    const bytes = Buffer.from(proof, 'base64');
    expect(bytes).toHaveLength(32);
    expect(bytes.toString('base64')).toBe(proof);
    expect(l2_to_l1_messages).toEqual([]);
    expect(proof_facts).toHaveLength(9);
    expect(proof_facts.slice(0, 8)).toEqual([
      short('PROOF2'),
      short('VIRTUAL_SNOS'),
      '0x53f6c9fcfd31d27279ff7d7e422b44623550a732b59fe193354a7316a96daa1',
      short('VIRTUAL_SNOS0'),
      hex(block.block_number),
      block.block_hash,
      '0x57ed4d5e20d617d8cc087a5882eae4f71d005172326be6439b2e1fd8b4dc57',
      '0x0',
    ]);
    const felt = hex(BigInt(`0x${bytes.toString('hex')}`));
    expect(proof_facts[8]).toBe(pedersen([...proof_facts.slice(0, 8), felt]));
  });

  test('proofs.1a it is the same each time, and another for another block', async () => {
    const request = await sender.invokeRequest([transfer]);
    const first = await prove(request);
    expect(await prove(request)).toEqual(first);
    await client.call('devnet_createBlock');
    const second = await prove(request);
    expect(second.proof).not.toBe(first.proof);
    expect(second.proof_facts).not.toEqual(first.proof_facts);
    const number = Number(first.proof_facts[4]);
    expect(await prove(request, { block_number: number })).toEqual(first);
    expect((await prove(request, 'pre_confirmed')).proof_facts.slice(4, 6)).toEqual([
      hex(number + 2),
      '0x0',
    ]);
  });

  test('proofs.1a it lists the messages to L1, as the execution later sends them', async () => {
    const messenger = await sender.deploy(await contract('messenger'));
    const { address } = sender.account;
    await client.call('devnet_postmanSendMessageToL2', {
      l1_contract_address: L1,
      l2_contract_address: messenger,
      entry_point_selector: selector('deposit'),
      payload: [address, '0x64'],
      paid_fee_on_l1: '0x1',
      nonce: '0x0',
    });
    const calls = [{ to: messenger, name: 'withdraw', calldata: [L1, '0x5'] }];
    const { l2_to_l1_messages, proof_facts } = await prove(await sender.invokeRequest(calls));
    const message = { from_address: messenger, to_address: L1, payload: [address, '0x5'] };
    expect(l2_to_l1_messages).toEqual([{ order: 0, ...message }]);
    expect(proof_facts[7]).not.toBe('0x0');
    const receipt = await client.call('starknet_getTransactionReceipt', [
      await sender.invoke(calls),
    ]);
    expect(receipt).toMatchObject({ execution_status: 'SUCCEEDED', messages_sent: [message] });
    expect(receipt.messages_sent).toHaveLength(1);
  });

  test('proofs.1a a transaction that fails cannot be proven', async () => {
    const failure = (transaction: unknown, blockId: unknown = 'latest') =>
      client.failure('starknet_proveTransaction', [blockId, transaction]);
    const tooMuch = { ...transfer, calldata: ['0x99', '0x0', '0x1'] };
    expect(await failure(await sender.invokeRequest([tooMuch]))).toMatchObject({
      code: -1,
      message: 'Transaction execution failed: invoke execution did not succeed',
    });
    const forged = await sender.invokeRequest([transfer], { signature: ['0x1', '0x2'] });
    const wrong = await failure(forged);
    expect(wrong.code).toBe(-1);
    expect(wrong.message).toMatch(/^Transaction execution failed: [\s\S]*invalid signature/);
    const request = await sender.invokeRequest([transfer]);
    expect(await failure(request, { block_number: 9000 })).toMatchObject({
      code: -1,
      message: 'Transaction execution failed: No block found',
    });
    expect(await failure(deployAccountRequest(newAccount('0x1')))).toMatchObject({
      code: -1,
      message: 'Only invoke transactions are supported for proving',
    });
  });
});

describe('carrying a proof', () => {
  let proof: string;
  let proof_facts: readonly string[];

  beforeAll(async () => {
    ({ proof, proof_facts } = await prove(await sender.invokeRequest([transfer])));
  });

  test('proofs.1b a valid one is too recent at first, and accepted ten blocks later', async () => {
    const early = await refused({ proof, proof_facts });
    expect(early.code).toBe(ERRORS.VALIDATION_FAILURE.code);
    expect(early.data).toMatch(/too recent|retention buffer/);
    await createBlocks(client);
    const hash = await sender.invoke([transfer], { proof, proof_facts });
    expect(await client.call('starknet_getTransactionStatus', [hash])).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
      execution_status: 'SUCCEEDED',
    });
  });

  test('proofs.1b none is needed', async () => {
    const nothing = [{}, { proof: '', proof_facts: [] }];
    for (const changes of nothing) {
      const hash = await sender.invoke([transfer], changes);
      expect(await client.call('starknet_getTransactionStatus', [hash])).toMatchObject({
        execution_status: 'SUCCEEDED',
      });
    }
  });

  test('proofs.1b a wrong one, one without its facts and facts without it are refused', async () => {
    const nonce = await sender.nonce();
    const zeros = Buffer.alloc(32).toString('base64');
    const short = Buffer.alloc(31).toString('base64');
    for (const changes of [
      { proof: zeros, proof_facts },
      { proof: short, proof_facts },
      { proof },
      { proof_facts },
      { proof, proof_facts: proof_facts.slice(0, 8) },
      { proof, proof_facts: [...proof_facts.slice(0, 8), '0x1'] },
    ]) {
      const { code, data } = await refused(changes);
      expect([code, data]).toEqual([69, undefined]);
    }
    const garbled = { proof: '!!', proof_facts, signature: ['0x1', '0x2'] };
    expect((await refused(garbled)).code).toBe(ERRORS.INVALID_PARAMS.code);
    expect(await sender.nonce()).toBe(nonce);
  });
});

describe('modes', () => {
  const CANNOT =
    'This node cannot prove transactions: start it with --proof-mode devnet to create and verify mock proofs';

  /** Facts about the first block of another node. */
  async function foreignFacts(startTime: number): Promise<readonly string[]> {
    const { node, client } = await startFixture({ startTime });
    const request = await new Sender(client, node.accounts[0]).invokeRequest([transfer]);
    const params = ['latest', request];
    return (await client.call('starknet_proveTransaction', params)).proof_facts;
  }

  describe('without proofs', () => {
    let client: Client;
    let prooflessSender: Sender;
    beforeAll(async () => {
      ({ client, sender: prooflessSender } = await startFixture({
        startTime: START,
        proofMode: 'none',
      }));
      await createBlocks(client);
    });

    test('proofs.1c none can be made', async () => {
      const params = ['latest', await prooflessSender.invokeRequest([transfer])];
      expect(await client.failure('starknet_proveTransaction', params)).toMatchObject({
        code: -1,
        message: CANNOT,
      });
    });

    test('proofs.1c none, a wrong one and the facts of another node are accepted', async () => {
      const proof_facts = await foreignFacts(START);
      const proof = Buffer.alloc(32).toString('base64');
      for (const changes of [{}, { proof_facts }, { proof }, { proof, proof_facts }]) {
        const hash = await prooflessSender.invoke([transfer], changes);
        expect(await client.call('starknet_getTransactionStatus', [hash])).toMatchObject({
          execution_status: 'SUCCEEDED',
        });
      }
    });

    test('proofs.1c wrong facts are refused', async () => {
      const nonce = await prooflessSender.nonce();
      const request = await prooflessSender.invokeRequest([transfer], {
        proof_facts: ['0x1', '0x2', '0x3'],
      });
      const failure = await client.failure('starknet_addInvokeTransaction', [request]);
      expect(failure.code).toBe(ERRORS.VALIDATION_FAILURE.code);
      expect(failure.data).toMatch(/^ProofFacts parse error: /);
      expect(await prooflessSender.nonce()).toBe(nonce);
    });

    test('proofs.1d so are the facts of a node that started at another time', async () => {
      const proof_facts = await foreignFacts(START + 1);
      const request = await prooflessSender.invokeRequest([transfer], { proof_facts });
      const failure = await client.failure('starknet_addInvokeTransaction', [request]);
      expect(failure.code).toBe(ERRORS.VALIDATION_FAILURE.code);
      expect(failure.data).toMatch(/^Block hash mismatch for block 0\. /);
    });
  });

  test('proofs.1c full proofs are not there yet: such a node does not start', async () => {
    await expect(startFixture({ proofMode: 'full' })).rejects.toThrow(
      /^--proof-mode full is not available yet/,
    );
  });
});
