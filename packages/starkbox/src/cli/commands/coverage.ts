// The coverage command: prints which entry points were called, and writes which lines ran.
import { isObject, withNoun } from '@starkbox/abi/basics';
import { Coverage, type CoveragePage, coverageText } from '@starkbox/abi/internal';
import { Class } from '@starkbox/engine';
import { ADD_DEBUG_INFO } from '../../debug-info/artifact.js';
import { hasPlaces, LineCoverage } from '../../debug-info/line-coverage.js';
import { readRegularSync } from '../../files/regular-file.js';
import { showing } from '../../probe.js';
import { type Style, writeNamedFile } from './format.js';
import { ARTIFACTS, artifactsIn } from './input-files.js';
import type { COVERAGE } from './options.js';
import type { Words } from './row.js';
import { nodeOf, pagesOf, rangeOf } from './wire.js';

export async function coverage(
  { json, paint, width, progress }: Style,
  words: Words<typeof COVERAGE>,
): Promise<string> {
  const sum = new Coverage();
  if (words.file === undefined) {
    const include = words.lcov === undefined ? [] : (['statements'] as const);
    const params = { ...rangeOf(words), include };
    const pages = pagesOf(nodeOf(words), 'devnet_coverage', params, progress);
    for await (const page of pages) sum.addPage(page);
  } else {
    sum.addPage(coverageIn(words.file));
  }
  const page = sum.page(words.all ?? false);
  const lines =
    words.lcov === undefined
      ? undefined
      : await showing(progress, 'reading artifacts', () =>
          writeLines(sum.page(true), words.lcov ?? '', words.artifacts ?? ARTIFACTS),
        );
  if (json) {
    // The numbers of statements mean nothing without the artifact.
    const classes = page.classes.map(({ statements: _, ...rest }) => rest);
    return `${JSON.stringify({ ...page, classes, ...(lines ? { lines } : {}) })}\n`;
  }
  const text = coverageText(page, { heading: (name) => paint('bold', name), width });
  const share = lines && `\nWrote ${words.lcov}: ${lines.hit} of ${withNoun(lines.found, 'line')}`;
  return `${text}${share ?? ''}\n`;
}

/** What a run of tests wrote. */
function coverageIn(file: string): CoveragePage {
  const value: unknown = JSON.parse(readRegularSync(file));
  if (!isPage(value)) throw new Error(`${file} is not the coverage.json of a test run`);
  return value;
}

function isPage(value: unknown): value is CoveragePage {
  return isObject(value) && Array.isArray(value['classes']);
}

async function writeLines(
  { classes }: CoveragePage,
  file: string,
  folder: string,
): Promise<LineCoverage['figures']> {
  const lines = new LineCoverage();
  const statements = new Map(classes.map((covered) => [covered.class_hash, covered.statements]));
  let artifactCount = 0;
  for (const text of artifactsIn(folder)) {
    const artifact: unknown = JSON.parse(text);
    if (!hasPlaces(artifact)) continue;
    const visits = statements.get(await Class.hashOf(text));
    if (!visits) continue;
    lines.add(visits, artifact);
    artifactCount += 1;
  }
  if (artifactCount === 0) {
    throw new Error(
      `no executed class in ${folder} has code locations: pass the folder of your compiled classes with --artifacts. ${ADD_DEBUG_INFO}`,
    );
  }
  writeNamedFile(file, lines.lcov());
  return lines.figures;
}
