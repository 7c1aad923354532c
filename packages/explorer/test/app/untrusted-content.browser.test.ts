// Untrusted names, texts and types from the chain and from addresses, on every page.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.js';

const SCRIPT = `<img src=x onerror="globalThis['harmed']=1">`;
const REVERSED = '\u202Etxt.live\u202C';
const LONG = 'long'.repeat(400);

const ABI = [
  { type: 'function', name: SCRIPT, inputs: [], outputs: [], state_mutability: 'view' },
  { type: 'function', name: REVERSED, inputs: [], outputs: [], state_mutability: 'view' },
  { type: 'function', name: LONG, inputs: [], outputs: [], state_mutability: 'view' },
  {
    type: 'function',
    name: 'javascript:alert(1)',
    inputs: [],
    outputs: [],
    state_mutability: 'view',
  },
  {
    type: 'function',
    name: 'increase',
    inputs: [{ name: '__proto__', type: 'Loop' }],
    outputs: [{ type: `core::array::Array::<${'('.repeat(500)}>` }],
    state_mutability: 'external',
  },
  { type: 'struct', name: 'Loop', members: [{ name: SCRIPT, type: 'Loop' }] },
  { type: 'event', name: 'E', kind: 'enum', variants: [{ name: 'E', type: 'E', kind: 'flat' }] },
  { type: 'constructor', name: 'constructor', inputs: [{ name: 'start', type: 'Loop' }] },
];

let stage: Stage;
let contract: string;
let transaction: string;
let failed: string;

beforeAll(async () => {
  stage = await setStage();
  contract = await stage.deploy('counter', ['1'], (sierra) => {
    sierra.abi = ABI;
  });
  transaction = await stage.send(0, [
    { contractAddress: contract, entrypoint: 'increase', calldata: ['0x5'] },
  ]);
  const reverter = await stage.deploy('reverter');
  const panic = `0x${Buffer.from("<b>') ✓ Succeeded").toString('hex')}`;
  failed = await stage.send(1, [
    { contractAddress: reverter, entrypoint: 'fail', calldata: ['1', panic] },
  ]);
  const { client } = stage.node;
  await client.call('devnet_setLabel', { value: stage.address(1), label: SCRIPT });
  await client.call('devnet_setLabel', { value: stage.address(2), label: `${REVERSED} account 3` });
  await client.call('devnet_snapshot', { name: SCRIPT });
});
afterAll(() => stage.close());

test('no page runs scripts, breaks its layout or fails on them', async () => {
  const paths = [
    '',
    'activity',
    'blocks',
    'transactions',
    `transactions?sender=${encodeURIComponent(SCRIPT)}&type=__proto__&block=1e9`,
    `tx/${transaction}`,
    `tx/${transaction}?tab=events`,
    `tx/${transaction}?tab=${encodeURIComponent(SCRIPT)}&frame=${encodeURIComponent(SCRIPT)}`,
    `tx/${failed}`,
    `tx/${transaction}?tab=gas&by=__proto__&focus=${encodeURIComponent(SCRIPT)}&find=${encodeURIComponent(SCRIPT)}`,
    'gas?from=-1&to=1e9&view=__proto__',
    'gas?view=table',
    'timeline',
    `timeline?a=0&b=999999&from=9&to=2&axis=${encodeURIComponent(SCRIPT)}`,
    'events',
    `events?address=${encodeURIComponent(SCRIPT)}&name=${encodeURIComponent(SCRIPT)}&keys=${encodeURIComponent(SCRIPT)}&from=1e9`,
    `tx/${encodeURIComponent(SCRIPT)}`,
    `block/${encodeURIComponent(SCRIPT)}`,
    'block/%E0%A4%A',
    `contract/${contract}?tab=read`,
    `contract/${contract}?tab=abi`,
    `contract/${stage.address(1)}`,
    'accounts',
    'contracts',
    'control',
  ];
  const { page, complaints, requests, settled } = await stage.open('');
  for (const path of paths) {
    await page.goto(`${stage.origin}/ui/${path}`);
    await page.locator('h1').waitFor();
    await settled();
    expect([
      path,
      await page.locator('.notice.failed', { hasText: 'This page failed' }).count(),
    ]).toEqual([path, 0]);
    expect(await page.evaluate(() => 'harmed' in globalThis)).toBe(false);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    const links = await page.evaluate(() =>
      [...document.querySelectorAll('a')].map(({ protocol }) => protocol),
    );
    expect(links.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([]);
    expect(await page.locator('main').innerText()).not.toContain('\u202E');
  }
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(stage.origin))).toEqual([]);
});

test('calldata that the ABI cannot decode is shown raw with a note', async () => {
  const { page } = await stage.open(`tx/${transaction}?frame=execute.0`);
  await page.getByText('could not be decoded by the ABI').waitFor();
});
