// Knows what the server says to a request, before it is bytes.

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Its headers are all that it has: no other site may read it. */
  readonly isPage?: boolean;
  /** The request is refused while its body arrives: it is heard for a moment, then closed. */
  readonly lingers?: boolean;
}

export function json(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body };
}
