// Reduction of a failing request to a smaller one that fails too.
import { parse, stringify } from '../../src/json/json.js';
import { changed, isList, isRecord } from './mutation.js';

type Path = readonly (string | number)[];

/** Enough for most requests. */
const TRIES = 400;
const TIMEOUT_MILLISECONDS = 15_000;

/**
 * A smaller text that fails as well; the same one if it is no JSON or if nothing can go.
 *
 * @param fails whether a node fails with a text
 */
export async function shrunk(
  text: string,
  fails: (text: string) => Promise<boolean>,
): Promise<string> {
  let best: unknown;
  try {
    best = parse(text);
  } catch {
    return text;
  }
  let tries = 0;
  const begin = performance.now();
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smaller(best)) {
      const isLate = performance.now() - begin > TIMEOUT_MILLISECONDS;
      if (tries >= TRIES || isLate) return stringify(best);
      tries += 1;
      if (!(await fails(stringify(candidate)))) continue;
      best = candidate;
      isSmaller = true;
      break;
    }
  }
  return stringify(best);
}

/** Values with one thing less, those with the most less first. */
function* smaller(value: unknown): Generator<unknown> {
  for (const path of places(value)) {
    for (const less of lesser(at(value, path))) yield changed(value, path, () => less);
  }
}

function* lesser(here: unknown): Generator<unknown> {
  if (isList(here)) {
    if (here.length > 3) {
      yield here.slice(0, here.length >> 1);
      yield here.slice(here.length >> 1);
    }
    for (const index of here.keys()) if (index < 20) yield here.toSpliced(index, 1);
  } else if (isRecord(here)) {
    for (const name of Object.keys(here)) {
      yield Object.fromEntries(Object.entries(here).filter(([other]) => other !== name));
    }
  } else if (typeof here === 'string' && here.length > 66) {
    yield here.slice(0, here.length >> 1);
  } else if (typeof here === 'string' && /^0x[0-9a-f]{2,}$/i.test(here)) {
    yield '0x0';
    yield '0x1';
  }
}

function places(value: unknown, path: Path = []): readonly Path[] {
  if (isList(value)) {
    return [path, ...value.flatMap((item, index) => places(item, [...path, index]))];
  }
  if (!isRecord(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([name, item]) => places(item, [...path, name]))];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((here, step) => {
    if (isList(here)) return here[Number(step)];
    return isRecord(here) ? here[step] : undefined;
  }, value);
}
