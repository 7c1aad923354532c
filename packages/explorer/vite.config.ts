// Knows where the built pages go, and where a page under development finds its node.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const node = process.env['STARKBOX_URL'] ?? 'http://127.0.0.1:5050';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/ui/',
  build: {
    outDir: fileURLToPath(new URL('../starkbox/dist/explorer', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // Anything inlined would be a `data:` address, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Libraries mark files for servers that render; there is none here.
      onwarn(warning, warn) {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    proxy: { '/rpc': node, '/ws': { target: node, ws: true } },
  },
});
