// HTTP response before it is written.

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sent without CORS headers: no other site may read it. */
  readonly isPage?: boolean;
  /** The request is refused while its body arrives: the connection closes after a moment. */
  readonly lingers?: boolean;
}

export function json(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body };
}
