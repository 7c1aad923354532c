// The coverage command: prints which entry points were called.
import { Coverage, coverageText } from '@starkbox/abi';
import type { Style } from './format.js';
import { LOCAL, pagesOf, type RangeWords, rangeOf } from './wire.js';

export interface CoverageWords extends RangeWords {
  readonly all?: boolean;
}

export async function coverage({ json, paint }: Style, words: CoverageWords): Promise<string> {
  const sum = new Coverage();
  for await (const page of pagesOf(words.url ?? LOCAL, 'devnet_coverage', rangeOf(words))) {
    sum.addPage(page);
  }
  const page = sum.page(words.all ?? false);
  return json
    ? `${JSON.stringify(page)}\n`
    : `${coverageText(page, (text) => paint('bold', text))}\n`;
}
