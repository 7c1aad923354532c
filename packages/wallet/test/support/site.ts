// Site of a dapp on a port of its own, with the wallet of a node.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { listen } from '@starkbox/test-support/listen';
import { build } from 'vite';
import { sourceAliases } from '../../../../scripts/source-aliases.mjs';

export interface Site {
  readonly origin: string;
  close(): Promise<void>;
}

/** A page may use what the node serves, and neither inline styles nor pictures. */
const POLICY = (node: string): string =>
  `default-src 'none'; script-src 'self' ${node}; connect-src ${node}; require-trusted-types-for 'script'`;

/** The dapp's script in one file. */
async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: sourceAliases() },
    build: {
      write: false,
      minify: false,
      lib: {
        entry: fileURLToPath(new URL('dapp.ts', import.meta.url)),
        formats: ['iife'],
        name: 'dappScript',
      },
    },
  });
  const [output] = Array.isArray(built) ? built : [];
  const [chunk] = output?.output ?? [];
  if (chunk?.type !== 'chunk') throw new Error('vite built no script');
  return chunk.code;
}

/**
 * `/` has the node's script, `/bare` none, `/strict` has only it and a policy. Attributes of the script's element
 * follow as a query: `/?data-policy=approve`.
 */
export async function openSite(node: string): Promise<Site> {
  const script = await bundle();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://dapp');
    if (pathname === '/dapp.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
      return;
    }
    const attributes = [...searchParams].map(([name, value]) => ` ${name}="${value}"`).join('');
    const wallet =
      pathname === '/bare' ? '' : `<script src="${node}/wallet.js"${attributes}></script>`;
    // get-starknet evaluates text, which the policy forbids.
    const dapp = pathname === '/strict' ? '' : '<script src="/dapp.js"></script>';
    response
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        ...(pathname === '/strict' ? { 'content-security-policy': POLICY(node) } : {}),
      })
      .end(
        `<!doctype html><html lang="en"><head><title>A dapp</title>${wallet}${dapp}</head><body><main><h1>A dapp</h1><button id="pay">Pay</button></main></body></html>`,
      );
  });
  const port = await listen(server);
  return {
    origin: `http://localhost:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
