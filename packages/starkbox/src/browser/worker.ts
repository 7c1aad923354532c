// The Web Worker of a chain.
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import { packageVersion } from '../node/version.js';
import { CLASS_URLS } from './host/files.js';
import { loadEngine } from './load-engine.js';
import type { StartAnswer, StartMessage } from './start.js';

/** The global scope of a Web Worker. */
interface WorkerScope {
  postMessage(message: StartAnswer): void;
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: StartMessage }) => void,
    options: { readonly once: true },
  ): void;
}

declare const self: WorkerScope;

/** Where the engine's loader looks for the compiled module. */
const ENGINE = Symbol.for('starkbox.engine');

const LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: (fields, message) => console.warn(...[message, fields].filter(Boolean)),
  error: (fields, message) => console.error(...[message, fields].filter(Boolean)),
};

// Before anything is awaited: a message without a listener is lost.
self.addEventListener('message', ({ data }) => void start(data), { once: true });

async function start({ engine, classes, config, image, port }: StartMessage): Promise<void> {
  for (const [name, url] of classes) CLASS_URLS.set(name, url);
  try {
    const module = await loadEngine(engine, (progress) =>
      self.postMessage({ type: 'progress', ...progress }),
    );
    Reflect.set(globalThis, ENGINE, module);
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
