// Parser of revert reasons: the path of calls to the failure, the panic data and the message.
import { selectorOf } from '../selector.js';
import { type Panic, panicIn } from './panic.js';

export interface FailedFrame {
  readonly kind: 'call' | 'library_call' | 'constructor';
  readonly contract: string;
  readonly classHash: string;
  /** `unknown` where no entry point was reached. */
  readonly selector: string;
}

export interface Failure {
  /** From the outermost call to the one that failed; empty if the text names none. */
  readonly path: readonly FailedFrame[];
  /** The panic message, or the last line of the text. */
  readonly message: string;
  /** Undefined where the failure is no panic. */
  readonly panic: Panic | undefined;
}

const FRAME =
  /^(\d+: )?Error in (the called contract|contract|a library call|the contract class constructor) \(contract address: (0x[0-9a-f]+), class hash: (0x[0-9a-f]+), selector: (0x[0-9a-f]+|UNKNOWN)\)/gim;
/** The end of a frame, with which a text begins whose beginning was left out, as in lists of transactions. */
const FRAME_END = /^.*selector: (?:0x[0-9a-f]+|UNKNOWN)\)/i;
/** Felts as a list, which an estimate adds to the text, and which is the whole text of a failed call. */
const FELT_LIST = /(?<!\s)\s*\[(?:"0x[0-9a-f]+",?)+\]\s*$/i;
const MAX_REASON_LENGTH = 200_000;
/** The message follows the last frame directly. */
const MAX_MESSAGE_LENGTH = 4_000;
const CONSTRUCTOR = selectorOf('constructor');
const VALIDATIONS: ReadonlySet<string> = new Set(
  ['__validate__', '__validate_declare__', '__validate_deploy__'].map(selectorOf),
);

const short = (felt: string): string => felt.toLowerCase().replace(/^0x0+(?=.)/, '0x');

/** Reads the revert reason of a transaction, as the protocol writes it. */
export function readFailure(reason: string): Failure {
  const text = reason.slice(0, MAX_REASON_LENGTH);
  const path: FailedFrame[] = [];
  let wasNumbered = false;
  let end = 0;
  for (const match of text.matchAll(FRAME)) {
    const [whole, number, words = '', contract = '', classHash = '', selector = ''] = match;
    end = match.index + whole.length;
    const last = path.at(-1);
    const location = {
      contract: short(contract),
      classHash: short(classHash),
      selector: short(selector),
    };
    const isRepeated =
      wasNumbered &&
      number === undefined &&
      last?.contract === location.contract &&
      last.selector === location.selector;
    wasNumbered = number !== undefined;
    // The innermost call of the engine is named again as the first frame of the panic.
    if (!isRepeated) path.push({ kind: kindOf(words, location, last), ...location });
  }
  const cut = path.length === 0 ? FRAME_END.exec(text) : null;
  if (cut) end = cut[0].length;
  const tail = text.slice(end, end + MAX_MESSAGE_LENGTH).replace(/^\):|^:\s*/, '');
  const panic = end > 0 || FELT_LIST.test(tail) ? panicOf(tail) : undefined;
  return { path, message: panic?.text ?? lastLine(tail), panic };
}

/** A panic names all its calls alike: the storage of the caller under another class is that of a library call. */
function kindOf(
  words: string,
  { contract, classHash, selector }: Omit<FailedFrame, 'kind'>,
  caller: FailedFrame | undefined,
): FailedFrame['kind'] {
  if (/constructor$/.test(words) || selector === CONSTRUCTOR) return 'constructor';
  const isLibrary = caller?.contract === contract && caller.classHash !== classHash;
  return /library/.test(words) || isLibrary ? 'library_call' : 'call';
}

function panicOf(tail: string): Panic | undefined {
  const listed = FELT_LIST.exec(tail);
  if (listed?.index === 0) return panicIn(`(${listed[0].replace(/[["\]\s]/g, '')})`);
  return panicIn(
    tail.slice(0, listed?.index).replace(/^\s*Execution failed\. Failure reason:/, ''),
  );
}

const NOT_A_MESSAGE =
  /^(Execution failed\.? Failure|Transaction (execution|validation) has|Contract constructor execution has|Error at pc|Cairo traceback|Unknown location)/;

function lastLine(tail: string): string {
  const lines = tail
    .replace(/^[):\s]+/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !NOT_A_MESSAGE.test(line));
  return (lines.at(-1) ?? tail.trim()).replace(/(?<![.\s])[.\s]+$/, '');
}

/** The nested error of a call or an estimate, as a text that {@link readFailure} reads. */
export function reasonOfError(error: unknown): string {
  const {
    contract_address,
    class_hash,
    selector,
    error: inner,
  }: Partial<Record<string, unknown>> = typeof error === 'object' && error !== null
    ? { ...error }
    : {};
  if (contract_address === undefined) return String(error);
  const rest = reasonOfError(inner);
  // The engine names the validation of an account twice.
  if (VALIDATIONS.has(String(selector)) && rest.includes(`selector: ${selector})`)) return rest;
  // An estimate repeats all frames in the text of the innermost one.
  if (/^Transaction (?:execution|validation) has failed/m.test(rest)) return rest;
  return `Error in the called contract (contract address: ${contract_address}, class hash: ${class_hash}, selector: ${selector}):\n${rest}`;
}
