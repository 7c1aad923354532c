// Compressed JSON texts of the transactions in closed blocks. The texts of a mint have 6.0 kB
// and take 1.6 kB deflated; with a dictionary of the parts that all transactions share, a transfer takes 0.5 kB.
// Data directories and images store the same bytes.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ERRORS } from '@starkbox/spec';
import { RpcError, reasonOf } from '../../errors.js';
import { list, string } from '../../json/reader.js';

/** Stored parts of a transaction besides its hash; the strings are JSON texts. */
export interface TransactionTexts {
  /** As on the wire, without hash and proof. */
  readonly transaction: string;
  readonly proofFacts: readonly string[] | undefined;
  /** Without finality and block, which are added when it is read. */
  readonly receipt: string;
  readonly trace: string;
}

/** The texts of a block's transactions in chunks that are decompressed separately. */
export type PackedTexts = readonly TextChunk[];

// Order of the parts of each transaction in a chunk.
const [TRANSACTION, PROOF_FACTS, RECEIPT, TRACE, PARTS] = [0, 1, 2, 3, 4] as const;
export const TEXTS_OF_TRANSACTION: number = PARTS;

/** Approximate limit of the characters that are decompressed to read one transaction. */
const CHUNK_CHARACTERS = 32 * 1024;

const NO_TEXTS: PackedTexts = Object.freeze([]);

export function packTexts(transactions: readonly TransactionTexts[]): PackedTexts {
  if (transactions.length === 0) return NO_TEXTS;
  const pieces: TextChunk[] = [];
  let parts: string[] = [];
  let length = 0;
  for (const { transaction, proofFacts, receipt, trace } of transactions) {
    const added = [transaction, proofFacts ? JSON.stringify(proofFacts) : '', receipt, trace];
    const addedLength = lengthOf(added);
    if (length > 0 && length + addedLength > CHUNK_CHARACTERS) {
      pieces.push(TextChunk.keep(parts));
      parts = [];
      length = 0;
    }
    parts.push(...added);
    length += addedLength;
  }
  pieces.push(TextChunk.keep(parts));
  return Object.freeze(pieces);
}

/** Texts from chunks that were read from a record. */
export function packedTextsFrom(pieces: PackedTexts): PackedTexts {
  return pieces.length === 0 ? NO_TEXTS : Object.freeze(pieces);
}

/** The texts of one transaction; decompresses its chunk only. */
export function textsAt(body: PackedTexts, index: number): TransactionTexts | undefined {
  if (index < 0) return undefined;
  let before = 0;
  for (const piece of body) {
    const size = piece.size / PARTS;
    if (index < before + size) return transactionIn(piece, (index - before) * PARTS);
    before += size;
  }
  return undefined;
}

export function allTexts(body: PackedTexts): readonly TransactionTexts[] {
  return [...eachText(body)];
}

/** The texts of one transaction after another; holds one decompressed chunk at a time. */
export function* eachText(body: PackedTexts): Generator<TransactionTexts, void, undefined> {
  for (const piece of body) {
    for (let start = 0; start < piece.size; start += PARTS) yield transactionIn(piece, start);
  }
}

/** The receipts only, for event searches. */
export function receiptsOf(body: PackedTexts): readonly string[] {
  return body.flatMap((piece) =>
    Array.from({ length: piece.size / PARTS }, (_, index) => piece.part(index * PARTS + RECEIPT)),
  );
}

function transactionIn(piece: TextChunk, start: number): TransactionTexts {
  const facts = piece.part(start + PROOF_FACTS);
  return {
    transaction: piece.part(start + TRANSACTION),
    proofFacts:
      facts === '' ? undefined : Object.freeze(list(JSON.parse(facts), 'proof facts', string)),
    receipt: piece.part(start + RECEIPT),
    trace: piece.part(start + TRACE),
  };
}

const lengthOf = (parts: readonly string[]): number =>
  parts.reduce((sum, part) => sum + part.length, 0);

/** Separator of parts; JSON escapes this character, so no part contains it. */
const END = '\0';

/** Immutable JSON texts that are compressed some time after their creation. */
export class TextChunk {
  /** Number of texts. */
  readonly size: number;
  /**
   * The parts, or the compressed bytes as a latin1 string. A separate buffer takes 160 bytes more;
   * a slice of a shared buffer takes 100 bytes more and retains the whole buffer.
   */
  #content: readonly string[] | string;

  /** @param content the parts, or the result of `packed` for `size` parts */
  constructor(content: readonly string[] | string, size: number = content.length) {
    this.size = size;
    this.#content = content;
  }

  /** Adds the texts to the compression queue. */
  static keep(parts: readonly string[]): TextChunk {
    const texts = new TextChunk(parts);
    compressionQueue.add(texts, lengthOf(parts));
    return texts;
  }

  /** Compressed size in bytes; `undefined` before compression. */
  get packedSize(): number | undefined {
    return typeof this.#content === 'string' ? this.#content.length : undefined;
  }

  part(index: number): string {
    const part =
      typeof this.#content === 'string'
        ? unpackChunk(this, this.#content).part(index)
        : this.#content[index];
    if (part === undefined) throw damagedError(`there is no part ${index} of ${this.size}`);
    return part;
  }

  /** The compressed bytes as a latin1 string; compresses the texts if necessary. */
  pack(): string {
    if (typeof this.#content !== 'string') this.#content = pack(this.#content.join(END));
    return this.#content;
  }
}

// Compressing a transfer takes about 50 µs. Asynchronous zlib costs this thread at least as much,
// for the stream and the callback of every job. So texts are compressed on this thread in a later
// turn of the event loop, which does not delay the response to the transaction.

/** This many characters stay uncompressed: new blocks are read or reverted most often. */
const UNPACKED_CHARACTERS = 256 * 1024;
/** Limit of the queue; beyond it, texts are compressed synchronously. */
const MAX_WAITING_CHARACTERS = 4 * 1024 * 1024;
/** Compressed in one turn of the event loop, which takes about a millisecond. */
const CHARACTERS_PER_TURN = 64 * 1024;

/** Queue of texts to compress, oldest first; one for all chains of a process. */
class CompressionQueue {
  readonly #waiting = new Map<TextChunk, number>();
  #characters = 0;
  #isDue = false;

  get figures(): { readonly texts: number; readonly characters: number } {
    return { texts: this.#waiting.size, characters: this.#characters };
  }

  add(texts: TextChunk, length: number): void {
    this.#waiting.set(texts, length);
    this.#characters += length;
    this.#packDownTo(MAX_WAITING_CHARACTERS);
    if (this.#characters > UNPACKED_CHARACTERS && !this.#isDue) this.#schedule();
  }

  drain(): void {
    this.#packDownTo(0);
  }

  #schedule(): void {
    this.#isDue = true;
    const turn = setImmediate(() => {
      this.#isDue = false;
      this.#packDownTo(Math.max(UNPACKED_CHARACTERS, this.#characters - CHARACTERS_PER_TURN));
      if (this.#characters > UNPACKED_CHARACTERS) this.#schedule();
    });
    // Compression must not keep the process alive.
    turn.unref();
  }

  #packDownTo(characters: number): void {
    for (const [texts, length] of this.#waiting) {
      if (this.#characters <= characters) return;
      this.#waiting.delete(texts);
      this.#characters -= length;
      texts.pack();
    }
  }
}

const compressionQueue = new CompressionQueue();

/** Size of the compression queue of this process. */
export function packing(): { readonly texts: number; readonly characters: number } {
  return compressionQueue.figures;
}

/** Drains the compression queue, for measurements and tests. */
export function packNow(): void {
  compressionQueue.drain();
}

class Unpacked {
  readonly #bytes: Buffer;
  /** Start of each part, and the start that a part after the last one would have. */
  readonly #starts: readonly number[];

  /** Throws if there are more than `size` parts: a few kilobytes can unpack to millions of separators. */
  constructor(bytes: Buffer, size: number) {
    const starts = [0];
    for (let end = bytes.indexOf(END); end >= 0; end = bytes.indexOf(END, end + 1)) {
      if (starts.length === size) throw new Error(`there are more than ${size} parts`);
      starts.push(end + 1);
    }
    starts.push(bytes.length + 1);
    this.#bytes = bytes;
    this.#starts = starts;
  }

  part(index: number): string | undefined {
    const [start, next] = [this.#starts[index], this.#starts[index + 1]];
    if (start === undefined || next === undefined) return undefined;
    return this.#bytes.toString('utf8', start, next - 1);
  }
}

/** Cache of one entry: parts of the same chunk are usually read in sequence. */
let recent: { readonly texts: TextChunk; readonly unpacked: Unpacked } | undefined;

function unpackChunk(texts: TextChunk, packed: string): Unpacked {
  if (recent?.texts === texts) return recent.unpacked;
  try {
    recent = { texts, unpacked: new Unpacked(unpack(packed), texts.size) };
    return recent.unpacked;
  } catch (error) {
    throw damagedError(reasonOf(error));
  }
}

/** Texts in memory cannot be damaged, so the texts are from a data directory or an image. */
function damagedError(reason: string): RpcError {
  return new RpcError(
    ERRORS.INTERNAL_ERROR.code,
    `A stored block is damaged and cannot be unpacked (${reason}). Restore the data directory, or the image that the chain came from, from a copy.`,
  );
}

/** First byte of compressed texts; it identifies the dictionary and the settings. */
const FORMAT = 1;

// Level 3 compresses a transfer to 510 bytes; level 6 to 480 bytes in up to twice the time. A
// window smaller than zlib's default is faster to set up; the dictionary and a transfer fit into it.
const SETTINGS = { level: 3, windowBits: 14, memLevel: 6, chunkSize: 2048 } as const;

function pack(text: string): string {
  const bytes = deflateRawSync(Buffer.from(text), { ...SETTINGS, dictionary: DICTIONARY });
  return Buffer.concat([Buffer.of(FORMAT), bytes]).toString('latin1');
}

/** Other compressors, such as in browsers, refer farther back than ours. */
const LARGEST_WINDOW = 15;

/** Limit in bytes against decompression bombs. */
const MAX_UNPACKED = 256 << 20;

function unpack(packed: string): Buffer {
  const bytes = Buffer.from(packed, 'latin1');
  if (bytes[0] !== FORMAT) throw new Error('unknown compression format');
  return inflateRawSync(bytes.subarray(1), {
    windowBits: LARGEST_WINDOW,
    dictionary: DICTIONARY,
    maxOutputLength: MAX_UNPACKED,
  });
}

// Repeated substrings, rare ones first: references to the end of the dictionary take fewer bits.
// The dictionary is part of the format; every change needs a new FORMAT.
const STRK = '"0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d"';
const ETH = '"0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"';
const UDC = '"0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125"';
const ETH_CLASS = '"0xb45dbc3714180381c5680e41931172d67194d77d504413465390e0bef194ec"';
const STRK_CLASS = '"0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc"';
const ACCOUNT_CLASS = '"0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564"';
const VALIDATE = '"0x162da33a4585851fe8d3af3c2a9c60b557814e221e0d4f30ff0b2189d9c7775"';
const EXECUTE = '"0x15d40a3d6ca2ac30f4031e42be28da9b056fef9bb7357ac5e85627ee876e5ad"';
const DEPLOY = '"0x1987cbd17808b9a23693d4de7e246a443cfe37e6e7fbaeabd7d7e6532b07c3d"';
const APPROVE = '"0x219209e083275171774dab1df80982e9df2096516f06319c5c6d71ae0a8480c"';
const TRANSFER = '"0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e"';
const TRANSFERRED = '"0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9"';
const CALLED = '"entry_point_type":"EXTERNAL","call_type":"CALL","result":["0x';
const USED = '"messages":[],"execution_resources":{"l1_gas":0,"l2_gas":';
const SUCCEEDED = '},"is_reverted":false}';
const PAID = `"keys":[${TRANSFERRED},"0x","0x1000"],"data":["0x","0x0"]}]`;

const DICTIONARY = Buffer.from(
  [
    '"revert_reason":"Error at pc=0:Entry point EntryPointSelector not found in contract."}',
    '"execution_status":"REVERTED","revert_reason":"Transaction execution has failed:\\n0: Error in ',
    'the called contract (contract address: 0x, class hash: 0x, selector: 0x):\\nExecution failed. ',
    "Failure reason:\\n(0x ('argent/multicall-failed'), 0x0 (''), 0x ('u256_sub Overflow'), 0x ",
    '(\'ENTRYPOINT_FAILED\'), \\"ERC20: insufficient balance\\").\\n',
    '"message_hash":"0x","type":"L1_HANDLER","function_invocation":{"entry_point_type":"L1_HANDLER"',
    '"paid_fee_on_l1":"0x","l1_transaction_hash":null,"version":"0x0","constructor_invocation":{',
    '"entry_point_type":"CONSTRUCTOR","call_type":"DELEGATE","call_type":"LIBRARY_CALL"',
    '"type":"DEPLOY_ACCOUNT","contract_address_salt":"0x","constructor_calldata":["0x',
    '"type":"DECLARE","compiled_class_hash":"0x","class_hash":"0x"}],"messages_sent":[{"order":0,',
    '"from_address":"0x","to_address":"0x","payload":["0x","amount":"0x","unit":"WEI"},',
    '"deployed_contracts":[{"address":"0x","class_hash":"0x"}],"replaced_classes":[{"contract_address',
    `"declared_classes":[{"class_hash":${UDC},${DEPLOY},${APPROVE},${ETH_CLASS},${ETH}`,
    '"nonce":"0x","resource_bounds":{"l2_gas":{"max_amount":"0x","max_price_per_unit":"0x"},',
    '"l1_gas":{"max_amount":"0x","max_price_per_unit":"0x"},"l1_data_gas":{"max_amount":"0x"',
    '},"tip":"0x0","paymaster_data":[],"account_deployment_data":[],"nonce_data_availability_mode',
    '":"L1","fee_data_availability_mode":"L1"}',
    // A complete transfer.
    '{"type":"INVOKE","version":"0x3","tip":"0x0","paymaster_data":[],"nonce_data_availability_mode',
    '":"L1","fee_data_availability_mode":"L1","resource_bounds":{"l1_gas":{"max_amount":"0x",',
    '"max_price_per_unit":"0x"},"l1_data_gas":{"max_amount":"0x","max_price_per_unit":"0x"},',
    '"l2_gas":{"max_amount":"0x","max_price_per_unit":"0x"}},"sender_address":"0x","calldata":',
    `["0x1",${STRK},${TRANSFER},"0x3","0x","0x","0x0"],"account_deployment_data":[],"nonce":"0x`,
    `","signature":["0x","0x"]}${END}${END}`,
    '{"type":"INVOKE","transaction_hash":"0x","actual_fee":{"amount":"0x","unit":"FRI"},',
    `"messages_sent":[],"events":[{"from_address":${STRK},"keys":[${TRANSFERRED},"0x","0x"],`,
    `"data":["0x","0x0"]},{"from_address":${STRK},${PAID},"execution_status":"SUCCEEDED",`,
    `"execution_resources":{"l1_gas":0,"l1_data_gas":192,"l2_gas":1}}${END}`,
    '{"type":"INVOKE","validate_invocation":{"contract_address":"0x","entry_point_selector":',
    `${VALIDATE},"calldata":["0x1",${STRK},${TRANSFER},"0x3","0x","0x","0x0"],"caller_address":`,
    `"0x0","class_hash":${ACCOUNT_CLASS},${CALLED}56414c4944"],"calls":[],"events":[],${USED}`,
    `320000${SUCCEEDED},"execute_invocation":{"contract_address":"0x","entry_point_selector":`,
    `${EXECUTE},"calldata":["0x1",${STRK},${TRANSFER},"0x3","0x","0x","0x0"],"caller_address":`,
    `"0x0","class_hash":${ACCOUNT_CLASS},${CALLED}1","0x1","0x1"],"calls":[{"contract_address":`,
    `${STRK},"entry_point_selector":${TRANSFER},"calldata":["0x","0x","0x0"],"caller_address":"0x`,
    `","class_hash":${STRK_CLASS},${CALLED}1"],"calls":[],"events":[{"order":0,"keys":[`,
    `${TRANSFERRED},"0x","0x"],"data":["0x","0x0"]}],${USED}440960${SUCCEEDED}],"events":[],${USED}`,
    `680960${SUCCEEDED},"fee_transfer_invocation":{"contract_address":${STRK},`,
    `"entry_point_selector":${TRANSFER},"calldata":["0x1000","0x","0x0"],"caller_address":"0x",`,
    `"class_hash":${STRK_CLASS},${CALLED}1"],"calls":[],"events":[{"order":0,${PAID},${USED}453960`,
    `${SUCCEEDED},"state_diff":{"storage_diffs":[{"address":${STRK},"storage_entries":[{"key":"0x`,
    '","value":"0x"},{"key":"0x","value":"0x"},{"key":',
    '"0x723973208639b7839ce298f7ffea61e3f9533872defd7abdb91023db4658812","value":"0x"}]}],"nonces":',
    '[{"contract_address":"0x","nonce":"0x"}],"deployed_contracts":[],"replaced_classes":[],',
    '"declared_classes":[],"deprecated_declared_classes":[]},"execution_resources":{"l1_gas":0,',
    '"l1_data_gas":192,"l2_gas":1',
  ].join(''),
);
