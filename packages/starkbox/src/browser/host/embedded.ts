// Files that are a part of the worker's bundle. In the work tree there are none.

/** The texts of OpenRPC documents by their names. `scripts/bundle/browser.mjs` replaces this module. */
export const EMBEDDED: Readonly<Record<string, string>> = {};
