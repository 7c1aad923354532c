// For Starkbox's own packages: not part of the public API, and any release may change it.

export type { EventField } from './abi.js';
export {
  constructorOf,
  type FunctionCodec,
  functionCodec,
  orderedArguments,
  signatureOf,
  wrongArgument,
} from './arguments.js';
export { classesIn, type Phase, senderOf } from './call-tree.js';
export { type ClassFile, NoClass, readClass, type SegmentLengths } from './class-file.js';
export { Coverage, type CoveragePage, coverageText } from './coverage.js';
export {
  blankDraft,
  type Draft,
  draftOfDecoded,
  type Encoded,
  encodeDraft,
  fitDraft,
  isFormable,
  MAX_ITEMS,
  variantDraft,
} from './draft.js';
export { excerptNote, excerptRows } from './explain/excerpt.js';
export type { FrameStack } from './explain/explain.js';
export type { SourceExcerpt, SourceLine } from './explain/explained.js';
export { type ExplainedTransaction, exactAmountText } from './explain/finding.js';
export { explanationOnTerminal } from './explain/terminal-text.js';
export { treeLines } from './explain/tree-text.js';
export { View } from './explain/view.js';
export { panicText } from './failure/panic.js';
export { reasonOfError } from './failure/reason.js';
export {
  type Baseline,
  baselineOf,
  type GasChange,
  gasChanges,
  isBeyond,
  readBaseline,
} from './gas/baseline.js';
export { RESOURCES, withCounts } from './gas/counts.js';
export { collapseStacks, flameSvg } from './gas/flame.js';
export { type FunctionCost, FunctionCosts, functionsOf } from './gas/functions.js';
export { type Box, depthOf, layOut } from './gas/layout.js';
export type { GasPage, GasRow, RowNames } from './gas/report.js';
export { GasSum, type Grouping, keyOf } from './gas/sum.js';
export { gasText, resourceName } from './gas/text.js';
export {
  ALL,
  type CalledFunction,
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
export {
  classNameOf,
  commonFunctions,
  contractName,
  distinctNames,
  ETH_ADDRESS,
  FIXTURE_NAMES,
  type GivenNames,
  nameInAbi,
  nameOfClass,
  type ReservedNames,
  STRK_ADDRESS,
} from './names.js';
export { addressOf, feltOf, InvalidInput, type Resolve } from './scalar.js';
export { starknetKeccak } from './selector.js';
export { inputsOf, rangeOf, type Shape, shapeOf, typeShape } from './shape.js';
export { type FoundSlot, type HashCache, type KeyWords, SlotSearch } from './storage/search.js';
export {
  decodeScalar,
  decodeSlot,
  isAddressType,
  keyText,
  plainFeltText,
  type SlotKey,
  type SlotName,
  slotPartText,
  slotText,
} from './storage/slot-name.js';
export type { Cell, KeyUnit, StorageType } from './storage/storage-type.js';
export {
  decodeStored,
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
  type ClassVariables,
  type StorageHashes,
  type Variable,
  variablesOf,
} from './storage/variables.js';
export type { Invocation } from './trace.js';
export { deployCall, UDC } from './transactions/deployment.js';
export {
  type Bound,
  boundsFrom,
  type Fee,
  invokeOf,
  mostFee,
  NO_BOUNDS,
} from './transactions/invoke.js';
export { callFormatOf, executeCalldata, readMulticall } from './transactions/multicall.js';
export { readTypeName, shortType } from './type-name.js';
export { draftOfText } from './typed-text.js';
export { visibleName } from './visible-name.js';
