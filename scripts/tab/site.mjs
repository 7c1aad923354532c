// A site with the tour of `starkbox/browser`, with a strict content security policy. No header isolates its pages.
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { ROOT } from '../cargo.mjs';

const PAGE = `<!doctype html><meta charset="utf-8"><title>A chain in a tab</title>
<body><script type="module" src="/page.js"></script>`;

const SCRIPT = `import * as browser from '/web/index.js';
import * as starknet from '/starknet.js';
import { tour } from '/tour.mjs';
window.createChain = browser.createChain;
window.tour = (nodeUrl) => tour({ browser, starknet }, nodeUrl);`;

/** What a page must allow; it connects to the node that it forks. */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' http://127.0.0.1:* http://localhost:*";

const TYPES = new Map([
  ['.js', 'text/javascript'],
  ['.mjs', 'text/javascript'],
  ['.wasm', 'application/wasm'],
  ['.json', 'application/json'],
  ['.cairo', 'text/plain; charset=utf-8'],
]);

/** Without a bundler, the page finds the files of other packages below its own folder. */
const FILES = new Map([
  ['/web/@starkbox/engine-wasm/worker.js', 'packages/engine-wasm/dist/worker/worker.js'],
  ['/tour.mjs', 'scripts/tab/tour.mjs'],
  ['/counter.json', 'contracts/cairo/counter.sierra.json'],
  ['/counter.cairo', 'contracts/src/counter.cairo'],
]);
const FOLDERS = new Map([
  ['/web/@starkbox/engine-wasm/', 'packages/engine-wasm/'],
  ['/web/@starkbox/engine/', 'packages/engine/'],
  ['/web/', 'packages/starkbox/dist/web/'],
]);

/**
 * @param {string} path
 * @returns {string | undefined} the file that is served there
 */
function fileAt(path) {
  const file = FILES.get(path);
  if (file !== undefined) return join(ROOT, file);
  const folder = [...FOLDERS].find(([prefix]) => path.startsWith(prefix));
  return folder && join(ROOT, folder[1], path.slice(folder[0].length).replaceAll('..', ''));
}

/** @returns {Promise<string>} starknet.js as one module */
async function bundleStarknetJs() {
  const bundle = await rolldown({
    input: 'starknet',
    cwd: ROOT,
    platform: 'browser',
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

/**
 * @param {Uint8Array} image of a node
 * @returns {Promise<{ readonly url: string, readonly close: () => void }>}
 */
export async function openSite(image) {
  const places = readFileSync(join(ROOT, 'contracts', 'places', 'counter.sierra.json.gz'));
  const contents = new Map([
    ['/', { type: 'text/html', content: PAGE }],
    ['/page.js', { type: 'text/javascript', content: SCRIPT }],
    ['/node.image', { type: 'application/octet-stream', content: image }],
    ['/starknet.js', { type: 'text/javascript', content: await bundleStarknetJs() }],
    ['/counter-with-places.json', { type: 'application/json', content: gunzipSync(places) }],
  ]);
  const server = createServer((request, response) => {
    response.setHeader('content-security-policy', POLICY);
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const served = contents.get(path);
    const file = fileAt(path);
    if (served) {
      response.writeHead(200, { 'content-type': served.type }).end(served.content);
    } else if (file !== undefined && existsSync(file)) {
      const type = TYPES.get(extname(file)) ?? 'application/octet-stream';
      createReadStream(file).pipe(response.writeHead(200, { 'content-type': type }));
    } else {
      response.writeHead(404).end('Not found');
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  return { url: `http://localhost:${port}/`, close: () => server.close() };
}
