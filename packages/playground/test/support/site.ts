// The built playground below a path of a plain static server.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen } from '@starkbox/test-support/listen';
import { build } from 'vite';

export interface Site {
  /** The address of the playground. */
  readonly url: string;
  close(): Promise<void>;
}

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
/** As on the documentation site. */
const PATH = '/playground/';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Builds the static files and serves them. */
export async function serveSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'playground-'));
  execFileSync(process.execPath, [join(PACKAGE, 'scripts/classes.mjs')]);
  await build({
    configFile: join(PACKAGE, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
  });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname.startsWith(PATH) ? normalize(pathname.slice(PATH.length)) : '..';
    const file = join(folder, path === '.' ? 'index.html' : path);
    if (!file.startsWith(folder) || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}
