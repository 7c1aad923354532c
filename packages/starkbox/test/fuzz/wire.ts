// Client of HTTP that keeps its connections, and counts them.
import { Agent, request as send } from 'node:http';
import type { Answer } from './check-answer.js';
import type { Request } from './requests.js';

/** The compiler is given half of it; all else takes moments. */
const PATIENCE_MILLISECONDS = 60_000;

export class Wire {
  readonly #agent: Agent;
  readonly #url: string;
  #connections = 0;

  constructor(url: string, lanes: number) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: lanes });
  }

  get connections(): number {
    return this.#connections;
  }

  close(): void {
    this.#agent.destroy();
  }

  exchange({ verb, path, headers, body }: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length =
        'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) };
      const outgoing = send(
        new URL(this.#url),
        {
          agent: this.#agent,
          method: verb,
          path,
          headers: { ...headers, ...length },
          timeout: PATIENCE_MILLISECONDS,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: incoming.statusCode ?? 0, body: text });
          });
        },
      );
      outgoing.on('socket', (socket) => {
        if (socket.connecting) this.#connections += 1;
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}
