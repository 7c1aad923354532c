// Build of the script that a node serves at /wallet.js.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: file('.'),
  resolve: {
    // From their sources, so that the build needs them not compiled.
    alias: {
      '@starkbox/abi/internal': file('../abi/src/internal.ts'),
      '@starkbox/abi/basics': file('../abi/src/basics.ts'),
      '@starkbox/abi': file('../abi/src/index.ts'),
      '@starkbox/signing': file('../signing/src/index.ts'),
    },
  },
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
