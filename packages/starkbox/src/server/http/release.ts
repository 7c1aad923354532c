// Requests of other nodes of a fleet for an instance that this one has loaded.
import type { IncomingMessage } from 'node:http';
import type { AccessRules } from '../access.js';
import { json, type Reply } from './reply.js';
import { pathOf } from './request-target.js';

export interface ReleaseOptions {
  /** Writes an instance back, so that another node can take it; false while it is in use. */
  readonly release?: ((id: string) => Promise<boolean>) | undefined;
  readonly access?: AccessRules | undefined;
}

const RELEASE_PATH = /^\/instances\/([^/]+)\/release$/;

/** The instance that a request asks to release; undefined for all other requests. */
export function releasedBy(
  request: IncomingMessage,
  { release, access }: ReleaseOptions,
): string | undefined {
  if (!release || request.method !== 'POST') return undefined;
  // Nodes send the token of the operator.
  if (access?.clientOf(request.headers) !== undefined) return undefined;
  return RELEASE_PATH.exec(pathOf(request))?.[1];
}

export async function serveRelease(id: string, { release }: ReleaseOptions): Promise<Reply> {
  const isReleased = await release?.(id);
  return isReleased
    ? { status: 204 }
    : json(409, JSON.stringify({ instance_id: id, in_use: true }));
}
