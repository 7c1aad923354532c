// Build of the explorer, and its development server with a proxy to a node.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { sourceAliases } from '../../scripts/source-aliases.mjs';
import { fonts } from './scripts/fonts.mjs';

const node = process.env['STARKBOX_URL'] ?? 'http://127.0.0.1:5050';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/ui/',
  plugins: [fonts()],
  resolve: { alias: sourceAliases() },
  build: {
    outDir: fileURLToPath(new URL('../starkbox/dist/explorer', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // An inlined asset is a `data:` URL, which the content security policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Directives such as 'use client' mean nothing here: pages are not rendered on a server.
      onwarn(warning, warn) {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    proxy: { '/rpc': node, '/ws': { target: node, ws: true } },
  },
});
