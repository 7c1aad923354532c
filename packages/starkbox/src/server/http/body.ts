// Reader of request bodies, with a limit of their size.
import type { IncomingMessage } from 'node:http';

/** Undefined for a body that is too long; the rest of it is read and dropped. */
export function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const refuse = (): void => {
      chunks.length = 0;
      request.off('data', take).resume();
      resolve(undefined);
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) refuse();
      else chunks.push(chunk);
    };
    request.on('error', reject);
    if (declaredLength(request) > limit) return refuse();
    request.on('data', take);
    request.on('end', () => {
      const [first] = chunks;
      const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks);
      resolve(bytes.toString('utf8'));
    });
  });
}

export function declaredLength({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}
