// The Web Worker of a chain.
import { answerCompilation, type CompilerWorker, setUp } from '@starkbox/engine-wasm/browser';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import { packageVersion } from '../node/version.js';
import { loadEngine } from './load-engine.js';
import type { StartAnswer, StartMessage } from './start.js';

/** The global scope of a Web Worker. */
interface WorkerScope {
  readonly name: string;
  readonly location: { readonly href: string };
  postMessage(message: StartAnswer): void;
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: StartMessage }) => void,
    options: { readonly once: true },
  ): void;
}

declare const self: WorkerScope;
declare const Worker: new (
  url: string,
  options: { readonly type: 'module'; readonly name: string },
) => CompilerWorker;

/** The name of a worker that compiles a class for this one, by the same file. */
const COMPILER = 'starkbox compiler';

const LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: (fields, message) => console.warn(...[message, fields].filter(Boolean)),
  error: (fields, message) => console.error(...[message, fields].filter(Boolean)),
};

// Before anything is awaited: a message without a listener is lost.
if (self.name === COMPILER) answerCompilation();
else self.addEventListener('message', ({ data }) => void start(data), { once: true });

async function start({ engine, classes, config, image, port }: StartMessage): Promise<void> {
  try {
    const module = await loadEngine(engine, (progress) =>
      self.postMessage({ type: 'progress', ...progress }),
    );
    setUp({
      module,
      readClass: (name) => readClass(new Map(classes).get(name) ?? name),
      startCompiler: () => new Worker(self.location.href, { type: 'module', name: COMPILER }),
    });
    const [{ openWorkerChain }, { ServedPorts }] = await Promise.all([
      import('./open-chain.js'),
      import('./serve-port.js'),
    ]);
    const chain = await openWorkerChain({ config, image, log: LOG, version: packageVersion() });
    const ports = new ServedPorts(chain);
    ports.add(port, async () => {
      ports.end('The page that created the chain closed it.');
      await chain.close();
    });
    self.postMessage({ type: 'ready' });
  } catch (error) {
    const name = error instanceof Error ? error.name : 'Error';
    self.postMessage({ type: 'failed', name, message: reasonOf(error) });
  }
}

async function readClass(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  throw new Error(
    `The class ${url} cannot be read: the server responded with status ${response.status}. Without a bundler, serve the folder classes of @starkbox/engine, and pass its URL as the option classes.`,
  );
}
