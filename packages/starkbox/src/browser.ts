// Public API of `starkbox/browser`: a chain in a Web Worker.
import type { BrowserConfig } from './browser/options.js';
import type { EngineProgress, StartAnswer, StartMessage } from './browser/start.js';
import { PortLink } from './client/port.js';
import { openTabChain, type PortOptions, type TabChain } from './client/tab-chain.js';

export type { BrowserConfig } from './browser/options.js';
export type { EngineProgress } from './browser/start.js';
export { ConnectionError } from './client/connection.js';
export { isRpcError } from './client/methods.js';
export type * from './client/public-types.js';
export type { RemoteChain } from './client/remote-chain.js';
export { connectPort, type PortOptions, type TabChain } from './client/tab-chain.js';
export { RpcError } from './errors.js';

/** Options of `createChain`: the options of a chain, and options of the worker. */
export interface BrowserChainOptions extends BrowserConfig {
  /** An image of `saveImage`, or of `starkbox` on Node, to begin with. */
  readonly image?: Uint8Array | undefined;
  /** The URL of a copy of the file `engine.wasm` of `@starkbox/engine-wasm`. A bundler finds it by itself. */
  readonly engine?: URL | string | undefined;
  /** The URL of a folder with a copy of the folder `classes` of `@starkbox/engine`. A bundler finds it by itself. */
  readonly classes?: URL | string | undefined;
  /** Called while the engine is loaded. */
  readonly onProgress?: ((progress: EngineProgress) => void) | undefined;
}

/** The parts of a Web Worker that are used here. */
interface ChainWorker {
  postMessage(message: unknown, transfer: readonly object[]): void;
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: StartAnswer }) => void,
  ): void;
  addEventListener(
    type: 'error' | 'messageerror',
    listener: (event: { readonly message?: unknown }) => void,
  ): void;
  terminate(): void;
}

declare const Worker: new (url: URL, options: { readonly type: 'module' }) => ChainWorker;

/** Answers come from the same tab: only the work itself takes time. */
const IN_TAB: PortOptions = { timeout: 0 };

/**
 * Starts a chain in a Web Worker of this page. No server is needed, and no cross-origin isolation.
 *
 * @example
 * const chain = await createChain({ seed: 0 });
 * await chain.mint('0x1', 1000n);
 * const provider = new RpcProvider({ nodeUrl: chain.rpcUrl, baseFetch: chain.fetch });
 * @throws TypeError if the image is no Uint8Array
 * @throws Error if the engine cannot be loaded, an option is unknown or needs Node, or the image is damaged
 */
export async function createChain(options: BrowserChainOptions = {}): Promise<TabChain> {
  const { image } = options;
  if (image !== undefined && !(image instanceof Uint8Array)) {
    throw new TypeError('image must be a Uint8Array, such as saveImage returns');
  }
  const worker = new Worker(new URL('@starkbox/engine-wasm/worker.js', import.meta.url), {
    type: 'module',
  });
  try {
    const link = await startWorker(worker, options);
    return await openTabChain(link, IN_TAB, async () => {
      // A worker that has ended cannot answer.
      await link.ask('stop').catch(() => undefined);
      worker.terminate();
    });
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

/** Resolves when the chain is open. */
function startWorker(
  worker: ChainWorker,
  { image, engine, classes, onProgress, ...config }: BrowserChainOptions,
): Promise<PortLink> {
  const { port1, port2 } = new MessageChannel();
  const link = new PortLink(port1);
  return new Promise((resolve, reject) => {
    const fail = (message: string): void => {
      link.end(message);
      worker.terminate();
      reject(new Error(message));
    };
    worker.addEventListener('message', ({ data }) => {
      if (data.type === 'progress') onProgress?.({ loaded: data.loaded, total: data.total });
      else if (data.type === 'ready') resolve(link);
      else reject(Object.assign(new Error(data.message), { name: data.name }));
    });
    worker.addEventListener('error', ({ message }) => fail(workerEnded(message)));
    worker.addEventListener('messageerror', () => fail(workerEnded('a message cannot be read')));
    const start: StartMessage = {
      type: 'start',
      engine: absolute(engine ?? new URL('@starkbox/engine-wasm/engine.wasm', import.meta.url)),
      classes: classUrls(classes),
      config,
      image,
      port: port2,
    };
    worker.postMessage(start, [port2]);
  });
}

declare const location: { readonly href: string };

/** The worker, which lies elsewhere, resolves no relative URLs. */
function absolute(url: URL | string): string {
  return new URL(url, location.href).href;
}

/** Bundlers take files from expressions that are written out like these. */
function bundledClasses(): readonly URL[] {
  return [
    new URL('@starkbox/engine/classes/account.class', import.meta.url),
    new URL('@starkbox/engine/classes/account-cairo0.class', import.meta.url),
    new URL('@starkbox/engine/classes/eth.class', import.meta.url),
    new URL('@starkbox/engine/classes/strk.class', import.meta.url),
    new URL('@starkbox/engine/classes/udc.class', import.meta.url),
    new URL('@starkbox/engine/classes/udc-cairo0.class', import.meta.url),
  ];
}

/** In the order of `bundledClasses`, whose files may have other names. */
const CLASS_NAMES = ['account', 'account-cairo0', 'eth', 'strk', 'udc', 'udc-cairo0'];

function classUrls(folder: URL | string | undefined): StartMessage['classes'] {
  const bundled = folder === undefined ? bundledClasses() : [];
  const base = folder === undefined ? '' : absolute(folder).replace(/\/?$/, '/');
  return CLASS_NAMES.map((name, index) => [name, bundled[index]?.href ?? `${base}${name}.class`]);
}

/** Browsers give no reason for a file that cannot be loaded. */
const NO_FILE =
  'its file cannot be loaded. Install @starkbox/engine-wasm beside starkbox. Without a bundler, serve its file worker.js as the example browser-plain does';

function workerEnded(reason: unknown): string {
  const cause = typeof reason === 'string' && reason !== '' ? reason : NO_FILE;
  return `The worker of the chain failed: ${cause}.`;
}
