import { test } from 'vitest';
import { createNode } from '../src/index.js';
import { silentLog } from '../src/log.js';
import { Dispatcher } from '../src/rpc/dispatch.js';
import { RequestLog } from '../src/rpc/requests.js';
import { Subscriptions } from '../src/rpc/subscriptions.js';
test('bench', async () => {
  const log = () => new RequestLog({ subscriptions: new Subscriptions(10), now: () => 0, secrets: () => ({ keys: [], words: [] }), about: () => ({}) });
  const handlers = { starknet_chainId: () => '0x1' };
  const base = { handlers, restricted: undefined, log: silentLog, maxBatch: 10 };
  const text = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}';
  const on = log(); on.set(true, true);
  const outline = log(); outline.set(true, false);
  const variants: Record<string, Dispatcher> = { without: new Dispatcher(base), off: new Dispatcher({ ...base, witness: log() }), outlines: new Dispatcher({ ...base, witness: outline }), on: new Dispatcher({ ...base, witness: on }) };
  const session = { transport: 'http' as const, agent: 'x' };
  const best: Record<string, number[]> = {};
  for (let round = 0; round < 9; round++) for (const [name, d] of Object.entries(variants)) {
    const n = 20000; const t = process.hrtime.bigint();
    for (let i = 0; i < n; i++) await d.handle(text, session);
    (best[name] ??= []).push(Number(process.hrtime.bigint() - t) / n / 1000);
  }
  for (const [name, list] of Object.entries(best)) console.log(name, 'us per call: min', Math.min(...list).toFixed(2), 'median', list.sort((a, b) => a - b)[4]?.toFixed(2));
  const node = await createNode({ seed: 0 });
  const big = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'devnet_getPredeployedAccounts', params: { with_balance: true } });
  for (const enabled of [false, true]) {
    await node.request('devnet_recordRequests', { enabled });
    for (let r = 0; r < 2; r++) { const t = process.hrtime.bigint(); for (let i = 0; i < 1000; i++) await node.handle(big); console.log('accounts', enabled, (Number(process.hrtime.bigint() - t) / 1000 / 1000).toFixed(1), 'us'); }
  }
  await node.close();
}, 120000);
