// The search for the shortest history: which steps and values it takes away, and when it stops.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { History, Step } from '../../src/properties/model/history.js';
import { Progress } from '../../src/properties/runner/progress.js';
import { type FoundViolation, Shrinking } from '../../src/properties/runner/shrinking.js';

const call = (name: string, ...values: readonly bigint[]): Step => ({
  kind: 'call',
  from: '0x1',
  to: '0x2',
  function: name,
  arguments: values,
});

/** Grants get the ids 0, 1, 2, …; the promise is that none of at least 100 is released. */
async function releases(history: History): Promise<FoundViolation | undefined> {
  const grants: bigint[] = [];
  for (const [at, step] of history.entries()) {
    if (step.kind !== 'call') continue;
    const [value = 0n] = step.arguments.filter((part) => typeof part === 'bigint');
    if (step.function === 'grant') grants.push(value);
    else if ((grants[Number(value)] ?? 0n) >= 100n) {
      return { invariant: 'kept', message: 'It returned false', steps: at + 1 };
    }
  }
  return undefined;
}

const GRANTS: History = [
  call('grant', 1n),
  call('release', 0n),
  call('grant', 2n),
  call('grant', 500n),
  call('grant', 3n),
  call('release', 2n),
  call('release', 3n),
];
const FOUND: FoundViolation = { invariant: 'kept', message: 'It returned false', steps: 6 };

/** Histories whose only values shrink. */
const VALUES: fc.Arbitrary<History> = fc
  .array(fc.bigInt({ min: 0n, max: 1_000n }), { minLength: 6, maxLength: 6 })
  .map(
    (values) =>
      GRANTS.slice(0, 6).map((step, at) =>
        step.kind === 'call' ? { ...step, arguments: [values[at] ?? 0n] } : step,
      ),
    (history) => (Array.isArray(history) ? history.flatMap((step) => Object(step).arguments) : []),
  );

test('a step is removed together with the ids that it gave to later ones', async () => {
  const shrinking = new Shrinking(GRANTS, FOUND, releases);
  await shrinking.run(fc.constant(GRANTS.slice(0, 6)));
  expect(shrinking.history).toEqual([call('grant', 500n), call('release', 0n)]);
  expect(shrinking.violation.steps).toBe(2);
  expect(shrinking).toMatchObject({ isRepeated: true, isEnded: false });
});

test('a history is executed once, however often it is proposed', async () => {
  const executed = new Set<string>();
  let executions = 0;
  const shrinking = new Shrinking(GRANTS, FOUND, (history) => {
    executions += 1;
    executed.add(
      JSON.stringify(history, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
    );
    return releases(history);
  });
  await shrinking.run(VALUES);
  expect(shrinking.history).toEqual([call('grant', 100n), call('release', 0n)]);
  expect(executions).toBe(executed.size);
  expect(shrinking.attempts).toBe(executions);
});

test('values that shrink by one at a time do not take all attempts', async () => {
  // Each execution violates it again with values that are a little smaller.
  let least = 1n << 200n;
  const steps: History = [call('grant', least), call('release', 0n)];
  const slow = fc.bigInt({ min: 0n, max: least }).map(
    (value): History => [call('grant', value), call('release', 0n)],
    (history) => Object(history)[0].arguments[0],
  );
  const shrinking = new Shrinking(steps, { ...FOUND, steps: 2 }, async (history) => {
    const [step] = history;
    const value = step?.kind === 'call' ? step.arguments[0] : undefined;
    if (history.length < 2 || typeof value !== 'bigint' || value < least - 1n) return undefined;
    least = value;
    return { ...FOUND, steps: 2 };
  });
  await shrinking.run(slow);
  expect(shrinking.attempts).toBeLessThan(1_100);
});

test('a terminal shows how long it takes, until it ends', async () => {
  const lines: string[] = [];
  let end = (_: string): void => {};
  const work = new Promise<string>((resolve) => {
    end = resolve;
  });
  const output = {
    write: (line: string) => {
      lines.push(line);
      end('shortest');
    },
  };
  expect(await new Progress(output, true).whileShrinking(work)).toBe('shortest');
  expect(lines).toEqual([expect.stringMatching(/^\rshrinking the history: \d+ s of at most 20 s/)]);
});
