// Serves the explorer's port by the calls and the sockets of the page's chain.
import { type Members, membersOf } from '@starkbox/abi/basics';
import type { PortReply } from '@starkbox/explorer';
import type { ChainSocket, PageChain } from './chain.js';

/** Serves the port until the returned function is called. */
export function serveExplorer(port: MessagePort, { chain, openSocket }: PageChain): () => void {
  const sockets = new Map<number, ChainSocket>();
  const reply = (message: PortReply): void => port.postMessage(message);

  const post = async (path: string, body: string): Promise<string> => {
    const url = new URL(chain.rpcUrl);
    if (path !== '') url.pathname = `${path}/rpc`;
    const headers = { 'content-type': 'application/json' };
    const response = await chain.fetch(url.href, { method: 'POST', headers, body });
    return response.text();
  };

  const open = (id: number, client: string): void => {
    const socket = openSocket(client);
    sockets.set(id, socket);
    socket.addEventListener('open', () => reply({ kind: 'opened', id }));
    socket.addEventListener('message', ({ data }) =>
      reply({ kind: 'message', id, text: String(data) }),
    );
    socket.addEventListener('close', () => {
      sockets.delete(id);
      reply({ kind: 'closed', id });
    });
  };

  const take = ({ kind, id, client, chain: path, body, text }: Members): void => {
    if (typeof id !== 'number') return;
    if (kind === 'post') {
      post(String(path), String(body)).then(
        (answer) => reply({ kind: 'posted', id, text: answer }),
        (error: unknown) =>
          reply({ kind: 'failed', id, message: error instanceof Error ? error.message : '' }),
      );
    } else if (kind === 'open') open(id, String(client));
    else if (kind === 'send') sockets.get(id)?.send(String(text));
    else if (kind === 'close') sockets.get(id)?.close();
  };

  port.onmessage = ({ data }: MessageEvent<unknown>) => take(membersOf(data));
  return () => {
    port.close();
    for (const socket of sockets.values()) socket.close();
    sockets.clear();
  };
}
