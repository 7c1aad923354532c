// The functions of WASI that the engine is linked to: clocks, random numbers and messages. It has no files.

const SUCCESS = 0;
const BAD_FILE = 8;
const NOT_SUPPORTED = 58;
const STDERR = 2;
/** Clock of the time of day. The others count from any moment. */
const REALTIME = 0;

/** Thrown where the engine would end its process. */
export class EngineExit extends Error {
  override readonly name = 'EngineExit';
}

export class Wasi {
  readonly #memory: WebAssembly.Memory;
  #message = '';

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
  }

  /** The text that the engine wrote last, which is the message of a panic. */
  takeMessage(): string {
    const message = this.#message;
    this.#message = '';
    return message;
  }

  readonly wasiImport: Record<string, (...args: never[]) => number> = {
    random_get: (pointer: number, length: number): number => {
      // Browsers fill at most 65,536 bytes at once.
      for (let start = 0; start < length; start += 65_536) {
        const size = Math.min(65_536, length - start);
        const bytes = new Uint8Array(size);
        crypto.getRandomValues(bytes);
        new Uint8Array(this.#memory.buffer, pointer + start, size).set(bytes);
      }
      return SUCCESS;
    },
    clock_time_get: (clock: number, _precision: bigint, pointer: number): number => {
      const millis =
        clock === REALTIME ? performance.timeOrigin + performance.now() : performance.now();
      this.#view().setBigUint64(pointer, BigInt(Math.round(millis * 1e6)), true);
      return SUCCESS;
    },
    environ_get: (): number => SUCCESS,
    environ_sizes_get: (count: number, size: number): number => {
      this.#view().setUint32(count, 0, true);
      this.#view().setUint32(size, 0, true);
      return SUCCESS;
    },
    fd_write: (file: number, vectors: number, count: number, written: number): number => {
      if (file !== STDERR) return BAD_FILE;
      const bytes = this.#gather(vectors, count);
      this.#message = `${this.#message}${new TextDecoder().decode(bytes)}`.slice(-4096);
      this.#view().setUint32(written, bytes.length, true);
      return SUCCESS;
    },
    proc_exit: (code: number): number => {
      throw new EngineExit(`the engine ended with code ${code}`);
    },
    sched_yield: (): number => SUCCESS,
    fd_close: (): number => BAD_FILE,
    fd_fdstat_get: (): number => BAD_FILE,
    fd_filestat_get: (): number => BAD_FILE,
    fd_prestat_get: (): number => BAD_FILE,
    fd_prestat_dir_name: (): number => BAD_FILE,
    fd_read: (): number => BAD_FILE,
    path_open: (): number => NOT_SUPPORTED,
  };

  initialize(instance: WebAssembly.Instance): void {
    const { _initialize: initialize } = instance.exports;
    if (typeof initialize === 'function') initialize();
  }

  /** The engine is a library, which is not started. */
  start(): number {
    return SUCCESS;
  }

  #view(): DataView {
    return new DataView(this.#memory.buffer);
  }

  #gather(vectors: number, count: number): Uint8Array<ArrayBuffer> {
    const view = this.#view();
    const parts = Array.from({ length: count }, (_, index) => {
      const pointer = view.getUint32(vectors + 8 * index, true);
      const length = view.getUint32(vectors + 8 * index + 4, true);
      return new Uint8Array(this.#memory.buffer, pointer, length);
    });
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      bytes.set(part, offset);
      offset += part.length;
    }
    return bytes;
  }
}
