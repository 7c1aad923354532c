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
