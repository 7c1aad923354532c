// Widths of every page, from a small phone to a wide screen: none scrolls sideways.
/// <reference lib="dom" />
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Frames, MAX_FRAMES, openFrames } from '../support/frames.js';
import { type Stage, setStage } from '../support/stage.js';
import { detailPages, LISTS, type Varied, variedStage } from '../support/variety.js';

const NARROWEST = 320;
const WIDEST = 2_560;
/** Otherwise pages get a sample: between breakpoints, a page that fits a width fits the wider ones. */
const ALL_WIDTHS = process.env['TEST_WIDTHS'] !== undefined;
/** Widths beside those at breakpoints, which differ by commit. */
const DRAWN = 4;

/** Every width of every page takes half an hour. */
const MAX_MILLISECONDS = ALL_WIDTHS ? 3_600_000 : 900_000;

let emptyStage: Stage;
let varied: Varied;

beforeAll(async () => {
  [varied, emptyStage] = await Promise.all([variedStage(), setStage()]);
});
afterAll(() => emptyStage.close());

function drawnWidths(): number[] {
  const commit = execFileSync('git', ['rev-parse', 'HEAD']);
  const hash = createHash('sha256').update(commit).digest();
  return Array.from(
    { length: DRAWN },
    (_, at) => NARROWEST + (hash.readUInt32BE(at * 4) % (WIDEST - NARROWEST)),
  );
}

async function widths(frames: Frames): Promise<number[]> {
  if (ALL_WIDTHS) return Array.from({ length: WIDEST - NARROWEST + 1 }, (_, at) => NARROWEST + at);
  const breakpoints = await frames.breakpoints();
  expect(breakpoints).toContain(640);
  return [NARROWEST, ...breakpoints, ...drawnWidths(), WIDEST];
}

test(
  'no page of an instance scrolls sideways, with its node and after it is gone',
  async () => {
    const { stage, chain } = varied;
    const paths = [...LISTS, ...detailPages(chain)];
    // A chosen instance, whose clock is a month ahead, has the fullest strip.
    const name = 'a branch for the next release';
    const { instance_id } = await stage.node.client.call('devnet_createInstance', { name });
    const overflows: string[] = [];
    for (let at = 0; at < paths.length; at += MAX_FRAMES) {
      const shown = paths.slice(at, at + MAX_FRAMES);
      const frames = await openFrames(stage, shown, `/instances/${instance_id}/ui/`);
      await frames.show('.strip .chain', name);
      await frames.show('.strip .offset', '+30 d');
      // Before the node is gone, because the rules of a style sheet that did not load cannot be read.
      const tried = await widths(frames);
      overflows.push(...(await frames.sweep(tried)));
      await frames.disconnect();
      await frames.show('.connection', 'not reachable');
      overflows.push(...(await frames.sweep(tried)));
      await frames.close();
    }
    await stage.node.client.call('devnet_deleteInstance', { instance_id });
    expect(overflows).toEqual([]);
  },
  MAX_MILLISECONDS,
);

test(
  'no page of an empty chain scrolls sideways',
  async () => {
    const frames = await openFrames(emptyStage, LISTS);
    expect(await frames.sweep(await widths(frames))).toEqual([]);
  },
  MAX_MILLISECONDS,
);
