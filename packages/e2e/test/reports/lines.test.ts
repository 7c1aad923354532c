// Coverage by source line, and resources besides gas: transactions are run again when a report asks.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startNode } from '@starkbox/test-support';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { commandOutput } from '@starkbox/test-support/command-line';
import { deployed } from '@starkbox/test-support/contracts';
import { UNESTIMATED } from '@starkbox/test-support/mixed-run';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { classTextWithPlaces } from '../../../../contracts/classes.js';

const EXPECTED = new URL('counter.lcov', import.meta.url);
const folder = temporaryFolderOfFile();

const node = await startNode({
  listen: true,
  seed: 42,
  accounts: 1,
  blockGenerationOn: 'transaction',
});
closeAfterFile(() => node.close());
const account = node.account(0);
const { address } = await deployed(account, 'counter', [5]);
for (const amount of ['0x2', '0x3', '0x0']) {
  const call = { contractAddress: address, entrypoint: 'increase', calldata: [amount] };
  await account.execute([call], UNESTIMATED);
}
writeFileSync(join(folder, 'counter.sierra.json'), await classTextWithPlaces('counter'));

test('the lines of a run are those of the committed file', async () => {
  const file = join(folder, 'lcov.info');
  const words = ['--url', node.url, '--lcov', file, '--artifacts', folder];
  const said = await commandOutput('coverage', ...words);
  expect(readFileSync(file, 'utf8')).toBe(readFileSync(EXPECTED, 'utf8'));
  expect(said).toMatch(/^Wrote .*lcov\.info: \d+ of \d+ lines$/m);
});

test('pages that are added have the same lines', async () => {
  const whole = await node.client.call('devnet_coverage', { include: ['statements'] });
  const times = new Map<number, number>();
  let cursor: string | undefined;
  do {
    const page = await node.client.call('devnet_coverage', {
      include: ['statements'],
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { contract_name, statements } of page.classes) {
      if (contract_name !== 'counter') continue;
      for (const [statement = 0, count = 0] of statements ?? []) {
        times.set(statement, (times.get(statement) ?? 0) + count);
      }
    }
    cursor = page.next;
  } while (cursor !== undefined);
  const counter = whole.classes.find(({ contract_name }) => contract_name === 'counter');
  expect([...times]).toEqual(counter?.statements);
});

test('a report has steps, storage writes and builtins, and its gas still adds up', async () => {
  const plain = await node.client.call('devnet_gasReport', {});
  const { rows, receipts } = await node.client.call('devnet_gasReport', { include: ['resources'] });
  const increase = rows.find(({ function_name }) => function_name === 'increase');
  expect(increase?.costs['steps']?.min).toBeGreaterThan(50);
  expect(increase?.costs['storage_writes']).toMatchObject({ min: 1, max: 1, self: 2 });
  expect(increase?.costs['range_check']?.min).toBeGreaterThan(0);
  const { l2_gas, l1_gas, l1_data_gas } = receipts;
  expect({ l2_gas, l1_gas, l1_data_gas }).toEqual(plain.receipts);
  const sum = rows.reduce((all, { costs }) => all + (costs['steps']?.self ?? 0), 0);
  expect(sum).toBe(receipts['steps']);
});

test('a missing folder is named with what to do', async () => {
  const missing = join(folder, 'absent');
  const words = ['coverage', '--url', node.url, '--lcov'];
  await expect(commandOutput(...words, join(folder, 'x'), '--artifacts', missing)).rejects.toThrow(
    `the folder ${missing} does not exist: run scarb build, or pass --artifacts`,
  );
  const file = join(missing, 'x');
  await expect(commandOutput(...words, file, '--artifacts', folder)).rejects.toThrow(
    `cannot write ${file}: the folder does not exist`,
  );
});

test('artifacts without lines are refused with what to do', async () => {
  const words = [
    '--url',
    node.url,
    '--lcov',
    join(folder, 'x'),
    '--artifacts',
    mkdtempSync(join(folder, 'none-')),
  ];
  const refused = commandOutput('coverage', ...words);
  await expect(refused).rejects.toThrow(/\[cairo\], set add-statements-code-locations-debug-info/);
});
