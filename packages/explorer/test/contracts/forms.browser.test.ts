// Forms for the inputs of functions in a browser: a control for every type, and ABIs made to harm.
/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHOICE, POINT, SHAPES } from '../../../abi/test/support/shapes.js';
import { type Stage, setStage, watchClipboard } from '../support/stage.js';

describe('forms', () => {
  const SCRIPT = `<img src=x onerror="globalThis['harmed']=1">`;
  const all = [
    ['f', 'core::felt252'],
    ['b', 'core::bool'],
    ['n', 'core::integer::u8'],
    ['who', 'core::starknet::contract_address::ContractAddress'],
    ['cls', 'core::starknet::class_hash::ClassHash'],
    ['txt', 'core::byte_array::ByteArray'],
    ['xs', 'core::array::Array::<core::felt252>'],
    ['pair', '(core::bool, core::felt252)'],
    ['point', POINT],
    ['pick', CHOICE],
    ['opt', 'core::option::Option::<core::integer::u8>'],
  ].map(([name = '', type = '']) => ({ name, type }));
  const items = [
    ...SHAPES,
    {
      type: 'enum',
      name: 'core::option::Option::<core::integer::u8>',
      variants: [
        { name: 'Some', type: 'core::integer::u8' },
        { name: 'None', type: '()' },
      ],
    },
    { type: 'struct', name: 'Loop', members: [{ name: SCRIPT, type: 'Loop' }] },
    {
      type: 'enum',
      name: 'Bad',
      variants: [
        { name: SCRIPT, type: 'Loop' },
        { name: '\u202Egnp.exe', type: 'core::felt252' },
      ],
    },
    ...Array.from({ length: 40 }, (_, at) => ({
      type: 'struct',
      name: `S${at}`,
      members: [
        { name: 'a', type: `S${at + 1}` },
        { name: 'b', type: `S${at + 1}` },
      ],
    })),
    {
      type: 'function',
      name: 'everything',
      inputs: all,
      outputs: [],
      state_mutability: 'external',
    },
    {
      type: 'function',
      name: 'horrid',
      inputs: [
        { name: SCRIPT, type: 'Loop' },
        { name: '__proto__', type: 'Bad' },
        { name: 'long'.repeat(400), type: 'S0' },
        { name: 'constructor', type: `core::array::Array::<${'('.repeat(500)}>` },
      ],
      outputs: [],
      state_mutability: 'external',
    },
    {
      type: 'function',
      name: 'crowd',
      inputs: Array.from({ length: 4_000 }, (_, at) => ({ name: `p${at}`, type: 'felt' })),
      outputs: [],
      state_mutability: 'view',
    },
    { type: 'constructor', name: 'constructor', inputs: [{ name: SCRIPT, type: 'Bad' }] },
  ];
  let stage: Stage;
  let contract: string;
  beforeAll(async () => {
    stage = await setStage();
    contract = await stage.deploy('counter', ['1'], (sierra) => {
      sierra.abi = items;
    });
  });
  afterAll(() => stage.close());

  test('every type has a control that shows its felts', async () => {
    const { page, complaints } = await stage.open(`contract/${contract}?tab=interact&f=everything`);
    const form = page.getByRole('form', { name: 'Call everything' });
    await form.getByLabel('f felt252', { exact: true }).fill("'hi'");
    await form.getByLabel('b bool', { exact: true }).selectOption('true');
    await form.getByLabel('n u8').fill('300');
    await form.getByLabel('n u8').blur();
    await form.getByText('The value does not fit into 8 bits.').waitFor();
    await form.getByLabel('n u8').fill('255');
    await form.getByLabel('who ContractAddress').fill('account 2');
    await form.getByLabel('cls ClassHash').fill('0xc1a55');
    await form.getByLabel('txt ByteArray').fill('héllo');
    await form.getByText('6 bytes').waitFor();
    await form.getByRole('button', { name: 'Paste xs as JSON or CSV' }).click();
    await form.getByLabel('JSON or CSV', { exact: true }).fill('1, 2, 3');
    await form.getByRole('button', { name: 'Fill from this' }).click();
    await form.getByRole('button', { name: 'Add an item to xs' }).click();
    await form.getByRole('group', { name: /^xs/ }).getByLabel('3 felt252').fill('4');
    await form.getByRole('button', { name: 'Remove item 0 of xs' }).click();
    await form.getByRole('group', { name: /^pair/ }).getByLabel('1 felt252').fill('6');
    await form.getByLabel('x i16').fill('-1');
    await form.getByLabel('y u256').fill('1e18');
    await form.getByRole('combobox', { name: 'pick Choice' }).selectOption('Named');
    await form.getByLabel('Named ByteArray').fill('x');
    await form.getByRole('combobox', { name: 'opt Option<u8>' }).selectOption('Some');
    await form.getByLabel('Some u8').fill('9');
    const minusOne = `0x${(2n ** 251n + 17n * 2n ** 192n).toString(16)}`;
    const expected = [
      ...['0x6869', '0x1', '0xff', stage.address(2), '0xc1a55'],
      ...['0x0', '0x68c3a96c6c6f', '0x6'],
      ...['0x3', '0x2', '0x3', '0x4'],
      ...['0x0', '0x6', minusOne, '0xde0b6b3a7640000', '0x0'],
      ...['0x0', '0x0', '0x78', '0x1', '0x0', '0x9'],
    ].map((felt) => `0x${BigInt(felt).toString(16)}`);
    const copied = await watchClipboard(page);
    await form.getByRole('button', { name: 'Copy as sncast' }).click();
    await form.getByRole('button', { name: 'sncast copied' }).waitFor();
    expect(await copied()).toContain(`--function 'everything' --calldata ${expected.join(' ')}`);
    await form.getByRole('button', { name: 'Add to batch' }).click();
    await page.getByRole('region', { name: 'Batch' }).getByText('1 call').waitFor();
    // What is collected is what the felts were.
    await page.getByRole('link', { name: 'Open in Simulate' }).click();
    await page.getByRole('heading', { level: 1, name: 'Simulate' }).waitFor();
    await expect.poll(() => page.url()).toContain('/simulate');
    await page.getByLabel('function').waitFor();
    expect(await page.getByLabel('txt ByteArray').inputValue()).toBe('héllo');
    await expect.poll(() => page.url()).toContain('#form=');
    const stored: { steps: [string, [string, string, string[]][]][] } = JSON.parse(
      decodeURIComponent(new URL(page.url()).hash.slice('#form='.length)),
    );
    expect(stored.steps[0]?.[1][0]?.[2]).toEqual(expected);
    expect(complaints).toEqual([]);
  });

  test('a hostile ABI gets a bounded form and runs no script', async () => {
    const { page, complaints } = await stage.open(`contract/${contract}?tab=interact&f=horrid`);
    const form = page.getByRole('form', { name: 'Call horrid' });
    await form.waitFor();
    expect(await form.locator('textarea').count()).toBe(2);
    await form.getByRole('combobox', { name: /proto/ }).selectOption({ index: 0 });
    await form.getByText('more parts than a form can hold').first().waitFor();
    await page.goto(`${stage.origin}/ui/contract/${contract}?tab=interact&f=crowd`);
    await page.getByRole('form', { name: 'Call crowd' }).waitFor();
    expect(await page.locator('main input, main textarea').count()).toBeLessThan(10);
    const { class_hash } = await stage.node.client
      .call('starknet_getClassHashAt', { block_id: 'latest', contract_address: contract })
      .then((hash) => ({ class_hash: hash }));
    await page.goto(`${stage.origin}/ui/class/${class_hash}?tab=deploy`);
    await page.getByRole('form', { name: 'Deploy' }).waitFor();
    for (const hash of ['%7B', encodeURIComponent('{"f":"horrid","a":[{"variant":1e9}],"as":7}')]) {
      await page.goto(`${stage.origin}/ui/contract/${contract}?tab=interact&f=horrid#form=${hash}`);
      await page.reload();
      await page.getByRole('form', { name: 'Call horrid' }).waitFor();
      await page.goto(
        `${stage.origin}/ui/simulate#form=${encodeURIComponent('{"steps":[[1],["a",[["b"],[[],7,[{}]]]]]}')}`,
      );
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Simulate' }).waitFor();
    }
    expect(await page.evaluate(() => 'harmed' in globalThis)).toBe(false);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    expect(complaints).toEqual([]);
  });
});
