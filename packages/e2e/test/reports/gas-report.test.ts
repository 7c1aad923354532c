// Report of gas by function: it adds up to the receipts, in one page or in many.
import { GasReport } from '@starkbox/abi';
import { MEASURES } from '@starkbox/abi/internal';
import type { GAS_REPORT, GAS_ROW } from '@starkbox/spec';
import { startMixedRun } from '@starkbox/test-support/mixed-run';
import { describe, expect, test } from 'vitest';

const run = await startMixedRun();

const report = (params: object = {}): Promise<GAS_REPORT> =>
  run.node.client.call('devnet_gasReport', params);

/** The sums of all receipts, read one by one. */
async function receipts() {
  const sums = { l2_gas: 0, l1_gas: 0, l1_data_gas: 0 };
  const kinds = new Set<string>();
  const { client } = run.node;
  const newest = await client.call('starknet_blockNumber', {});
  let count = 0;
  for (let block_number = 0; block_number <= newest; block_number += 1) {
    const block = await client.call('starknet_getBlockWithReceipts', {
      block_id: { block_number },
    });
    for (const { receipt } of block.transactions) {
      count += 1;
      kinds.add(`${receipt.type} ${receipt.execution_status}`);
      for (const measure of MEASURES) sums[measure] += receipt.execution_resources[measure];
    }
  }
  return { sums, kinds, count };
}

const rowOf = ({ rows }: GAS_REPORT, name: string, kind = 'function'): GAS_ROW => {
  const namedRow = rows.find((row) => row.function_name === name && row.kind === kind);
  if (!namedRow) throw new Error(`there is no row of ${name}`);
  return namedRow;
};

describe('the sums', () => {
  test('equal the receipts for every resource, by self and by top level', async () => {
    const { sums, kinds, count } = await receipts();
    expect([...kinds].sort()).toEqual([
      'DECLARE SUCCEEDED',
      'DEPLOY_ACCOUNT SUCCEEDED',
      'INVOKE REVERTED',
      'INVOKE SUCCEEDED',
      'L1_HANDLER SUCCEEDED',
    ]);
    for (const group_by of ['class', 'contract']) {
      const { receipts: said, rows, transactions, reverted } = await report({ group_by });
      expect(said).toEqual(sums);
      expect([transactions, reverted]).toEqual([count, 1]);
      const charged = rows.filter(({ kind }) => kind !== 'fee_transfer');
      expect(new Set(rows.map(({ kind }) => kind)).size).toBe(4);
      for (const measure of MEASURES) {
        for (const part of ['self', 'top_level'] as const) {
          const sum = charged.reduce((all, { costs }) => all + (costs[measure]?.[part] ?? 0), 0);
          expect(sum, `${group_by} ${part} ${measure}`).toBe(sums[measure]);
        }
      }
    }
  });

  test('are the same over pages that are added', async () => {
    const whole = await report({ include: ['values', 'stacks'] });
    expect(whole.next).toBeUndefined();
    const added = new GasReport('class');
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await report({
        limit: 2,
        include: ['values', 'stacks'],
        ...(cursor === undefined ? {} : { cursor }),
      });
      added.addPage(page);
      cursor = page.next;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(3);
    const {
      rows,
      receipts: sums,
      transactions,
      reverted,
    } = added.page(undefined, { values: true });
    const sorted = (all: readonly object[]) =>
      all.map((row) => JSON.stringify(canonical(row))).sort();
    expect(sorted(rows)).toEqual(sorted(whole.rows));
    expect([sums, transactions, reverted]).toEqual([
      whole.receipts,
      whole.transactions,
      whole.reverted,
    ]);
    expect(added.of('l2_gas').tree.tree()?.gas).toBe(whole.receipts['l2_gas']);
  });

  test('tell the cost of a call from that of the calls below', async () => {
    const recurse = rowOf(await report({ include: ['values'] }), 'recurse');
    expect(recurse).toMatchObject({ contract_name: 'reverter', calls: 9 });
    const { min, median, max, self, total, top_level, values } = recurse.costs['l2_gas'] ?? {};
    expect(values?.reduce((count, [, times = 0]) => count + times, 0)).toBe(9);
    expect(min).toBeLessThan(median ?? 0);
    expect(median).toBeLessThan(max ?? 0);
    // The account calls it twice; the other calls are inside of these.
    expect(total).toBeLessThan(5 * (max ?? 0));
    expect(self).toBe(total);
    expect(top_level).toBe(0);
  });
});

describe('rows', () => {
  test('are one for each contract where asked for, with library calls apart', async () => {
    const { rows } = await report({ group_by: 'contract' });
    const writes = rows.filter(({ function_name }) => function_name === 'write');
    expect(writes).toMatchObject([{ contract_address: run.reverter, is_library_call: true }]);
  });

  test('show the transfer of fees apart, as charged to none', async () => {
    const page = await report();
    const fee = rowOf(page, 'transfer', 'fee_transfer');
    expect(fee.costs['l2_gas']?.min).toBeGreaterThan(0);
    expect(
      page.rows.some(
        ({ kind, function_name }) => kind === 'function' && function_name === 'transfer',
      ),
    ).toBe(false);
  });

  test('cover the blocks of the range', async () => {
    const newest = await run.node.client.call('starknet_blockNumber', {});
    const { transactions, from_block, to_block } = await report({
      from_block: newest,
      to_block: newest,
    });
    expect([transactions, from_block, to_block]).toEqual([1, newest, newest]);
    await expect(report({ from_block: 5, to_block: 4 })).rejects.toMatchObject({ code: -1 });
  });
});

/** With members in one order: rows of pages have theirs in the order of the pages. */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)]),
  );
}
