// Build of the explorer, and its development server with a proxy to a node.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { fonts } from './scripts/fonts.mjs';

const node = process.env['STARKBOX_URL'] ?? 'http://127.0.0.1:5050';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/ui/',
  plugins: [fonts()],
  resolve: {
    // From their sources, so that neither the build nor the development server needs them compiled.
    alias: {
      '@starkbox/spec': fileURLToPath(new URL('../spec/src/index.ts', import.meta.url)),
      '@starkbox/abi/internal': fileURLToPath(new URL('../abi/src/internal.ts', import.meta.url)),
      '@starkbox/abi/basics': fileURLToPath(new URL('../abi/src/basics.ts', import.meta.url)),
      '@starkbox/abi': fileURLToPath(new URL('../abi/src/index.ts', import.meta.url)),
      '@starkbox/debugger': fileURLToPath(new URL('../debugger/src/index.ts', import.meta.url)),
      '@starkbox/signing': fileURLToPath(new URL('../signing/src/index.ts', import.meta.url)),
    },
  },
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
  // The worker of long traces is a module, like the pages.
  worker: { format: 'es' },
  server: {
    proxy: { '/rpc': node, '/ws': { target: node, ws: true } },
  },
});
