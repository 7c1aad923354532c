// WebSocket clients that are careless or hostile: byte by byte, reading only on demand.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export const TEXT = 0x1;
export const BINARY = 0x2;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export interface FrameOptions {
  readonly opcode?: number;
  /** Whether it is the last frame of its message. */
  readonly isLast?: boolean;
  /** Clients have to. */
  readonly isMasked?: boolean;
  /** Bits that only extensions may set. */
  readonly reserved?: number;
  /** What the header says, whatever comes after it. */
  readonly length?: number;
}

/** A frame, right or wrong. */
export function frame(payload: string | Buffer, options: FrameOptions = {}): Buffer {
  const { opcode = TEXT, isLast = true, isMasked = true, reserved = 0 } = options;
  const data = Buffer.from(payload);
  const { length = data.length } = options;
  const first = (isLast ? 0x80 : 0) | reserved | opcode;
  const flag = isMasked ? 0x80 : 0;
  let header: Buffer;
  if (length < 126) {
    header = Buffer.from([first, flag | length]);
  } else if (length < 2 ** 16) {
    header = Buffer.from([first, flag | 126, 0, 0]);
    header.writeUInt16BE(length, 2);
  } else {
    header = Buffer.from([first, flag | 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    header.writeBigUInt64BE(BigInt(length), 2);
  }
  // Zeros change nothing.
  return Buffer.concat([header, Buffer.alloc(isMasked ? 4 : 0), data]);
}

/** The request that opens a WebSocket; more headers take the place of those of the same name. */
export function handshake(path = '/ws', changes: Readonly<Record<string, string>> = {}): string {
  const headers = {
    Host: 'localhost',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    ...changes,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** A connection that answers nothing by itself, not even pings. */
export class RawSocket {
  readonly socket: Socket;
  /** What came before the first frame. */
  head = '';
  readonly frames: Frame[] = [];
  /** What the messages say. */
  readonly texts: string[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #isOpen = false;
  #changed: () => void = () => {};

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      this.#read();
      this.#changed();
    });
    this.socket.on('close', () => this.#changed());
  }

  /** Connects, and sends something. */
  static async send(port: number, data: string | Buffer): Promise<RawSocket> {
    const raw = new RawSocket(port);
    await once(raw.socket, 'connect');
    raw.socket.write(data);
    return raw;
  }

  /** Connects as a WebSocket. */
  static async open(port: number): Promise<RawSocket> {
    const raw = await RawSocket.send(port, handshake());
    await raw.until(() => raw.#isOpen);
    return raw;
  }

  write(data: Buffer): void {
    this.socket.write(data);
  }

  /** Asks for something, without waiting for the answer. */
  call(id: number, method: string, params: object = {}): void {
    this.write(frame(JSON.stringify({ jsonrpc: '2.0', id, method, params })));
  }

  /** Waits until something is so, or until the connection is gone. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.socket.closed) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** The code and the reason that the other side gave for closing. */
  get goodbye(): readonly [number, string] | undefined {
    const payload = this.frames.find(({ opcode }) => opcode === CLOSE)?.payload;
    return payload && [payload.readUInt16BE(0), payload.toString('utf8', 2)];
  }

  /** Waits for the other side to say why it closes. */
  async closed(): Promise<readonly [number, string] | undefined> {
    await this.until(() => this.goodbye !== undefined);
    return this.goodbye;
  }

  #read(): void {
    if (!this.#isOpen) {
      const end = this.#rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.head = this.#rest.toString('latin1', 0, end);
      this.#isOpen = true;
      this.#rest = this.#rest.subarray(end + 4);
    }
    for (;;) {
      const first = firstFrame(this.#rest);
      if (!first) return;
      this.frames.push(first.frame);
      if (first.frame.opcode === TEXT) this.texts.push(first.frame.payload.toString('utf8'));
      this.#rest = this.#rest.subarray(first.length);
    }
  }
}

function firstFrame(data: Buffer): { frame: Frame; length: number } | undefined {
  if (data.length < 2) return undefined;
  const short = data.readUInt8(1);
  const begin = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (data.length < begin) return undefined;
  const length =
    short < 126 ? short : short === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
  if (data.length < begin + length) return undefined;
  const payload = data.subarray(begin, begin + length);
  return { frame: { opcode: data.readUInt8(0) & 0xf, payload }, length: begin + length };
}
