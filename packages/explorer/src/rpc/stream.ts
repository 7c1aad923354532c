// Subscription with its own socket, so that its volume does not delay the main one.
import { parseJson, writeJson } from '../format/json.js';
import { isAnswer } from './client.js';
import { type ClientName, transport } from './transport.js';

export interface StreamListener {
  /** The node's response to the subscription. */
  answered(text: string, isRefused: boolean): void;
  notified(result: unknown, text: string): void;
  /** The subscription ended. */
  ended(): void;
}

/** Starts a subscription; returns the function that ends it. */
export function openStream(
  body: { readonly method: string; readonly params: unknown },
  client: ClientName,
  listener: StreamListener,
): () => void {
  const socket = transport().openSocket(client);
  let isOver = false;
  socket.onopen = () => socket.send(writeJson({ jsonrpc: '2.0', id: 1, ...body }));
  socket.onmessage = ({ data }) => {
    if (isOver) return;
    const text = String(data);
    const message = parseJson(text);
    if (!isAnswer(message)) return;
    if (message.method === undefined) listener.answered(text, message.error !== undefined);
    else listener.notified(message.params?.result, text);
  };
  socket.onclose = () => {
    if (isOver) return;
    isOver = true;
    listener.ended();
  };
  return () => {
    isOver = true;
    socket.close();
  };
}
