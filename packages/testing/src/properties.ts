// Public API of properties: invariants of histories, properties of values, comparison of two classes.

export type { DifferenceKind } from './properties/differential/comparison.js';
export {
  type Difference,
  type DifferentialOptions,
  type DifferentialReport,
  differential,
  type FunctionGas,
} from './properties/differential/differential.js';
export type { DifferentialSide } from './properties/differential/sides.js';
export type {
  History,
  Step,
  StepValue,
} from './properties/model/history.js';
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
} from './properties/model/options.js';
export { type PropertyOptions, property } from './properties/property.js';
export { openRun, type Run, type RunOptions } from './properties/run.js';
export {
  checkInvariants,
  defineInvariants,
  InvariantViolation,
} from './properties/runner/check.js';
export { type FuzzOutcome, fuzzFile } from './properties/runner/command.js';
export { arbitraryOf, type ValueOptions } from './properties/values/arbitrary.js';
