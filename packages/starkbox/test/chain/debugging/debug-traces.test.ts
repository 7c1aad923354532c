// The limit of debug traces of all chains of a process together.
import { selector } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';
import { DebugTraces } from '../../../src/chain/debugging/debug-traces.js';
import { Abis } from '../../../src/chain/queries/abis.js';
import { Explainer } from '../../../src/chain/queries/explain.js';
import { DebugInfos } from '../../../src/debug-info/debug-infos.js';
import { silentLog } from '../../../src/log.js';
import { bareChain } from '../../support/bare-chain.js';

async function tracesOf(maxBytes?: number) {
  const chain = await bareChain('transaction');
  const explainer = new Explainer(chain, new DebugInfos(), new Abis(), silentLog);
  const traces = new DebugTraces(chain, explainer, maxBytes);
  const call = {
    contract_address: chain.options.genesis.strk.address,
    entry_point_selector: selector('name'),
    calldata: [],
  };
  return {
    open: () => traces.open({ call }, undefined),
    read: (id: string) => traces.steps(id, 0, 0, 1),
    close: (id: string) => traces.close(id),
  };
}

test('a trace of one chain closes the least recently used of another, beyond the limit of both', async () => {
  const measured = await tracesOf();
  const { bytes, trace_id } = await measured.open();
  measured.close(trace_id);
  const [first, second] = [await tracesOf(3 * bytes), await tracesOf(3 * bytes)];
  const [used, unused] = [await first.open(), await first.open()];
  const other = await second.open();
  first.read(used.trace_id);
  const newest = await second.open();
  expect(() => first.read(unused.trace_id)).toThrow(/is closed/);
  for (const { trace_id: id } of [other, newest]) expect(second.read(id)).not.toBe('');
  expect(first.read(used.trace_id)).not.toBe('');
});
