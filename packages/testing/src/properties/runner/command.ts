// The text and the signals of `starkbox fuzz`, which loads this package from the user's project.

import { groupDigits, withNoun } from '@starkbox/abi/basics';
import type { CheckReport, SearchOptions } from '../model/options.js';
import { checkInvariants, InvariantViolation } from './check.js';
import { stepToJson } from './history-text.js';

/** @internal What `starkbox fuzz` prints, and how it exits. */
export interface FuzzOutcome {
  readonly text: string;
  readonly isViolated: boolean;
  readonly isInterrupted: boolean;
}

/**
 * Checks a file until a signal ends the search.
 *
 * @internal
 */
export async function fuzzFile(
  file: URL,
  overrides: SearchOptions,
  { json }: { readonly json: boolean },
): Promise<FuzzOutcome> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  // A second signal ends the process.
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    const report = await checkInvariants(file, { ...overrides, signal: controller.signal });
    const text = json ? jsonText({ violation: null, ...report }) : reportText(report);
    return { text, isViolated: false, isInterrupted: report.isAborted };
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error;
    const { message, violation, report } = error;
    const text = json
      ? jsonText({
          violation: {
            ...violation,
            run: violation.run ?? null,
            history: violation.history.map(stepToJson),
          },
          message,
          ...report,
        })
      : `${message}\n\n${reportText(report)}`;
    return { text, isViolated: true, isInterrupted: false };
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

function jsonText(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** Reasons of failed calls that are listed. */
const MAX_REASONS = 10;

function reportText(report: CheckReport): string {
  const { runs, calls, views, offsets, corpus, workers, seed, isAborted } = report;
  const { milliseconds, shrinkingMilliseconds } = report;
  const seconds = (milliseconds - shrinkingMilliseconds) / 1000;
  const shrinking = shrinkingMilliseconds / 1000;
  const perSecond = seconds > 0 ? Math.round((calls + views) / seconds) : 0;
  const reverts = Object.entries(report.reverts);
  const lines = [
    `${isAborted ? 'Interrupted after' : 'Searched'} ${withNoun(runs, 'run')} with ${withNoun(calls, 'call')} in ${seconds.toFixed(1)} s (seed ${seed}, ${withNoun(workers, 'thread')})`,
    ...(shrinking > 0 ? [`Shrinking the history took ${shrinking.toFixed(1)} s`] : []),
    `${groupDigits(perSecond)} calls per second, with ${withNoun(views, 'call')} of invariants`,
    `${withNoun(offsets, 'bytecode offset')} reached; new code in ${withNoun(corpus, 'run')}`,
    ...(reverts.length === 0 ? [] : ['Failed calls, in long searches estimated from some runs:']),
    ...reverts.slice(0, MAX_REASONS).map(([reason, count]) => `  ${groupDigits(count)}  ${reason}`),
    ...report.warnings,
  ];
  return `${lines.join('\n')}\n`;
}
