// Widths of every page, from a small phone to a wide screen: none scrolls sideways.
/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Frames, MAX_FRAMES, openFrames } from '../support/frames.js';
import { type Stage, setStage } from '../support/stage.js';
import { detailPages, LISTS, makeVariety, type Variety } from '../support/variety.js';

const NARROWEST = 360;
const WIDEST = 2_560;
/** Otherwise pages get a sample: between breakpoints, a page that fits a width fits the wider ones. */
const ALL_WIDTHS = process.env['STARKBOX_WIDTHS'] !== undefined;

/** Every width of every page takes half an hour. */
const MAX_MILLISECONDS = ALL_WIDTHS ? 3_600_000 : 900_000;

let stage: Stage;
let emptyStage: Stage;
let chain: Variety;

beforeAll(async () => {
  [stage, emptyStage] = await Promise.all([setStage(), setStage()]);
  chain = await makeVariety(stage);
});
afterAll(() => Promise.all([stage.close(), emptyStage.close()]));

/** Each `step`th width, and those around the breakpoints of the style sheets. */
async function widths(frames: Frames, step: number): Promise<number[]> {
  const steps = Math.floor((WIDEST - NARROWEST) / step);
  const chosen = new Set(Array.from({ length: steps + 1 }, (_, at) => NARROWEST + at * step));
  const breakpoints = await frames.breakpoints();
  expect(breakpoints).toContain(639);
  for (const at of breakpoints) for (const width of [at, at + 1]) chosen.add(width);
  return [...chosen].filter((width) => width >= NARROWEST && width <= WIDEST).sort((a, b) => a - b);
}

/** A chosen instance, whose clock is a month ahead, has the fullest strip. */
async function openInstance(paths: readonly string[]): Promise<Frames> {
  const { instance_id } = await stage.node.client.call('devnet_createInstance', {
    name: 'a branch for the next release',
  });
  const frames = await openFrames(stage, paths, `/instances/${instance_id}/ui/`);
  await frames.show('.strip .chain', 'a branch for the next release');
  await frames.show('.strip .offset', '+30 d');
  return frames;
}

test('the strip fits every width while an instance is chosen and its clock is moved', async () => {
  const frames = await openInstance(['more']);
  expect(await frames.sweep(await widths(frames, 1))).toEqual([]);
});

test(
  'no page of an instance scrolls sideways, with its node and after it is gone',
  async () => {
    const paths = [...LISTS, ...detailPages(chain)];
    const overflows: string[] = [];
    for (let at = 0; at < paths.length; at += MAX_FRAMES) {
      const frames = await openInstance(paths.slice(at, at + MAX_FRAMES));
      overflows.push(...(await frames.sweep(await widths(frames, ALL_WIDTHS ? 1 : 97))));
      await frames.disconnect();
      await frames.show('.connection', 'not reachable');
      overflows.push(...(await frames.sweep(await widths(frames, ALL_WIDTHS ? 1 : 97))));
      await frames.close();
    }
    expect(overflows).toEqual([]);
  },
  MAX_MILLISECONDS,
);

test(
  'no page of an empty chain scrolls sideways',
  async () => {
    const frames = await openFrames(emptyStage, LISTS);
    expect(await frames.sweep(await widths(frames, ALL_WIDTHS ? 1 : 97))).toEqual([]);
  },
  MAX_MILLISECONDS,
);
