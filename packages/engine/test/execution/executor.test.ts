// Our optimizations of the executor: earlier work that a run takes over gives the same results.
// `npm run compare:executors` compares with the published executor, byte for byte.
import { Class, publicKey, type State, storageAddress, Transaction } from '@starkbox/engine';
import { beforeAll, describe, expect, test } from 'vitest';
import { classText } from '../../../../contracts/classes.js';
import {
  type Account,
  block,
  type Call,
  CHAIN_ID,
  firstAccount,
  type Genesis,
  genesis,
  hex,
  invoke,
  invokeValues,
  STRK,
  transfer,
} from '../fixtures/chain.js';
import { RandomNumbers } from '../fixtures/random-transactions.js';
import { applied, balanceKey, CONTRACT, rejected } from '../fixtures/transactions.js';

let chain: Genesis;
let account: Account;

beforeAll(async () => {
  chain = await genesis();
  account = firstAccount(chain);
});

/** What clients see of an execution. */
async function resultOf(state: State, calls: readonly Call[]) {
  const execution = await state.execute(block(), invoke(account, calls, 0));
  if (execution.outcome === 'rejected') throw new Error(execution.rejection.message);
  return {
    receipt: execution.receipt,
    trace: execution.trace,
    diff: execution.next.diffOf(1),
    fault: execution.fault,
  };
}

/** Puts a newly read class at an address: no run of its program was before. */
async function placeAnew(name: string): Promise<State> {
  const declared = await Class.compile(await classText(name));
  const deployed = [{ address: CONTRACT, class_hash: declared.hash }];
  return chain.state.apply({ deployed_contracts: deployed }, [declared]);
}

describe('the executor', () => {
  test.each([
    { contract: 'counter', name: 'increase', calldata: ['0x5'], twice: false },
    { contract: 'failures', name: 'panic_nested_text', calldata: [], twice: false },
    { contract: 'reverter', name: 'recurse', calldata: ['0x8'], twice: true },
    { contract: 'emitter', name: 'emit_batch', calldata: ['0x14'], twice: true },
  ])('runs $contract.$name again with the same results', async ({ contract, twice, ...call }) => {
    const state = await placeAnew(contract);
    const calls = Array.from({ length: twice ? 2 : 1 }, () => ({ to: CONTRACT, ...call }));
    const first = await resultOf(state, calls);
    for (let round = 0; round < 3; round += 1) expect(await resultOf(state, calls)).toEqual(first);
  });

  test('a program that was run before gives the same results', async () => {
    const state = await placeAnew('ledger');
    const alone = { to: CONTRACT, name: 'rename', calldata: ['0x7'] };
    const first = await resultOf(state, [alone]);
    // Another function, a failure and a nested run leave no marks in the memory of the program.
    await resultOf(state, [{ to: CONTRACT, name: 'get_position', calldata: ['0x1'] }]);
    await resultOf(state, [{ to: CONTRACT, name: 'missing', calldata: [] }]);
    await resultOf(state, [alone, alone]);
    expect(await resultOf(state, [alone])).toEqual(first);
  });

  test('runs of one program at the same time give the same results', async () => {
    const state = await placeAnew('emitter');
    const calls = [{ to: CONTRACT, name: 'emit_batch', calldata: ['0x14'] }];
    const first = await resultOf(state, calls);
    const others = await Promise.all(Array.from({ length: 12 }, () => resultOf(state, calls)));
    for (const other of others) expect(other).toEqual(first);
  });

  test('hashes of the same pairs are the same', async () => {
    let { state } = chain;
    for (let nonce = 0; nonce < 24; nonce += 1) {
      // Each receiver is used twice, the second time after all others.
      const receiver = hex((BigInt(nonce % 12) << 200n) + 0xabcn);
      state = (await applied(state, transfer(account, receiver, 1, nonce))).next;
      const token = state.diffOf(1).storage_diffs.find(({ address }) => address === STRK);
      const keys = token?.storage_entries.map(({ key }) => key);
      expect(keys).toContain(balanceKey(receiver));
    }
  });

  test('multiples of a point that was multiplied before are the same', async () => {
    let { state } = chain;
    for (let nonce = 0; nonce < 6; nonce += 1) {
      const values = invokeValues(account, [], nonce);
      // A signature of another transaction is invalid, however often the key was used.
      const { signature } = invokeValues(account, [], nonce + 1);
      const forged = new Transaction({ ...values, signature }, CHAIN_ID);
      expect((await rejected(state, forged)).rejection.reason).toBe('validation');
      state = (await applied(state, new Transaction(values, CHAIN_ID))).next;
    }
  });

  test('roots of numbers are the same', async () => {
    const random = new RandomNumbers(2);
    for (let round = 0; round < 12; round += 1) {
      // The account derives the point of its key and of the signature from their x coordinates.
      const privateKey = hex(1n + (random.felt() >> 3n));
      const key = { key: storageAddress('Account_public_key'), value: publicKey(privateKey) };
      const state = await chain.state.apply({
        storage_diffs: [{ address: account.address, storage_entries: [key] }],
      });
      await applied(state, invoke({ ...account, privateKey }, [], 0));
    }
  });
});
