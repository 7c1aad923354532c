export default {
  mode: 'production',
  entry: './src/page.js',
  output: { path: `${import.meta.dirname}/public/dist`, publicPath: '/dist/', clean: true },
  // The engine is 21 MB, or 5 MB as servers compress it.
  performance: { hints: false },
  // The packages are minified already; minifying them again takes half a minute.
  optimization: { minimize: false },
  stats: 'errors-warnings',
};
