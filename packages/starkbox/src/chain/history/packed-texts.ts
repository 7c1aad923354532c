// Compressed JSON texts of the transactions in closed blocks.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { RpcError, reasonOf } from '../../errors.js';
import { ERRORS } from '../../spec.js';

/** What is kept of a transaction beside its hash, as JSON text where it says text. */
export interface TransactionTexts {
  /** The transaction on the wire, without its hash and its proof. */
  readonly transaction: string;
  readonly proofFacts: readonly string[] | undefined;
  /** The receipt without what only the chain knows: finality and block. */
  readonly receipt: string;
  readonly trace: string;
}

/** The texts of a block's transactions, in pieces that are unpacked one at a time. */
export type PackedTexts = readonly TextChunk[];

// What one piece holds of each transaction, in this order.
const [TRANSACTION, PROOF_FACTS, RECEIPT, TRACE, PARTS] = [0, 1, 2, 3, 4] as const;
export const TEXTS_OF_TRANSACTION: number = PARTS;

/** Reading one transaction of a large block unpacks no more than about this many characters. */
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

/** A body from texts that another had. */
export function packedTextsFrom(pieces: PackedTexts): PackedTexts {
  return pieces.length === 0 ? NO_TEXTS : Object.freeze(pieces);
}

/** The texts of one transaction; unpacks the piece it stands in. */
export function textsAt(body: PackedTexts, index: number): TransactionTexts | undefined {
  if (index < 0) return undefined;
  let before = 0;
  for (const piece of body) {
    const held = piece.size / PARTS;
    if (index < before + held) return transactionIn(piece, (index - before) * PARTS);
    before += held;
  }
  return undefined;
}

export function allTexts(body: PackedTexts): readonly TransactionTexts[] {
  return body.flatMap((piece) =>
    Array.from({ length: piece.size / PARTS }, (_, index) => transactionIn(piece, index * PARTS)),
  );
}

/** The receipts alone: what a search for events reads. */
export function receiptsOf(body: PackedTexts): readonly string[] {
  return body.flatMap((piece) =>
    Array.from({ length: piece.size / PARTS }, (_, index) => piece.part(index * PARTS + RECEIPT)),
  );
}

function transactionIn(piece: TextChunk, start: number): TransactionTexts {
  const facts = piece.part(start + PROOF_FACTS);
  return {
    transaction: piece.part(start + TRANSACTION),
    proofFacts: facts === '' ? undefined : Object.freeze<string[]>(JSON.parse(facts)),
    receipt: piece.part(start + RECEIPT),
    trace: piece.part(start + TRACE),
  };
}

const lengthOf = (parts: readonly string[]): number =>
  parts.reduce((sum, part) => sum + part.length, 0);

/** JSON has to escape it wherever it occurs, so it never stands inside a part. */
const END = '\0';

/** Some JSON texts that never change, though the form in which they are held does. */
export class TextChunk {
  /** How many there are. */
  readonly size: number;
  /**
   * The parts, or all of them packed. Packed bytes are held as a string of bytes: a buffer of its own
   * would weigh 160 bytes more, a slice of a common one 100, and it would keep all of that alive.
   */
  #content: readonly string[] | string;

  /** @param content the parts, or what `packed` made of as many as `size` */
  constructor(content: readonly string[] | string, size: number = content.length) {
    this.size = size;
    this.#content = content;
  }

  /** Texts that are packed in a while. */
  static keep(parts: readonly string[]): TextChunk {
    const texts = new TextChunk(parts);
    backlog.add(texts, lengthOf(parts));
    return texts;
  }

  /** How many bytes they take; `undefined` until they are packed. */
  get packedSize(): number | undefined {
    return typeof this.#content === 'string' ? this.#content.length : undefined;
  }

  part(index: number): string {
    const part =
      typeof this.#content === 'string'
        ? unpacked(this, this.#content).part(index)
        : this.#content[index];
    if (part === undefined) throw damaged(`there is no part ${index} of ${this.size}`);
    return part;
  }

  /** All of them in a string of bytes; that is also how they are held from now on. */
  packed(): string {
    if (typeof this.#content !== 'string') this.#content = pack(this.#content.join(END));
    return this.#content;
  }
}

// Packing takes about 50 µs for a transfer. Leaving it to zlib's threads costs this thread as much or
// more, because of the stream and the callback that every job needs. So it is done here, in a later
// turn of the event loop, when the answer to the transaction is on its way.

/** As many characters as this wait unpacked for ever: new blocks are read most, or reverted at once. */
const UNPACKED_CHARACTERS = 256 * 1024;
/** With more than this waiting, no more is put off: whoever adds also packs. */
const MOST_WAITING_CHARACTERS = 4 * 1024 * 1024;
/** Packed in one turn of the event loop, within a millisecond or so. */
const CHARACTERS_PER_TURN = 64 * 1024;

/** The texts that wait to be packed, oldest first; one queue for all the chains of a process. */
class Backlog {
  readonly #waiting = new Map<TextChunk, number>();
  #characters = 0;
  #isDue = false;

  get figures(): { readonly texts: number; readonly characters: number } {
    return { texts: this.#waiting.size, characters: this.#characters };
  }

  add(texts: TextChunk, length: number): void {
    this.#waiting.set(texts, length);
    this.#characters += length;
    this.#packDownTo(MOST_WAITING_CHARACTERS);
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
    // Nobody would read the result of packing that kept a process from ending.
    turn.unref();
  }

  #packDownTo(characters: number): void {
    for (const [texts, length] of this.#waiting) {
      if (this.#characters <= characters) return;
      this.#waiting.delete(texts);
      this.#characters -= length;
      texts.packed();
    }
  }
}

const backlog = new Backlog();

/** What waits to be packed in this process. */
export function packing(): { readonly texts: number; readonly characters: number } {
  return backlog.figures;
}

/** Packs everything that waits: for measurements and tests. */
export function packNow(): void {
  backlog.drain();
}

class Unpacked {
  readonly #bytes: Buffer;
  /** Where each part begins; and, as if there were one more, where the last one ends. */
  readonly #starts: readonly number[];

  constructor(bytes: Buffer) {
    const starts = [0];
    for (let end = bytes.indexOf(END); end >= 0; end = bytes.indexOf(END, end + 1)) {
      starts.push(end + 1);
    }
    this.#bytes = bytes;
    this.#starts = [...starts, bytes.length + 1];
  }

  part(index: number): string | undefined {
    const [start, next] = [this.#starts[index], this.#starts[index + 1]];
    if (start === undefined || next === undefined) return undefined;
    return this.#bytes.toString('utf8', start, next - 1);
  }
}

let recent: { readonly texts: TextChunk; readonly unpacked: Unpacked } | undefined;

/** Whoever reads a part of some texts mostly reads another next. */
function unpacked(texts: TextChunk, packed: string): Unpacked {
  if (recent?.texts === texts) return recent.unpacked;
  try {
    recent = { texts, unpacked: new Unpacked(unpack(packed)) };
    return recent.unpacked;
  } catch (error) {
    throw damaged(reasonOf(error));
  }
}

/** Texts in memory are whole, so these came from a file. */
function damaged(reason: string): RpcError {
  return new RpcError(
    ERRORS.INTERNAL_ERROR.code,
    `A block is damaged where it is kept: its texts cannot be unpacked (${reason}). Put the data directory, or the image that the chain came from, back from a copy.`,
  );
}

/** The first byte says how the rest was packed: texts may outlive the dictionary that is best today. */
const FORMAT = 1;

// Level 3 packs a transfer into 510 bytes, level 6 into 480 in up to twice the time. A smaller window
// than zlib's own is prepared faster; dictionary and transfer fit into it. Results are mostly short.
const SETTINGS = { level: 3, windowBits: 14, memLevel: 6, chunkSize: 2048 } as const;

function pack(text: string): string {
  const bytes = deflateRawSync(Buffer.from(text), { ...SETTINGS, dictionary: DICTIONARY });
  return Buffer.concat([Buffer.of(FORMAT), bytes]).toString('latin1');
}

/** Bytes; only texts that were made to fill the memory are longer. */
const MOST_UNPACKED = 256 << 20;

function unpack(packed: string): Buffer {
  const bytes = Buffer.from(packed, 'latin1');
  if (bytes[0] !== FORMAT) throw new Error('texts were packed in an unknown format');
  const { windowBits } = SETTINGS;
  return inflateRawSync(bytes.subarray(1), {
    windowBits,
    dictionary: DICTIONARY,
    maxOutputLength: MOST_UNPACKED,
  });
}

// The words that these texts repeat, rare ones first: the nearer to the end, the fewer bits a reference
// takes. The dictionary is part of the format; another one needs another FORMAT.
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
    // A transfer from its first byte to its last.
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
