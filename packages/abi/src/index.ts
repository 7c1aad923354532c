// Public API: ABIs, calldata, events, traces, failures, names, felts, selectors and gas reports.

export { type Abi, type AbiEvent, type AbiFunction, type Parameter, readAbi } from './abi.js';
export { type Arguments, encodeArguments } from './arguments.js';
export { buildTree, type CallTree, type Frame } from './call-tree.js';
export type { Casm, Sierra } from './class-file.js';
export {
  type Decoded,
  type DecodedEvent,
  decodeEvent,
  decodeInputs,
  decodeOutputs,
  type FeltTexts,
  type NamedValue,
  valueText,
} from './decode.js';
export { explain, type Subject } from './explain/explain.js';
export type { Explanation } from './explain/explained.js';
export type { Sources } from './explain/view.js';
export { type Failure, readFailure } from './failure/reason.js';
export { canonicalFelt, decodeShortString, toFelt } from './felt.js';
export { GasReport } from './gas/report.js';
export { type Names, namesOf } from './names.js';
export { selectorOf } from './selector.js';
export type { ExecutionResult, TracedTransaction, TransactionTrace } from './trace.js';
export type { Bounds, Invoke } from './transactions/invoke.js';
export type { UserCall } from './transactions/multicall.js';
