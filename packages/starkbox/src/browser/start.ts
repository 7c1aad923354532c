// The start of the worker: what the page sends, and what it gets.
import type { MessagePort } from '../client/port.js';
import type { BrowserConfig } from './options.js';

/** How much of the engine is loaded, in bytes. */
export interface EngineProgress {
  /** Bytes so far. */
  readonly loaded: number;
  /** Bytes in all, if the server said so. */
  readonly total?: number | undefined;
}

/** The first message to the worker. */
export interface StartMessage {
  readonly type: 'start';
  /** The URL of the engine. */
  readonly engine: string;
  /** The URLs of built-in classes. */
  readonly classes: readonly (readonly [name: string, url: string])[];
  readonly config: BrowserConfig;
  readonly image: Uint8Array | undefined;
  /** Where requests of the page come from. */
  readonly port: MessagePort;
}

export type StartAnswer =
  | ({ readonly type: 'progress' } & EngineProgress)
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly name: string; readonly message: string };
