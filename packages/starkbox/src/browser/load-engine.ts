// The engine's WebAssembly module, loaded with progress.
import type { EngineProgress } from './start.js';

declare const WebAssembly: {
  compile(bytes: ArrayBuffer): Promise<object>;
  compileStreaming(response: Response): Promise<object>;
};

/**
 * Loads and compiles the engine.
 *
 * @throws Error if there is no such file, or it is no engine
 */
export async function loadEngine(
  url: string,
  onProgress: (progress: EngineProgress) => void,
): Promise<object> {
  const response = await fetch(url).catch((error: unknown) => {
    throw new Error(`${cannotLoad(url)} (${String(error)}). ${ADVICE}`, { cause: error });
  });
  if (!response.ok) {
    throw new Error(`${cannotLoad(url)}: the server responded with ${response.status}. ${ADVICE}`);
  }
  const observed = withProgress(response, onProgress);
  try {
    // A server that names another type of content prevents the compilation while it is loaded.
    return isWasm(response)
      ? await WebAssembly.compileStreaming(observed)
      : await WebAssembly.compile(await observed.arrayBuffer());
  } catch (error) {
    throw new Error(`${cannotLoad(url)}: it is no WebAssembly (${String(error)}). ${ADVICE}`, {
      cause: error,
    });
  }
}

const TYPE = 'application/wasm';
const ADVICE =
  'Install @starkbox/engine-wasm beside starkbox; without a bundler, serve its file engine.wasm and pass the URL as the option engine.';

const cannotLoad = (url: string): string => `The engine cannot be loaded from ${url}`;

const isWasm = ({ headers }: Response): boolean => headers.get('content-type') === TYPE;

function withProgress(
  response: Response,
  onProgress: (progress: EngineProgress) => void,
): Response {
  const { headers, body } = response;
  if (!body) return response;
  // The length is that of the compressed file, and the bytes are those of the decompressed one.
  const total = headers.has('content-encoding') ? undefined : lengthIn(headers);
  let loaded = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      loaded += piece.length;
      onProgress({ loaded, total });
      controller.enqueue(piece);
    },
  });
  return new Response(body.pipeThrough(counter), { headers: { 'content-type': TYPE } });
}

function lengthIn(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  return length === null ? undefined : Number(length);
}
