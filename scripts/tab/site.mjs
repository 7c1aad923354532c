// A site with the tour of `starkbox/browser`, as a static server would give it: no header isolates its pages.
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { ROOT } from '../cargo.mjs';

const PAGE = `<!doctype html><meta charset="utf-8"><title>A chain in a tab</title><body>
<script type="module">
import * as browser from '/web/index.js';
import * as starknet from '/starknet.js';
import { tour } from '/tour.mjs';
window.tour = (nodeUrl) => tour({ browser, starknet }, nodeUrl);
</script>`;

const TYPES = new Map([
  ['.js', 'text/javascript'],
  ['.mjs', 'text/javascript'],
  ['.wasm', 'application/wasm'],
  ['.json', 'application/json'],
  ['.cairo', 'text/plain; charset=utf-8'],
]);

const FILES = new Map([
  ['/engine.wasm', 'packages/engine-wasm/engine.wasm'],
  ['/tour.mjs', 'scripts/tab/tour.mjs'],
  ['/counter.json', 'contracts/cairo/counter.sierra.json'],
  ['/counter.cairo', 'contracts/src/counter.cairo'],
]);
const FOLDERS = new Map([
  ['/web/', 'packages/starkbox/dist/web/'],
  ['/classes/', 'packages/engine/classes/'],
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

/** @returns {Promise<{ readonly url: string, readonly close: () => void }>} */
export async function openSite() {
  const places = readFileSync(join(ROOT, 'contracts', 'places', 'counter.sierra.json.gz'));
  const contents = new Map([
    ['/', { type: 'text/html', text: PAGE }],
    ['/starknet.js', { type: 'text/javascript', text: await bundleStarknetJs() }],
    [
      '/counter-with-places.json',
      { type: 'application/json', text: gunzipSync(places).toString() },
    ],
  ]);
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const content = contents.get(path);
    const file = fileAt(path);
    if (content) {
      response.writeHead(200, { 'content-type': content.type }).end(content.text);
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
