// Source lines that a transaction ran, from the debug information that the node has of its classes.
import type { Retrace } from '@starkbox/engine';
import type { EXECUTED_FILE } from '@starkbox/spec';
import type { DebugInfo } from '../../debug-info/debug-info.js';
import type { DebugInfos } from '../../debug-info/debug-infos.js';
import { printable } from '../../debug-info/excerpts.js';
import { isLibrary } from '../../debug-info/line-coverage.js';
import type { World } from '../world/world.js';

type Times = Map<number, number>;

/** Longest text that an answer has in all. */
const MAX_TEXT = 4 * 2 ** 20;

/** The files of classes that ran, in the order of their names. */
export async function executedLines(
  { frames }: Retrace,
  world: World,
  infos: DebugInfos,
): Promise<readonly EXECUTED_FILE[]> {
  const files = new Map<string, { readonly times: Times; readonly classHash: string }>();
  for (const classHash of new Set(frames.map(({ class_hash }) => class_hash))) {
    const info = infos.get(classHash);
    if (!info) continue;
    const ran = new Map<number, number>();
    for (const { class_hash, visited = [] } of frames) {
      if (class_hash !== classHash) continue;
      for (const [statement, times] of visited)
        ran.set(statement, times + (ran.get(statement) ?? 0));
    }
    const contractClass = await world.pendingState.class(classHash);
    const coded = (await contractClass?.codedStatements().catch(() => undefined)) ?? [];
    for (const [file, times] of linesOf(info, coded, ran)) {
      const counts = files.get(file);
      if (counts) addTimes(counts.times, times);
      else files.set(file, { times, classHash });
    }
  }
  const sorted = [...files].sort(([first], [other]) => (first < other ? -1 : 1));
  const answer: EXECUTED_FILE[] = [];
  let length = 0;
  for (const [file, { times, classHash }] of sorted) {
    const source = await infos.texts(classHash)?.read(file);
    length += source?.text.length ?? 0;
    const isShown = source !== undefined && length <= MAX_TEXT;
    answer.push({
      file,
      lines: [...times].sort(([first], [other]) => first - other),
      ...(isShown ? { text: source.text.split(/\r?\n/).map(printable).join('\n') } : {}),
      ...(source?.isNewer ? { changed: true } : {}),
    });
  }
  return answer;
}

/** Of one class: a line has many statements, and ran as often as the one that ran most often. */
function linesOf(
  info: DebugInfo,
  coded: readonly number[],
  ran: ReadonlyMap<number, number>,
): ReadonlyMap<string, Times> {
  const files = new Map<string, Times>();
  for (const statement of coded) {
    const times = ran.get(statement) ?? 0;
    for (const { file, line } of info.writtenAt(statement)) {
      if (isLibrary(file)) continue;
      const lines = files.get(file) ?? new Map<number, number>();
      files.set(file, lines);
      lines.set(line, Math.max(times, lines.get(line) ?? 0));
    }
  }
  return files;
}

/** Other classes may have code of the same lines. */
function addTimes(into: Times, times: Times): void {
  for (const [line, count] of times) into.set(line, count + (into.get(line) ?? 0));
}
