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

let pages = '/ui';

/** The path of the pages below the path of their chain. */
export function pagesPath(): string {
  return pages;
}

/** Moves the pages, before routes are read. */
export function servePagesAt(path: string): void {
  pages = path;
}

/** The URL of a path of this chain, such as `/rpc`. */
export function chainUrl(path: string): string {
  return location.origin + chainPath() + path;
}
