// Messages on stdin, one on a line, up to a length; longer ones are answered with an error.
import { Transform, type TransformCallback } from 'node:stream';

/** Bytes of the longest message. */
export const MAX_MESSAGE_LENGTH: number = 10 * 1024 * 1024;

/** Bytes at the ends of a message in which its id is looked for. */
const ENDS = 1024;
const ID = '(?<id>-?\\d{1,16}|"[^"\\\\]{0,200}")';
const VERSION = '"jsonrpc"\\s*:\\s*"2\\.0"';
/** Clients write the id as the first or the last member, beside the version. */
const ID_FIRST = new RegExp(`^\\s*\\{\\s*(?:${VERSION}\\s*,\\s*)?"id"\\s*:\\s*${ID}\\s*,`);
const ID_LAST = new RegExp(`"id"\\s*:\\s*${ID}\\s*(?:,\\s*${VERSION}\\s*)?\\}\\s*$`);

/** Passes lines on whole. The rest of a line that is too long is read and dropped. */
export class Messages extends Transform {
  readonly #onTooLong: (id: string | number | undefined) => void;
  #parts: Buffer[] = [];
  #length = 0;
  /** The first and the last bytes of a line that is too long. */
  #ends: { readonly first: Buffer; last: Buffer } | undefined;

  /** @param onTooLong called at the end of such a line; its id is undefined where none was found */
  constructor(onTooLong: (id: string | number | undefined) => void) {
    super();
    this.#onTooLong = onTooLong;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    let begin = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
      this.#add(chunk.subarray(begin, end + 1));
      this.#finish();
      begin = end + 1;
    }
    this.#add(chunk.subarray(begin));
    callback();
  }

  #add(part: Buffer): void {
    if (this.#ends) {
      this.#ends.last = Buffer.concat([this.#ends.last, part.subarray(-ENDS)]).subarray(-ENDS);
      return;
    }
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= MAX_MESSAGE_LENGTH) return;
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    // Copies: a part of the line would keep all of it in memory.
    this.#ends = {
      first: Buffer.from(line.subarray(0, ENDS)),
      last: Buffer.from(line.subarray(-ENDS)),
    };
  }

  #finish(): void {
    const [parts, ends] = [this.#parts, this.#ends];
    this.#parts = [];
    this.#length = 0;
    this.#ends = undefined;
    if (ends) this.#onTooLong(idIn(ends.first.toString(), ends.last.toString()));
    else this.push(Buffer.concat(parts));
  }
}

function idIn(first: string, last: string): string | number | undefined {
  const id = (ID_FIRST.exec(first) ?? ID_LAST.exec(last))?.groups?.['id'];
  if (id === undefined) return undefined;
  return id.startsWith('"') ? id.slice(1, -1) : Number(id);
}
