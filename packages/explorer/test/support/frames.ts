// Pages of the explorer in frames of one page: all get a width in one step, which is cheaper than a window for each.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Stage } from './stage.js';

/** Of equal length, so that the header's length stays. */
const NO_FRAMES = "frame-ancestors 'none'";
const OWN_FRAMES = "frame-ancestors 'self'";
/** Pages that start at the same time. */
const STARTING = 6;
const HEIGHT = 800;

export interface Frames {
  readonly page: Page;
  /** Sets all frames to each width in turn; frames that scroll sideways, with the element that is too wide. */
  sweep(widths: readonly number[]): Promise<string[]>;
  /** The narrowest width of each range between breakpoints of the style sheets, in pixels. */
  breakpoints(): Promise<number[]>;
  /** Waits until every frame has an element whose text contains the words. */
  show(selector: string, words: string): Promise<void>;
  /** Ends all connections to the node, and refuses new ones. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Pages that are open at the same time. */
export const MAX_FRAMES = 30;

/** Opens pages in frames. The explorer's own policy refuses frames, so they reach the node through a relay. */
export async function openFrames(
  stage: Stage,
  paths: readonly string[],
  folder = '/ui/',
): Promise<Frames> {
  const relay = await startRelay(Number(new URL(stage.origin).port));
  const { page, settled, leave } = await stage.open('');
  // A response without a policy, which may have frames.
  await page.goto(`${relay.origin}/is_alive`);
  for (let at = 0; at < paths.length; at += STARTING) {
    await page.evaluate(
      addFrames,
      paths
        .slice(at, at + STARTING)
        .map((path) => ({ path, url: `${relay.origin}${folder}${path}`, height: HEIGHT })),
    );
    await settled();
  }
  const show = async (selector: string, words: string): Promise<void> => {
    await expect.poll(() => page.evaluate(framesWithout, { selector, words })).toEqual([]);
  };
  await show('.connection', 'live');
  await settled();
  return {
    page,
    show,
    sweep: (widths) => page.evaluate(overflowsAt, widths),
    breakpoints: () => page.evaluate(breakpointsOf),
    disconnect: relay.close,
    async close() {
      await leave();
      await relay.close();
    },
  };
}

async function startRelay(port: number) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const node = connect(port, '127.0.0.1');
    for (const socket of [client, node]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        node.destroy();
      });
    }
    client.pipe(node);
    node.on('data', (part) => {
      client.write(part.toString('latin1').replaceAll(NO_FRAMES, OWN_FRAMES), 'latin1');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface FrameOptions {
  readonly path: string;
  readonly url: string;
  readonly height: number;
}

async function addFrames(all: readonly FrameOptions[]): Promise<void> {
  await Promise.all(
    all.map(
      ({ path, url, height }) =>
        new Promise((resolve) => {
          const frame = document.createElement('iframe');
          frame.name = path;
          // Below the window: laid out, and not painted.
          Object.assign(frame.style, {
            position: 'fixed',
            top: '5000px',
            left: '0',
            width: '1280px',
            height: `${height}px`,
            border: '0',
          });
          frame.addEventListener('load', resolve);
          frame.src = url;
          document.body.append(frame);
        }),
    ),
  );
}

interface Words {
  readonly selector: string;
  readonly words: string;
}

/** Runs in the page. */
function framesWithout({ selector, words }: Words): string[] {
  return [...document.querySelectorAll('iframe')].flatMap(({ name, contentDocument }) => {
    const text = contentDocument?.querySelector(selector)?.textContent ?? '';
    return text.includes(words) ? [] : [`/${name}: “${text}” without “${words}”`];
  });
}

/** Runs in the page. */
async function overflowsAt(widths: readonly number[]): Promise<string[]> {
  /** A page may need these frames until its own observers of sizes have run. */
  const LAST_FRAMES = 10;
  const frames = [...document.querySelectorAll('iframe')].flatMap((frame) =>
    frame.contentDocument ? [{ frame, root: frame.contentDocument.documentElement }] : [],
  );
  const drawn = (): Promise<void> =>
    new Promise((resolve) => {
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.addEventListener('message', () => resolve());
        after.port1.start();
        after.port2.postMessage(0);
      });
    });
  const isWide = ({ root }: (typeof frames)[number]): boolean =>
    root.scrollWidth > root.clientWidth;
  const isClipped = (element: Element): boolean => {
    for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
      if (outer.tagName === 'BODY') return false;
      if (getComputedStyle(outer).overflowX !== 'visible') return true;
    }
    return false;
  };
  const widestIn = (root: Element): string => {
    const view = root.ownerDocument.defaultView;
    const edgeOf = (element: Element): number =>
      element.getBoundingClientRect().right + (view?.scrollX ?? 0);
    const [widest] = [...root.querySelectorAll('body *')]
      .filter((element) => edgeOf(element) > root.clientWidth && !isClipped(element))
      .sort((a, b) => edgeOf(b) - edgeOf(a));
    if (!widest) return 'an element that is not found';
    const { tagName, classList, textContent } = widest;
    const words = (textContent ?? '').trim().slice(0, 40);
    return `${[tagName.toLowerCase(), ...classList].join('.')} “${words}” up to ${Math.round(edgeOf(widest))}`;
  };
  const overflows: string[] = [];
  for (const width of widths) {
    for (const { frame } of frames) frame.style.width = `${width}px`;
    await drawn();
    for (let more = 0; more < LAST_FRAMES && frames.some(isWide); more++) await drawn();
    for (const wide of frames.filter(isWide)) {
      overflows.push(`/${wide.frame.name} at ${width}: ${widestIn(wide.root)}`);
    }
  }
  return overflows;
}

/** Runs in the page. Style sheets of all frames are the same, except those of pages that load their own. */
function breakpointsOf(): number[] {
  const widths = new Set<number>();
  const visit = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      if ('conditionText' in rule) {
        const conditions = String(rule.conditionText).matchAll(/(min|max)-width\D*?([\d.]+)px/g);
        for (const [, bound, pixels] of conditions) {
          widths.add(Number(pixels) + (bound === 'max' ? 1 : 0));
        }
      }
      const { cssRules }: { cssRules?: CSSRuleList } = Object(rule);
      if (cssRules) visit(cssRules);
    }
  };
  for (const { contentDocument } of document.querySelectorAll('iframe')) {
    for (const sheet of contentDocument?.styleSheets ?? []) visit(sheet.cssRules);
  }
  return [...widths].sort((a, b) => a - b);
}
