// Every journalled method leaves its call in the journal, under its canonical name.

import { METHODS } from '@starkbox/spec';
import { ACCOUNT_CLASS, STRK, UDC } from '@starkbox/test-support/signing';
import { createChain, type LocalChain } from 'starkbox';
import { afterAll, expect, test } from 'vitest';

/** Calls that change a new chain. */
const EXAMPLES: Readonly<Record<string, object>> = {
  devnet_mint: { address: '0x1', amount: 1 },
  devnet_deal: { token: STRK, address: '0x1', amount: 1 },
  devnet_createBlock: {},
  devnet_acceptOnL1: { starting_block_id: 'latest' },
  devnet_setGasPrice: { gas_price_wei: 7 },
  devnet_setBlockSettings: { time_step: 5 },
  devnet_setTime: { time: 1_800_000_000 },
  devnet_increaseTime: { time: 60 },
  devnet_reorg: { depth: 1 },
  devnet_abortBlocks: { starting_block_id: 'latest' },
  devnet_applyStateDiff: {
    state_diff: {
      storage_diffs: [{ address: STRK, storage_entries: [{ key: '0x99', value: '0x5' }] }],
    },
  },
  devnet_replaceClass: { contract_address: UDC, class_hash: ACCOUNT_CLASS },
  devnet_impersonateAccount: { account_address: '0x123' },
  devnet_stopImpersonateAccount: { account_address: '0x123' },
  devnet_autoImpersonate: {},
  devnet_stopAutoImpersonate: {},
  devnet_setLabel: { value: '0x123', label: 'name' },
  devnet_postmanSendMessageToL2: {
    l1_contract_address: '0x1',
    l2_contract_address: '0x2',
    entry_point_selector: '0x3',
    payload: [],
    paid_fee_on_l1: '0x1',
    nonce: '0x0',
  },
  devnet_setNetworkConditions: { conditions: { lifetime_blocks: 5 } },
  devnet_setCongestion: { congestion: { demand: 0.5 } },
};

/** These need signed transactions or messages of a contract: the tests of dumps, of declarations, of the mempool and of L1 make them. */
const ELSEWHERE = [
  'starknet_addInvokeTransaction',
  'starknet_addDeclareTransaction',
  'starknet_addDeployAccountTransaction',
  'devnet_mempoolSelect',
  'devnet_mempoolPreConfirm',
  'devnet_mempoolRemove',
  'devnet_mempoolClear',
  'devnet_postmanConsumeMessageFromL2',
  'devnet_declare',
  'devnet_deploy',
];

let node: LocalChain | undefined;
afterAll(() => node?.close());

test('there is an example of every journalled method', () => {
  const journalled = Object.entries(METHODS).flatMap(([name, facts]) =>
    facts.journalled ? [name] : [],
  );
  expect([...Object.keys(EXAMPLES), ...ELSEWHERE].sort()).toEqual(journalled.sort());
});

test('each call is in the journal, by either of its names', async () => {
  node = await createChain({ seed: 0, dumpOn: 'request' });
  const expected: string[] = [];
  for (const [method, params] of Object.entries(EXAMPLES)) {
    await node.requestRaw(method.replace('devnet_', 'sandbox_'), params);
    expected.push(method);
    const calls: unknown = await node.request('devnet_dump');
    expect(Array.isArray(calls) && calls.map((call) => Object(call).method)).toEqual(expected);
  }
});

test('no journalled method reaches a file or another host', () => {
  for (const [name, { journalled, external }] of Object.entries(METHODS)) {
    expect(journalled && external, name).toBeUndefined();
  }
});
