// Public API of properties: invariants of histories, properties of values, comparison of two classes.
export type {
  ActionStep,
  BlockStep,
  CallStep,
  History,
  Step,
  StepValue,
  TimeStep,
} from './model.js';
export type {
  Action,
  CallArgument,
  CalledContract,
  CheckReport,
  DefinedInvariants,
  HistoryContext,
  Invariant,
  InvariantOptions,
  ReturnedValue,
  SearchOptions,
  Violation,
} from './options.js';
export { checkInvariants, defineInvariants, InvariantViolation } from './runner/check.js';
export { type FuzzOutcome, fuzzFile } from './runner/command.js';
export { openRun, type Run, type RunOptions } from './run.js';
export { arbitraryOf, type ValueOptions } from './values/arbitrary.js';
