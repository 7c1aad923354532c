// Knows how to read the protocol's account of a failed execution: the way to the failing frame, and its last words.

export interface FailedFrame {
  readonly contract: string;
  readonly classHash: string;
  readonly selector: string;
}

export interface Failure {
  /** From the outermost call to the one that failed; empty if the text names none. */
  readonly path: readonly FailedFrame[];
  /** What the failing code said, in words where it is words. */
  readonly message: string;
}

const FRAME =
  /^(?:\d+: )?Error in (?:the called contract|contract|a library call|the contract class constructor) \(contract address: (0x[0-9a-f]+), class hash: (0x[0-9a-f]+), selector: (0x[0-9a-f]+|UNKNOWN)\)/gim;
const PANIC_FELT = /0x[0-9a-f]{1,64} \('(.{0,31}?)'\)/gi;
const TEXT_PANIC = /"((?:[^"\\]|\\.)*)"/;
/** Frames a caller adds when the call that it made fails. */
const ECHOES = new Set(['ENTRYPOINT_FAILED']);
const MOST_LETTERS = 200_000;
/** The last words follow the last frame at once. */
const MOST_LAST_WORDS = 4_000;

const short = (felt: string): string => felt.toLowerCase().replace(/^0x0+(?=.)/, '0x');

export function readFailure(reason: string): Failure {
  const text = reason.slice(0, MOST_LETTERS);
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
    // The account is named twice: as what was called, and as what failed.
    if (last?.contract === frame.contract && last.selector === frame.selector && path.length === 1)
      continue;
    path.push(frame);
  }
  return { path, message: lastWords(text.slice(end, end + MOST_LAST_WORDS)) };
}

function lastWords(tail: string): string {
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
