// Declares imports of texts, and what the build defines.
declare module '*.cairo?raw' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: what the build gives
  export default text;
}

/** The size of the engine, unpacked. */
declare const ENGINE_BYTES: number;
