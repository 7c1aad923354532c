// Debugger of a transaction: from the failure to its line, moves in both directions, timeline, variables, storage, links.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../../contracts/classes.js';
import { faultsOf } from '../support/accessibility.js';
import { type Stage, setStage } from '../support/stage.js';

const FAILURES = 'contracts/src/failing/failures.cairo';
const COUNTER = 'contracts/src/counter.cairo';
const REVERTER = 'contracts/src/reverter.cairo';

let stage: Stage;
let counter: string;
/** A failure two Cairo functions deep. */
let failed: string;
/** A read, a write and an event of the counter. */
let increased: string;
/** Turns of a loop. */
let looped: string;
/** Calls of contracts without debug information alone. */
let transferred: string;

async function addSource(name: string, file: string): Promise<void> {
  const source = await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8');
  const artifact = JSON.parse(await classTextWithPlaces(name));
  await stage.node.client.call('devnet_addArtifact', { artifact, sources: { [file]: source } });
}

/** The number of the first line of a file with this text. */
async function lineWith(file: string, text: string): Promise<number> {
  const source = await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8');
  const index = source.split('\n').findIndex((line) => line.includes(text));
  if (index < 0) throw new Error(`${file} has no line with ${text}`);
  return index + 1;
}

beforeAll(async () => {
  stage = await setStage();
  await addSource('failures', FAILURES);
  await addSource('counter', COUNTER);
  await addSource('reverter', REVERTER);
  const failures = await stage.deploy('failures', ['0']);
  const reverter = await stage.deploy('reverter');
  looped = await stage.send(3, [
    { contractAddress: reverter, entrypoint: 'burn', calldata: ['10'] },
  ]);
  counter = await stage.deploy('counter', ['7']);
  failed = await stage.send(1, [
    { contractAddress: failures, entrypoint: 'helper', calldata: ['0x1'] },
  ]);
  increased = await stage.send(1, [
    stage.transfer(2, 5n),
    { contractAddress: counter, entrypoint: 'increase', calldata: ['0x5'] },
  ]);
  transferred = await stage.send(2, [stage.transfer(3, 1n)]);
});
afterAll(() => stage.close());

/** The debugger on a page. */
class Tab {
  readonly page: Page;
  readonly slider: Locator;
  readonly line: Locator;
  readonly variables: Locator;
  readonly storage: Locator;
  readonly stack: Locator;

  constructor(page: Page) {
    this.page = page;
    this.slider = page.getByRole('slider', { name: 'Position in the execution' });
    this.line = page.getByRole('region', { name: 'Code' }).locator('li[aria-current]');
    this.variables = page.getByRole('tree', { name: 'Variables' });
    this.storage = page.getByRole('list', { name: 'Slots' });
    this.stack = page.getByRole('list', { name: 'Frames' });
  }

  async position(): Promise<number> {
    return Number(await this.slider.getAttribute('aria-valuenow'));
  }

  async isAtLine(number: number): Promise<void> {
    await expect.poll(() => this.line.getAttribute('value')).toBe(String(number));
  }

  /** Waits until the panels are of the position. */
  settled(): Promise<void> {
    return this.page.locator('.debug-side:not([data-stale])').waitFor();
  }

  move(name: string): Promise<void> {
    return this.page.getByRole('button', { name, exact: true }).click();
  }
}

async function openTab(hash: string, query = '', options?: Parameters<Stage['open']>[1]) {
  const visit = await stage.open(`tx/${hash}?tab=debug${query}`, options);
  const tab = new Tab(visit.page);
  await tab.slider.waitFor();
  await tab.settled();
  return { ...visit, tab };
}

const stepIn = (page: Page): number => Number(new URL(page.url()).searchParams.get('step'));

describe('a failed transaction', () => {
  test('opens at the failing line, from the button of the failure', async () => {
    const { page, complaints } = await stage.open(`tx/${failed}`, {});
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.getByRole('link', { name: 'Debug from here' }).click();
    const tab = new Tab(page);
    await tab.isAtLine(marks().get('helper')?.line ?? 0);
    expect(await tab.line.getAttribute('data-current')).toBe('failure');
    expect(await tab.line.textContent()).toContain('value - 100');
    await tab.settled();
    const frames = await tab.stack.getByRole('button').allTextContents();
    expect(frames.filter((name) => /lowered|checked|helper/.test(name)).length).toBeGreaterThan(2);
    await expect.poll(() => stepIn(page)).toBe(await tab.position());
    expect(await tab.slider.getAttribute('aria-valuetext')).toMatch(
      /^step [\d,]+ of [\d,]+, .*in .+/,
    );
    expect(complaints).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('is stepped through backwards and forwards, by buttons and by keys', async () => {
    const { page, tab } = await openTab(failed);
    const failing = marks().get('helper')?.line ?? 0;
    const call = await lineWith(FAILURES, 'lowered(value) * 2');
    await tab.isAtLine(failing);
    const start = await tab.position();
    await tab.move('Step out backwards');
    await tab.isAtLine(call);
    expect(await tab.line.getAttribute('data-current')).toBe('stop');
    await tab.move('Step into');
    await expect.poll(() => tab.position()).toBeGreaterThan(start - 100);
    await page.keyboard.press('Shift+Alt+F11');
    await tab.isAtLine(call);
    const before = await tab.position();
    await page.keyboard.press('F11');
    await expect.poll(() => tab.position()).toBeGreaterThan(before);
    await page.keyboard.press('Alt+F11');
    await expect.poll(() => tab.position()).toBe(before);
    await page.keyboard.press('x');
    await tab.isAtLine(failing);
    expect(await tab.position()).toBe(start);
  });

  test('stops at a breakpoint that a click has set, in both directions', async () => {
    const { page, tab } = await openTab(failed);
    const line = await lineWith(FAILURES, 'lowered(value) * 2');
    const gutter = page.getByRole('button', { name: `Breakpoint at line ${line}`, exact: true });
    await gutter.click();
    expect(await gutter.getAttribute('aria-pressed')).toBe('true');
    await page
      .getByRole('region', { name: 'Breakpoints' })
      .getByText(`failures.cairo:${line}`, { exact: true })
      .waitFor();
    await tab.slider.press('Home');
    await expect.poll(() => tab.position()).toBe(1);
    await page.keyboard.press('F8');
    await tab.isAtLine(line);
    await page.getByRole('status').getByText('breakpoint').waitFor();
    await tab.slider.press('End');
    await page.keyboard.press('Alt+F8');
    await tab.isAtLine(line);
    await page.getByLabel(/^condition of failures.cairo/).fill('value > 1');
    await tab.slider.press('Home');
    await expect.poll(() => tab.position()).toBe(1);
    await tab.move('Resume');
    await page.getByRole('status').getByText('end', { exact: true }).waitFor();
  });

  test('has no letters or keys of the debugger in inputs', async () => {
    const { page, tab } = await openTab(failed);
    const before = await tab.position();
    await page.locator('summary', { hasText: 'Breakpoints' }).click();
    const field = page.getByLabel('new breakpoint');
    await field.focus();
    await page.keyboard.type('checkwx');
    await page.keyboard.press('F10');
    await page.keyboard.press('Enter');
    await page.getByText('function checkwx', { exact: true }).waitFor();
    expect(await tab.position()).toBe(before);
  });
});

describe('the timeline', () => {
  test('is dragged without entries in the history, and clicked with one', async () => {
    const { page, tab } = await openTab(increased);
    const box = await page.locator('.debug-track').boundingBox();
    if (!box) throw new Error('the timeline has no box');
    const length = Number(await tab.slider.getAttribute('aria-valuemax'));
    // A tab has 50 entries at most, so that their number says nothing.
    const entry = (): Promise<unknown> => page.evaluate('navigation.currentEntry.key');
    const before = await entry();
    await page.mouse.move(box.x + 10, box.y + 4);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4, box.y + 4, { steps: 8 });
    await page.mouse.move(box.x + box.width / 2, box.y + 4, { steps: 8 });
    await page.mouse.up();
    await expect.poll(() => tab.position()).toBe(Math.round((length - 1) / 2) + 1);
    await tab.settled();
    await expect.poll(() => stepIn(page)).toBe(await tab.position());
    expect(await entry()).toBe(before);
    const middle = await tab.position();
    await page.mouse.click(box.x + box.width - 2, box.y + box.height - 2);
    await expect.poll(() => tab.position()).toBeGreaterThan(middle);
    expect(await entry()).not.toBe(before);
    await page.goBack();
    await expect.poll(() => tab.position()).toBe(middle);
    await page.goForward();
    await expect.poll(() => tab.position()).toBeGreaterThan(middle);
  });

  test('goes to a mark near the pointer', async () => {
    const { page, tab } = await openTab(failed);
    const failing = await tab.position();
    const length = Number(await tab.slider.getAttribute('aria-valuemax'));
    await tab.slider.press('Home');
    await expect.poll(() => tab.position()).toBe(1);
    const box = await page.locator('.debug-track').boundingBox();
    if (!box) throw new Error('the timeline has no box');
    const x = box.x + (box.width * (failing - 1)) / (length - 1);
    await page.mouse.click(x - 2, box.y + box.height - 8);
    await expect.poll(() => tab.position()).toBe(failing);
    await tab.isAtLine(marks().get('helper')?.line ?? 0);
  });

  test('is moved by keyboard', async () => {
    const { tab } = await openTab(increased);
    await tab.slider.press('End');
    const last = Number(await tab.slider.getAttribute('aria-valuemax'));
    await expect.poll(() => tab.position()).toBe(last);
    await tab.slider.press('ArrowLeft');
    await tab.slider.press('ArrowLeft');
    await expect.poll(() => tab.position()).toBe(last - 2);
    await tab.slider.press('PageDown');
    await expect.poll(() => tab.position()).toBeLessThan(last - 10);
    await tab.slider.press('Home');
    await expect.poll(() => tab.position()).toBe(1);
  });

  test('has marks that jumps go to, and says where there is no other', async () => {
    const { page, tab } = await openTab(increased);
    await tab.move('Next event');
    const detail = page.getByRole('region', { name: 'System call' });
    await detail.getByText(/Transfer\(from: account 1, to: account 2, value: 5 fri\)/).waitFor();
    await page.keyboard.press('e');
    await detail.getByText(/CountRaised\(caller: account 1, before: 7, after: 12\)/).waitFor();
    await page.keyboard.press('e');
    await page.getByRole('status').getByText('no later event').waitFor();
    await page.keyboard.press('Shift+W');
    await detail.getByText('StorageWrite').waitFor();
    await detail.getByText('7 → 12').waitFor();
    expect(
      await page.getByRole('button', { name: 'Next failure' }).getAttribute('aria-disabled'),
    ).toBe('true');
  });
});

describe('values', () => {
  test('are those of the step: variables by name, and slots before and after', async () => {
    const { page, tab } = await openTab(increased);
    const line = await lineWith(COUNTER, 'self.count.write(after)');
    await page.getByLabel('file').selectOption({ label: COUNTER });
    const code = page.getByRole('region', { name: 'Code' });
    await code.locator('li').first().waitFor();
    await code.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.getByRole('button', { name: `Breakpoint at line ${line}`, exact: true }).click();
    await tab.slider.press('Home');
    await page.keyboard.press('F8');
    await tab.isAtLine(line);
    await tab.settled();
    await tab.variables.getByRole('treeitem', { name: /amount\s*5/ }).waitFor();
    const slot = tab.storage
      .getByRole('listitem')
      .filter({ has: page.locator('.variable', { hasText: /^count$/ }) });
    expect(await slot.innerText()).not.toContain('→');
    await page.keyboard.press('w');
    await expect.poll(() => slot.innerText()).toMatch(/7\s*→\s*became\s*12\s*changed/);
    await page.keyboard.press('F10');
    await expect.poll(() => slot.innerText()).not.toContain('changed');
    await slot.getByRole('button', { name: /^Go to the write/ }).click();
    await page.getByRole('region', { name: 'System call' }).getByText('StorageWrite').waitFor();
  });

  test('of a loop have one frame with the number of turns', async () => {
    const { page, tab } = await openTab(looped);
    const line = await lineWith(REVERTER, 'mix = mix * 3');
    await page.locator('summary', { hasText: 'Breakpoints' }).click();
    await page.getByLabel('new breakpoint').fill(`reverter.cairo:${line}`);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await tab.isAtLine(line);
    await page.keyboard.press('F8');
    await tab.stack
      .getByRole('button', { name: /burn ×2/ })
      .first()
      .waitFor();
    await page.keyboard.press('F8');
    await tab.stack
      .getByRole('button', { name: /burn ×3/ })
      .first()
      .waitFor();
    await tab.isAtLine(line);
  });

  test('of structs and arrays are opened by keyboard, and stay open', async () => {
    const { page, tab } = await openTab(increased);
    await tab.variables.getByRole('treeitem', { name: /^calls/ }).focus();
    await page.keyboard.press('ArrowRight');
    const first = tab.variables.getByRole('treeitem', { level: 2 }).first();
    await first.waitFor();
    expect(await tab.variables.getByRole('treeitem', { level: 2 }).count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => first.evaluate((row) => row === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    const member = tab.variables.getByRole('treeitem', { name: /^selector/, level: 3 });
    await member.waitFor();
    await page.keyboard.press('F11');
    await tab.settled();
    await member.waitFor();
    await page.keyboard.press('ArrowLeft');
    await member.waitFor({ state: 'detached' });
  });

  test('of an outer frame are shown with its line, and the link keeps the frame', async () => {
    const { page, tab } = await openTab(failed);
    const value = tab.variables.getByRole('treeitem', { name: /value\s*1\s*u32/ });
    await value.waitFor();
    await tab.stack.getByRole('button', { name: /checked/ }).click();
    const call = await lineWith(FAILURES, 'lowered(value) * 2');
    await tab.isAtLine(call);
    expect(await tab.line.getAttribute('data-current')).toBe('caller');
    await value.waitFor();
    await expect.poll(() => page.url()).toContain('stack=');
    const other = await openTab(failed, new URL(page.url()).search.replace('?tab=debug', ''));
    await other.tab.isAtLine(call);
    expect(await other.tab.position()).toBe(await tab.position());
  });
});

describe('links', () => {
  test('lead to a step, and to a call or an event from the call tree', async () => {
    const { tab } = await openTab(increased, '&step=123');
    expect(await tab.position()).toBe(123);
    const { page } = await stage.open(`tx/${increased}`, {});
    await page.getByRole('row', { name: /increase\(/ }).click();
    await page.getByRole('link', { name: 'Debug this call' }).click();
    const called = new Tab(page);
    await called.isAtLine(await lineWith(COUNTER, 'if amount == 0'));
    await page.goBack();
    await page
      .getByRole('region', { name: 'Selected frame' })
      .getByRole('link', { name: 'Debug', exact: true })
      .click();
    await page
      .getByRole('region', { name: 'System call' })
      .getByText(/CountRaised/)
      .waitFor();
  });
});

describe('states', () => {
  test('without debug information the steps are system calls, and the page says how to add it', async () => {
    const { page, tab } = await openTab(transferred);
    await page.getByText(/has no debug information of the class/).waitFor();
    await page.getByText('add-functions-debug-info', { exact: true }).waitFor();
    await page.keyboard.press('w');
    await page.getByRole('region', { name: 'System call' }).getByText('StorageWrite').waitFor();
    const before = await tab.position();
    await page.keyboard.press('F11');
    await expect.poll(() => tab.position()).toBeGreaterThan(before);
  });

  test('an error of the node is shown with a button that opens the execution again', async () => {
    const { page } = await stage.open(`tx/${failed}`, {});
    const isOpening = (text: string | null): boolean =>
      text?.includes('devnet_openDebugTrace') ?? false;
    await page.route('**/rpc', async (route) => {
      if (!isOpening(route.request().postData())) return route.fallback();
      const { id } = JSON.parse(route.request().postData() ?? '{}');
      const error = { code: -32603, message: 'All tracing slots are taken' };
      return route.fulfill({ json: { jsonrpc: '2.0', id, error } });
    });
    await page.getByRole('link', { name: 'Debug', exact: true }).click();
    await page.getByText('All tracing slots are taken').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await new Tab(page).isAtLine(marks().get('helper')?.line ?? 0);
  });

  test('an execution that the node has closed is opened again at the same step', async () => {
    const { page, tab } = await openTab(failed, '&step=1');
    for (let count = 0; count < 4; count++) {
      await stage.node.client.call('devnet_openDebugTrace', { transaction_hash: transferred });
    }
    await page.keyboard.press('x');
    await page.getByText('The move failed.').waitFor();
    await page.getByRole('button', { name: 'Open again' }).click();
    await tab.isAtLine(marks().get('helper')?.line ?? 0);
    await tab.variables.getByRole('treeitem', { name: /value\s*1/ }).waitFor();
    expect(await page.getByText('The move failed.').count()).toBe(0);
  });

  test('a view call is debugged where it is made', async () => {
    const { page } = await stage.open(`contract/${counter}?tab=read`, {});
    await page.getByRole('button', { name: 'Call get' }).click();
    const form = page.getByRole('form', { name: 'Call get' });
    await form.getByRole('status', { name: 'Result' }).getByText('12').waitFor();
    await form.locator('xpath=following-sibling::details').locator('summary').click();
    const tab = new Tab(page);
    await tab.slider.press('End');
    await page.keyboard.press('Alt+F11');
    await tab.isAtLine((await lineWith(COUNTER, 'fn get(self: @ContractState)')) + 1);
  });

  test('a simulated transaction is debugged where it is simulated', async () => {
    const { page } = await stage.open(`simulate?tx=${failed}`, {});
    await page
      .getByRole('button', { name: /^Simulate/ })
      .first()
      .click();
    await page.getByText('Would be reverted').waitFor();
    await page.locator('summary', { hasText: /^Debug$/ }).click();
    await new Tab(page).isAtLine(marks().get('helper')?.line ?? 0);
  });
});

describe('the layout', () => {
  const surplus = () => document.documentElement.scrollWidth - innerWidth;

  test('has source and panels side by side', async () => {
    const { page, tab } = await openTab(increased, '', { viewport: { width: 1440, height: 900 } });
    await page.keyboard.press('e');
    await page.keyboard.press('e');
    await tab.line.waitFor();
    const source = await page.getByRole('region', { name: 'Source' }).boundingBox();
    const panel = await page.getByRole('region', { name: 'Call stack' }).boundingBox();
    expect(panel?.x).toBeGreaterThan((source?.x ?? 0) + (source?.width ?? 0));
  });

  test('on a phone has the controls at the thumb and nothing that scrolls sideways; axe finds nothing', async () => {
    const { page, tab } = await openTab(failed, '', {
      bypassCSP: true,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await tab.line.waitFor();
    const bar = await page.locator('.debug-bar').boundingBox();
    const bottom = await page.locator('nav.bottom').boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeCloseTo(bottom?.y ?? 0, 0);
    expect(await page.evaluate(surplus)).toBeLessThanOrEqual(0);
    for (const name of ['Step over', 'Step over backwards', 'Resume']) {
      const button = await page.getByRole('button', { name, exact: true }).boundingBox();
      expect(button?.height).toBeGreaterThanOrEqual(44);
      expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    const code = await page.getByRole('region', { name: 'Code' }).boundingBox();
    const at = await tab.line.boundingBox();
    expect(at?.y).toBeGreaterThan(code?.y ?? 0);
    expect(at?.y).toBeLessThan(bar?.y ?? 0);
    const before = await tab.position();
    await page.getByRole('button', { name: 'Step over backwards', exact: true }).tap();
    await expect.poll(() => tab.position()).toBeLessThan(before);
    await page.getByRole('button', { name: 'More moves' }).tap();
    await page.getByRole('button', { name: 'Next failure' }).tap();
    await expect.poll(() => tab.position()).toBe(before);
    expect(await faultsOf(page)).toEqual([]);
  });
});
