// Public API: ABI reading, decoding and encoding, revert reasons, call trees, selectors, felts.

// ABIs.
export {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  type EventField,
  type Parameter,
  readAbi,
} from './abi.js';
export {
  type Arguments,
  constructorOf,
  encodeArguments,
  orderedArguments,
  type Signature,
  signatureOf,
  wrongArgument,
} from './arguments.js';
// Call trees, from a trace or a revert reason.
export {
  buildTree,
  type CallTree,
  classesIn,
  type Frame,
  type FrameEvent,
  type Phase,
  senderOf,
} from './call-tree.js';
// Classes from JSON.
export {
  type Casm,
  type ClassFile,
  NoClass,
  readClass,
  type SegmentLengths,
  type Sierra,
} from './class-file.js';
// Coverage by entry point and by line.
export {
  Coverage,
  type CoveragePage,
  type CoveredClass,
  type CoveredEntryPoint,
  coverageText,
} from './coverage.js';
// Decoding of calldata, results and events.
export {
  type Decoded,
  type DecodedEvent,
  decodeEvent,
  decodeInputs,
  decodeOutputs,
  type FeltTexts,
  type NamedValue as Named,
  valueText,
} from './decode.js';
// Values while they are typed into a form.
export {
  blankDraft,
  type Draft,
  draftOfDecoded,
  draftOfJson,
  type Encoded,
  encodeDraft,
  fitDraft,
  inputsOf,
  isFormable,
  MOST_ITEMS,
  variantDraft,
} from './draft.js';
export { draftOfText, encodeInput, firstError } from './encode.js';
// Explained failures.
export { type ExcerptRow, excerptNote, excerptRows } from './explain/excerpt.js';
export { explain, type FrameStack, type Subject } from './explain/explain.js';
export type {
  ExplainedArgument,
  ExplainedFrame,
  Explanation,
  PrintedText,
  SourceExcerpt,
  SourceLine,
} from './explain/explained.js';
export { type ExplainedTransaction, exactAmountText } from './explain/finding.js';
export {
  explanationOnTerminal,
  type PaintText,
  type TerminalTextOptions,
  type TextColour,
} from './explain/terminal-text.js';
export { sourceLineText, treeLines } from './explain/tree-text.js';
export { type Sources, View } from './explain/view.js';
// Revert reasons.
export { type Panic, panicText } from './failure/panic.js';
export { type FailedFrame, type Failure, readFailure, reasonOfError } from './failure/reason.js';
// Felts as text.
export { canonicalFelt, decodeShortString, shortAddress, shortHash, toFelt } from './felt.js';
// Cost of functions over many transactions.
export {
  type Baseline,
  baselineOf,
  type GasChange,
  gasChanges,
  isBeyond,
  readBaseline,
} from './gas/baseline.js';
export { COUNTED, type CountedFrame, withCounts } from './gas/counts.js';
export { collapsedStacks, flameSvg } from './gas/flame.js';
export { type FunctionCost, FunctionCosts, functionsOf } from './gas/functions.js';
export { type Box, depthOf, layOut as place } from './gas/layout.js';
export {
  type Cost,
  type GasPage,
  GasReport,
  type GasRow,
  type GasStack,
  type RowNames,
} from './gas/report.js';
export { GasSum, type Grouping, keyOf } from './gas/sum.js';
export { gasText, type ReportTextOptions, resourceName } from './gas/text.js';
export {
  ALL,
  type CalledFunction as Called,
  findBlock,
  type GasBlock,
  type GasTree,
  gasTree,
  MEASURE_NAMES,
  MEASURES,
  type Measure,
  OUTSIDE,
  wayTo,
} from './gas/tree.js';
// Names of contracts, classes and functions.
export {
  type ContractName,
  classLabel,
  classNameOf,
  commonFunctions,
  contractName,
  ETH_ADDRESS,
  FIXTURE_NAMES,
  type GivenNames,
  type Names,
  nameInAbi,
  namesOf,
  STRK_ADDRESS,
} from './names.js';
export { addressOf, feltOf, InvalidInput, PRIME, type Resolve } from './scalar.js';
export { selectorOf, starknetKeccak } from './selector.js';
// Structure and names of types.
export { countFields, MOST_FIELDS, type Shape, shapeOf } from './shape.js';
// Names of storage slots.
export {
  type FoundSlot,
  type HashCache,
  type KeyWords,
  type SearchTools,
  SlotSearch,
} from './storage/search.js';
export {
  decodeScalar,
  decodeSlot,
  isAddressType,
  type KeyTexts,
  keyText,
  plainFeltText,
  type SlotKey,
  type SlotName,
  type SlotStep,
  slotPartText,
  slotText,
} from './storage/slot-name.js';
export type { Cell, KeyUnit, SlotPart, StorageType, TypedField } from './storage/storage-type.js';
export {
  decodeStored,
  type EncodedValue,
  encodeStored,
  type FieldError,
  fieldId,
  fieldsOfValue,
  type ReadSlot,
  type SlotWrite,
  slotsOfValue,
  type ValueField,
  vectorLength,
} from './storage/stored-value.js';
export { type ValueLayout, withItems } from './storage/value-layout.js';
export {
  type JoinedSlots,
  joinSlots,
  type StoredValue,
  valueOfSlot,
} from './storage/value-parts.js';
export {
  type ClassFacts,
  type ClassVariables,
  type NameOrigin,
  type StorageHashes,
  type Variable,
  variablesOf,
} from './storage/variables.js';
// Tables and wrapped lines for terminals.
export {
  type Column,
  counted,
  fitted,
  grouped,
  shortenedMiddle,
  type Table,
  type TableOptions,
  table,
  textWidth,
  type Width,
  withShortHashes,
  wrapped,
} from './text-layout.js';
export type {
  ExecutionResult,
  Invocation,
  RevertedExecution,
  TracedTransaction,
  TransactionTrace,
} from './trace.js';
// Transactions of an account.
export { type Deployment, deployCall, UDC } from './transactions/deployment.js';
export {
  type Bound,
  type Bounds,
  boundsFrom,
  type Fee,
  type Invoke,
  invokeOf,
  mostFee,
  NO_BOUNDS,
} from './transactions/invoke.js';
export {
  type CallFormat,
  callFormatOf,
  executeCalldata,
  readMulticall,
  type UserCall,
} from './transactions/multicall.js';
export { readTypeName, shortType, type TypeName } from './type-name.js';
