// Declares imports of texts.
declare module '*.cairo?raw' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: what the build gives
  export default text;
}
