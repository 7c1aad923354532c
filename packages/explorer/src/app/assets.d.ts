// Declares imports of style sheets and of workers by their address.
declare module '*.css';
declare module '*?worker&url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: what the build gives
  export default url;
}
