// Pages of the shared browser. Pages with default options are reused: a new context costs four times as much.
/// <reference lib="dom" />
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const VIEWPORT = { width: 1280, height: 800 };
/** Longer than any wait on a busy machine: it only bounds how long a failing test takes. */
const WAIT_MILLISECONDS = 90_000;

export interface Pages {
  /** An empty page that no other caller has. With options it is in a new context of its own. */
  take(options?: BrowserContextOptions): Promise<Page>;
  /** An empty page in the context of another one, with its storage. It costs half as much. */
  takeBeside(page: Page): Promise<Page>;
  /** Takes one page back, or all, so that the next caller finds them empty. */
  release(page?: Page): Promise<void>;
}

export async function connectPages(endpoint: string): Promise<Pages> {
  let browser: Browser;
  try {
    browser = await chromium.connect(endpoint);
  } catch (error) {
    throw new Error('The browser shared by all tests cannot be reached: did it crash?', {
      cause: error,
    });
  }
  const idle: Page[] = [];
  const pagesInUse = new Set<Page>();
  /** Pages with options, which are closed instead of reused. */
  const single = new WeakSet<Page>();
  /** Pages beside another one, which are closed as well. */
  const tabs = new WeakSet<Page>();

  const create = async (options: BrowserContextOptions): Promise<Page> => {
    const context = await browser.newContext({ viewport: VIEWPORT, ...options });
    context.setDefaultTimeout(WAIT_MILLISECONDS);
    return context.newPage();
  };

  return {
    async take(options) {
      if (!browser.isConnected()) {
        throw new Error('The browser shared by all tests crashed or was closed before this test.');
      }
      const page = (options === undefined && idle.pop()) || (await create(options ?? {}));
      if (options !== undefined) single.add(page);
      pagesInUse.add(page);
      return page;
    },
    async takeBeside(other) {
      const page = await other.context().newPage();
      tabs.add(page);
      pagesInUse.add(page);
      return page;
    },
    async release(page) {
      const released = page === undefined ? [...pagesInUse] : [page];
      for (const tab of released) pagesInUse.delete(tab);
      if (!browser.isConnected()) return;
      await Promise.all(released.filter((tab) => tabs.has(tab)).map((tab) => tab.close()));
      await Promise.all(
        released.map(async (tab) => {
          // Handlers of requests that are still under way would fail.
          if (!tab.isClosed()) await tab.unrouteAll({ behavior: 'ignoreErrors' });
          if (single.has(tab)) await tab.context().close();
          else if (await empty(tab)) idle.push(tab);
        }),
      );
    },
  };
}

/** Brings a page back to the state of a new one; false if it is closed. */
async function empty(page: Page): Promise<boolean> {
  if (page.isClosed()) return false;
  const context = page.context();
  page.removeAllListeners();
  await Promise.all(
    context.pages().map((openPage) => (openPage === page ? undefined : openPage.close())),
  );
  // Pages without an origin, as about:blank, have no storage and refuse the access.
  await page
    .evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    })
    .catch(() => {});
  await page.goto('about:blank');
  await page.mouse.move(0, 0);
  await context.clearPermissions();
  return true;
}
