// A history as a test that can be pasted.
import { createRequire } from 'node:module';
import type { History, Step, StepValue } from '../model/history.js';
import { type AddressNames, quote, valueCode } from './value-text.js';

/** What a printed test repeats. */
export interface PrintedHistory {
  /** The name of the invariant that the history violates; undefined if its last step fails by itself. */
  readonly invariant: string | undefined;
  /** The name of the test. */
  readonly title: string;
  readonly history: History;
  /** Reasons of steps that fail, by their index. */
  readonly failures: ReadonlyMap<number, string>;
  /** Addresses of the contracts and actors of the options, in their order. */
  readonly contracts: readonly string[];
  readonly actors: readonly string[];
  /** Identifiers of these addresses. */
  readonly names: AddressNames;
  /** How the file of invariants is imported; undefined for a chain of the test. */
  readonly file?: string | undefined;
}

/** The test runner of a printed test. */
export type PrintedRunner = 'vitest' | 'node';

/** The runner that a project has installed. */
export function runnerOf(folder: URL): PrintedRunner {
  try {
    createRequire(folder).resolve('vitest');
    return 'vitest';
  } catch {
    return 'node';
  }
}

/** The text of a test file, or of a test in a file that has `chain` and `options`. */
export function printTest(facts: PrintedHistory, runner: PrintedRunner): string {
  const { title, file } = facts;
  const isNode = runner === 'node';
  const source = file === undefined ? 'chain, options' : 'invariants';
  // Node 20 and 22 cannot parse `await using`.
  const [parameter, atEnd] = isNode ? ['t', 't.after'] : ['{ onTestFinished }', 'onTestFinished'];
  return [
    "import { openRun } from '@starkbox/testing/properties';",
    isNode ? "import { test } from 'node:test';" : "import { test } from 'vitest';",
    ...(file === undefined
      ? []
      : [
          `import invariants from ${quote(isNode ? file : file.replace(/\.([cm]?)ts$/, '.$1js'))};`,
        ]),
    '',
    `test(${quote(title)}, async (${parameter}) => {`,
    ...(file === undefined ? ['  // The arguments of checkInvariants.'] : []),
    `  const run = await openRun(${source});`,
    `  ${atEnd}(() => run.close());`,
    ...declarations(facts),
    '',
    ...facts.history.map((step, at) => `  ${stepLine(step, at, facts)}`),
    ...lastLine(facts),
    '});',
    '',
  ].join('\n');
}

/** The addresses that the steps mention. */
function declarations({ history, names, contracts, actors }: PrintedHistory): readonly string[] {
  const mentioned = new Set<string>();
  const visit = (value: StepValue): void => {
    if (typeof value === 'string') mentioned.add(value);
    else if (typeof value === 'object') Object.values(value).forEach(visit);
  };
  for (const step of history) {
    if (step.kind === 'call') {
      visit(step.from);
      visit(step.to);
    }
    if ('arguments' in step) step.arguments.forEach(visit);
  }
  const declared = (addresses: readonly string[], method: string): readonly string[] =>
    addresses.flatMap((address, at) =>
      mentioned.has(address) ? [`  const ${names.get(address)} = run.${method}(${at});`] : [],
    );
  // A repaired class has another hash, and its contracts have other addresses.
  return [...declared(contracts, 'contract'), ...declared(actors, 'actor')];
}

function stepLine(
  step: Step,
  at: number,
  { failures, names, history, invariant }: PrintedHistory,
): string {
  const code = (value: StepValue): string => valueCode(value, names);
  const listValues = (values: readonly StepValue[]): string =>
    values.length === 0 ? '' : `, [${values.map(code).join(', ')}]`;
  // The last step of a history without an invariant is the violation; any other may fail, as in the search.
  const mustReturn = invariant === undefined && at === history.length - 1;
  const reason = mustReturn ? undefined : failures.get(at);
  const end = reason === undefined ? ';' : `; // fails: ${oneLine(reason)}`;
  switch (step.kind) {
    case 'call': {
      const method = mustReturn ? 'send' : 'attempt';
      return `await run.${method}(${code(step.from)}, ${code(step.to)}, ${quote(step.function)}${listValues(step.arguments)})${end}`;
    }
    case 'action':
      return `await run.act(${quote(step.name)}${listValues(step.arguments)})${end}`;
    case 'time':
      return `run.increaseTime(${step.seconds});`;
    case 'block':
      return 'await run.mine();';
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 80);

function lastLine({ invariant }: PrintedHistory): readonly string[] {
  return invariant === undefined ? [] : [`  await run.check(${quote(invariant)});`];
}
