export default {
  // The page finds the worker and the engine relative to its own file, which Vite must leave where it is.
  optimizeDeps: { exclude: ['starkbox'] },
  build: { target: 'es2022' },
};
