// Build of the playground: its page, and the explorer for the frame in it.
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { sourceAliases } from '../../scripts/source-aliases.mjs';
import { fonts } from '../explorer/scripts/fonts.mjs';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: file('.'),
  // Relative, because the site may be served below any path.
  base: './',
  plugins: [fonts()],
  // Browsers do not tell the length of a file that the server compresses.
  define: { ENGINE_BYTES: statSync(file('../engine-wasm/engine.wasm')).size },
  resolve: { alias: sourceAliases({ 'starkbox/client': file('../starkbox/src/client.ts') }) },
  build: {
    outDir: file('dist'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: [file('index.html'), file('explorer/index.html')],
      checks: { pluginTimings: false },
      // Directives such as 'use client' mean nothing here: pages are not rendered on a server.
      onwarn(warning, warn) {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  worker: { format: 'es' },
  server: { fs: { allow: [file('../..')] } },
});
