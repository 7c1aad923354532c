// Parser of long JSON texts that yields to the event loop between slices.

import { endSharedSlice } from '../scheduling/slices.js';
import { type JsonLimits, Parser, Survey } from './parser.js';

/** The same result as `parse` of json.ts, and the number of values. */
export async function parseInSlices(
  text: string,
  limits: JsonLimits,
): Promise<{ readonly value: unknown; readonly values: number }> {
  const survey = new Survey(text, limits);
  while (survey.advance(SLICE)) {
    const pause = endSharedSlice();
    if (pause) await pause;
  }
  const parser = new Parser(text);
  for (let steps = 1; parser.step(); steps += 1) {
    if (steps % STEPS !== 0) continue;
    const pause = endSharedSlice();
    if (pause) await pause;
  }
  return { value: parser.value, values: survey.values };
}

/** Characters between two checks of the clock. */
const SLICE = 256 * 1024;

/** Values between two checks of the clock. */
const STEPS = 512;
