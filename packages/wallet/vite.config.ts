// Build of the script that a node serves at /wallet.js.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { sourceAliases } from '../../scripts/source-aliases.mjs';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: file('.'),
  resolve: { alias: sourceAliases() },
  build: {
    outDir: file('../starkbox/dist/wallet'),
    emptyOutDir: true,
    target: 'es2022',
    reportCompressedSize: false,
    lib: {
      entry: file('src/script.ts'),
      formats: ['iife'],
      name: 'starkboxWalletScript',
      fileName: () => 'wallet.js',
    },
  },
});
