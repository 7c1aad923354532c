// A proxy before an L1 that is slow, answers errors, or closes connections after the L1 has acted.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { closeAfterFile } from '../closing.js';
import { listen } from '../listen.js';

export interface Mood {
  /** The only method that it concerns; all by default. */
  readonly only?: string;
  /** Before every answer. */
  readonly milliseconds?: number;
  /** In place of every answer. */
  readonly status?: number;
  readonly error?: { readonly code: number; readonly message: string };
  /** The L1 executes the request, and its answer is lost. */
  readonly isDeaf?: boolean;
  /** In place of what the L1 answers. */
  readonly rewrite?: (body: string, request: string) => string;
}

export interface L1Proxy {
  readonly url: string;
  mood: Mood;
  /** The methods of all requests. */
  readonly methods: string[];
}

/** Ended after the tests of the file. */
export async function startProxy(target: () => string): Promise<L1Proxy> {
  const methods: string[] = [];
  const state: { mood: Mood } = { mood: {} };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { method, id }: { method: string; id: number } = JSON.parse(body);
    methods.push(method);
    const { mood } = state;
    const {
      milliseconds = 0,
      status,
      error,
      isDeaf,
      rewrite = (same: string) => same,
    } = mood.only === undefined || mood.only === method ? mood : {};
    await delay(milliseconds);
    if (status !== undefined) return void response.writeHead(status).end();
    if (error) return void response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    const headers = { 'content-type': 'application/json' };
    const answered = await fetch(target(), { method: 'POST', headers, body });
    const said = rewrite(await answered.text(), body);
    if (isDeaf) return void request.socket.destroy();
    response.writeHead(answered.status, headers).end(said);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  const port = await listen(server);
  closeAfterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    methods,
    get mood() {
      return state.mood;
    },
    set mood(mood) {
      state.mood = mood;
    },
  };
}
