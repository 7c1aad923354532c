// An instance of the engine: emnapi gives it the functions of Node's native interface, so that its binding is the same as
// the addon's.
import { instantiateAddonSync } from '@emnapi/core';
import { asyncWork, tsfn } from '@emnapi/core/plugins';
import { type BufferCtor, createContext } from '@emnapi/runtime';
import { Wasi } from './wasi.js';

const PAGE = 65_536;
/** What the module declares: its data and a stack of 64 MB. */
const INITIAL_PAGES = 1024;
const MAX_PAGES = 65_536;

/** A `WebAssembly.Module`, which has no members. */
export type WasmModule = object;

export interface Instance<Binding> {
  readonly binding: Binding;
  /** The message of a panic that ended the last call, once. Afterwards the instance can be used again. */
  takePanic(): string;
}

/** emnapi uses these three functions of the class alone. */
function toBufferClass(functions: object): BufferCtor;
function toBufferClass(functions: object): object {
  return functions;
}

/** Plain bytes in place of Node's class, which browsers do not have. */
const Bytes = toBufferClass({
  from: (buffer: ArrayBuffer): Uint8Array => new Uint8Array(buffer),
  alloc: (size: number): Uint8Array => new Uint8Array(size),
  isBuffer: (value: unknown): boolean => value instanceof Uint8Array,
});

/**
 * @param mostBytes of memory
 */
export function instantiate<Binding extends object>(
  module: WasmModule,
  mostBytes: number = MAX_PAGES * PAGE,
): Instance<Binding> {
  const maximum = Math.max(INITIAL_PAGES, Math.min(MAX_PAGES, Math.floor(mostBytes / PAGE)));
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
  const wasi = new Wasi(memory);
  const { addonModule, instance } = instantiateAddonSync(module, {
    context: createContext({ features: { Buffer: Bytes } }),
    wasi,
    plugins: [asyncWork, tsfn],
    overwriteImports: (imports) => {
      imports['env'] = { ...imports['env'], ...imports['napi'], ...imports['emnapi'], memory };
      return imports;
    },
    beforeInit: ({ instance }) => {
      for (const [name, register] of Object.entries(instance.exports)) {
        if (name.startsWith('__napi_register__') && typeof register === 'function') register();
      }
    },
  });
  const stackPointer = instance.exports['__stack_pointer'];
  if (!(stackPointer instanceof WebAssembly.Global)) throw new Error('engine.wasm is damaged');
  const stackEnd: unknown = stackPointer.value;
  const takePanic = (): string => {
    // A panic leaves its frames on the stack.
    stackPointer.value = stackEnd;
    return wasi.takeMessage();
  };
  return { binding: addonModule.exports, takePanic };
}
