// Parser of revert reasons: the path of calls to the failure, and the panic message.

export interface FailedFrame {
  readonly contract: string;
  readonly classHash: string;
  readonly selector: string;
}

export interface Failure {
  /** From the outermost call to the one that failed; empty if the text names none. */
  readonly path: readonly FailedFrame[];
  /** The panic message, or the last line of the text. */
  readonly message: string;
}

const FRAME =
  /^(?:\d+: )?Error in (?:the called contract|contract|a library call|the contract class constructor) \(contract address: (0x[0-9a-f]+), class hash: (0x[0-9a-f]+), selector: (0x[0-9a-f]+|UNKNOWN)\)/gim;
const PANIC_FELT = /0x[0-9a-f]{1,64} \('(.{0,31}?)'\)/gi;
/** A list of felts in quotes, as an estimate adds it, is no text. */
const TEXT_PANIC = /"(?!0x[0-9a-f]+")((?:[^"\\]|\\.)*)"/i;
/** Panic data that a caller adds when its callee fails. */
const ECHOES = new Set(['ENTRYPOINT_FAILED']);
const LONGEST_REASON = 200_000;
/** The message follows the last frame directly. */
const LONGEST_MESSAGE = 4_000;

const short = (felt: string): string => felt.toLowerCase().replace(/^0x0+(?=.)/, '0x');

/** Reads the revert reason of a transaction, as the protocol writes it. */
export function readFailure(reason: string): Failure {
  const text = reason.slice(0, LONGEST_REASON);
  const path: FailedFrame[] = [];
  let end = 0;
  for (const match of text.matchAll(FRAME)) {
    const [whole, contract = '', classHash = '', selector = ''] = match;
    end = match.index + whole.length;
    const frame = {
      contract: short(contract),
      classHash: short(classHash),
      selector: short(selector),
    };
    const last = path.at(-1);
    // The account appears twice: as the called contract and as the failed one.
    if (last?.contract === frame.contract && last.selector === frame.selector && path.length === 1)
      continue;
    path.push(frame);
  }
  return { path, message: messageIn(text.slice(end, end + LONGEST_MESSAGE)) };
}

function messageIn(tail: string): string {
  const text = TEXT_PANIC.exec(tail)?.[1];
  if (text !== undefined && text !== '') return text;
  const felts = [...tail.matchAll(PANIC_FELT)].map((match) => match[1] ?? '');
  const words = felts.filter((word) => word !== '' && !ECHOES.has(word));
  if (words.length > 0) return words.join(', ');
  const lines = tail
    .replace(/^[):\s]+/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) =>
        line !== '' &&
        !/^(Execution failed|Transaction execution|Error at pc|Cairo traceback|Unknown location)/.test(
          line,
        ),
    );
  return (lines.at(-1) ?? tail.trim()).replace(/[.\s]+$/, '');
}
