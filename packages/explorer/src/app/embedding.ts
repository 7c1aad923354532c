// Messages between the explorer in a frame and the page around it, besides those of the port.

/** Sent by the explorer when it can receive a port. */
export const EMBEDDED_READY = 'starkbox.explorer.ready';

/** Sent by the page around the explorer, to open one of its pages. */
export interface ShowPage {
  readonly page: string;
  readonly key?: string;
}
