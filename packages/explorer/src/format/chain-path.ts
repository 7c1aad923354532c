// Path and URLs of the chain that the page shows: the node's own or an instance.

const INSTANCE = /^\/instances\/([^/]+)\/ui(?:\/|$)/;

/** Undefined for the node's own chain. */
export function instanceId(): string | undefined {
  return INSTANCE.exec(location.pathname)?.[1];
}

/** The path below which a chain is served, empty for the node's own. */
export function chainPath(id: string | undefined = instanceId()): string {
  return id === undefined ? '' : `/instances/${id}`;
}

/** Where a node listens unless its options say otherwise. */
const USUAL_NODE = 'http://127.0.0.1:5050';
let pages = '/ui';
let isEmbedded = false;

/** The path of the pages below the path of their chain. */
export function pagesPath(): string {
  return pages;
}

/** Moves the pages into a frame of another page, which has the chain; before routes are read. */
export function embedAt(path: string): void {
  pages = path;
  isEmbedded = true;
}

/** Whether other programs reach the chain, by its URL. */
export function hasUrl(): boolean {
  return !isEmbedded;
}

/** The URL of a path of this chain, such as `/rpc`; of a usual node if the chain has no URL. */
export function chainUrl(path: string): string {
  return (isEmbedded ? USUAL_NODE : location.origin) + chainPath() + path;
}
