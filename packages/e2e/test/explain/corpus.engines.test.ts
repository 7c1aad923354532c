// The explanations of failures of every kind, as a person reads them: corpus.md has them all.

import { startFailingChain } from '@starkbox/test-support/failing-chain';
import { hex, invokeRequest, selector } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';
import { ACCOUNTS, BAD, RESOURCES, TOKENS } from './account-cases.js';
import { CALLDATA, NESTED, OLDER, PANICS, SYSCALLS, VALUES } from './contract-cases.js';
import { type Case, callee } from './failing-case.js';

const handler = (from: string, amount: string) => ({
  from_address: from,
  entry_point_selector: selector('handle'),
  payload: [amount],
});

const OTHERS: readonly Case[] = [
  [
    'a call that panics',
    ({ contracts, explainCall }) =>
      explainCall(contracts['failures'] ?? '', 'assert_short', ['0x1']),
  ],
  [
    'a call that panics two contracts below',
    (chain) =>
      chain.explainCall(chain.contracts['failing_calls'] ?? '', 'call_nested', [
        callee(chain),
        '0x1',
        callee(chain),
        '0x9',
      ]),
  ],
  ['a call of no contract', ({ explainCall }) => explainCall('0x1234', 'get')],
  [
    'a call of no function',
    ({ contracts, explainCall }) => explainCall(contracts['counter'] ?? '', 'got'),
  ],
  [
    'an estimate, the second of two',
    async ({ contracts, explainError, sender }) => {
      const nonce = await sender.nonce();
      const to = contracts['failures'] ?? '';
      const request = [
        invokeRequest(sender.account, [], nonce),
        invokeRequest(sender.account, [{ to, name: 'assert_short', calldata: ['0x1'] }], nonce + 1),
      ];
      return explainError('starknet_estimateFee', [request, [], 'latest']);
    },
  ],
  [
    'an estimate with a wrong nonce',
    async ({ explainError, sender }) =>
      explainError('starknet_estimateFee', [
        [await sender.invokeRequest([], { nonce: '0x0' })],
        [],
        'latest',
      ]),
  ],
  [
    'a simulation with a wrong signature',
    async ({ explainError, sender }) =>
      explainError('starknet_simulateTransactions', [
        'latest',
        [await sender.invokeRequest([], BAD)],
        [],
      ]),
  ],
  [
    'the estimate of a message from an unknown sender',
    ({ contracts, explainError }) =>
      explainError('starknet_estimateMessageFee', [
        {
          ...handler(`0x${'666'.padStart(40, '0')}`, '0x1'),
          to_address: contracts['failing_calls'],
        },
        'latest',
      ]),
  ],
  [
    'a message from L1 with too large an amount',
    async ({ contracts, fixture: { client } }) => {
      const { payload, entry_point_selector } = handler('0x1', hex(1001));
      const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', {
        l2_contract_address: contracts['failing_calls'] ?? '',
        entry_point_selector,
        l1_contract_address: `0x${'1'.padStart(40, '0')}`,
        payload,
        paid_fee_on_l1: '0xffffffffffff',
        nonce: '0x1',
      });
      return client.call('devnet_explainTransaction', [transaction_hash]);
    },
  ],
];

const CORPUS: Readonly<Record<string, readonly Case[]>> = {
  'Asserts and panics': PANICS,
  'Values and types': VALUES,
  'Calls of other contracts and libraries': NESTED,
  'System calls': SYSCALLS,
  'Calldata, functions, contracts and classes': CALLDATA,
  Tokens: TOKENS,
  'Gas, fees and resource bounds': RESOURCES,
  'Accounts, nonces, signatures and declarations': ACCOUNTS,
  'Code of the older compiler': OLDER,
  'Calls, estimates, simulations and messages from L1': OTHERS,
};

test('every failure is explained as corpus.md has it', { timeout: 300_000 }, async () => {
  const chain = await startFailingChain();
  const lines = [
    '# Explained failures',
    '',
    'Written by `corpus.engines.test.ts`: `npx vitest run packages/e2e/test/explain -u`.',
  ];
  for (const [theme, cases] of Object.entries(CORPUS)) {
    lines.push('', `## ${theme}`);
    for (const [title, run] of cases) {
      const { status, text: said, hint, summary } = await run(chain);
      expect([title, status]).not.toEqual([title, 'SUCCEEDED']);
      expect(said.startsWith(summary), title).toBe(true);
      expect(said.endsWith(hint === undefined ? '' : `hint: ${hint}`), title).toBe(true);
      expect(said, title).not.toMatch(/Unknown location|pc=0:|0x[0-9a-f]{8}[0-9a-f…]*::0x/);
      lines.push('', `### ${title}`, '', '```', said, '```');
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./corpus.md');
});
