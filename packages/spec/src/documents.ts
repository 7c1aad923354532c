// Where the OpenRPC documents are, for programs on Node. The bundle of the node has a copy at the same relative path.

/** One document for each theme, and below `versions/` the differences of older versions. */
export const DOCUMENTS: URL = new URL('../documents/', import.meta.url);
