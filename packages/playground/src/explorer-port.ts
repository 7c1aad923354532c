// Serves the explorer's port: calls by the chain's fetch, sockets by its subscriptions.
import { type Fields, fieldsOf, type PortReply, parseJson, writeJson } from '@starkbox/explorer';
import type { Chain, SubscribeMethodName } from 'starkbox/client';

const SUBSCRIBING: Readonly<Record<SubscribeMethodName, true>> = {
  starknet_subscribeNewHeads: true,
  starknet_subscribeEvents: true,
  starknet_subscribeTransactionStatus: true,
  starknet_subscribeNewTransactionReceipts: true,
  starknet_subscribeNewTransactions: true,
  devnet_subscribeSandbox: true,
  devnet_subscribeRequests: true,
};

function isSubscribing(method: unknown): method is SubscribeMethodName {
  return typeof method === 'string' && Object.hasOwn(SUBSCRIBING, method);
}

/** Serves the port until the returned function is called. */
export function serveExplorer(port: MessagePort, chain: Chain): () => void {
  const sockets = new Map<number, ServedSocket>();
  const reply = (message: PortReply): void => port.postMessage(message);
  const post = async (path: string, body: string): Promise<string> => {
    const url = new URL(chain.rpcUrl);
    if (path !== '') url.pathname = `${path}/rpc`;
    const headers = { 'content-type': 'application/json' };
    const response = await chain.fetch(url.href, { method: 'POST', headers, body });
    return response.text();
  };

  const take = ({ kind, id, chain: path, body, text }: Fields): void => {
    if (typeof id !== 'number') return;
    if (kind === 'post') {
      post(String(path), String(body)).then(
        (answer) => reply({ kind: 'posted', id, text: answer }),
        (error: unknown) => reply({ kind: 'failed', id, message: messageOf(error) }),
      );
    } else if (kind === 'open') {
      const send = (message: string): void => reply({ kind: 'message', id, text: message });
      sockets.set(id, new ServedSocket(chain, send, (request) => post('', request)));
      reply({ kind: 'opened', id });
    } else if (kind === 'send') sockets.get(id)?.take(String(text));
    else if (kind === 'close') {
      sockets.get(id)?.close();
      sockets.delete(id);
      reply({ kind: 'closed', id });
    }
  };

  port.onmessage = ({ data }: MessageEvent<unknown>) => take(fieldsOf(data));
  return () => {
    for (const socket of sockets.values()) socket.close();
    sockets.clear();
    port.close();
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** One socket of the explorer, with the subscriptions that it made. */
class ServedSocket {
  readonly #chain: Chain;
  readonly #send: (text: string) => void;
  readonly #post: (body: string) => Promise<string>;
  readonly #ends = new Map<string, () => Promise<void>>();
  #lastSubscription = 0;

  constructor(chain: Chain, send: (text: string) => void, post: (body: string) => Promise<string>) {
    this.#chain = chain;
    this.#send = send;
    this.#post = post;
  }

  take(text: string): void {
    const { id, method, params } = fieldsOf(parseJson(text));
    const work = isSubscribing(method)
      ? this.#subscribe(id, method, params)
      : method === 'starknet_unsubscribe'
        ? this.#unsubscribe(id, String(fieldsOf(params)['subscription_id']))
        : this.#post(text).then(this.#send);
    work.catch((error: unknown) => {
      const { code, data } = fieldsOf(error);
      this.#answer({
        id,
        error: { code: typeof code === 'number' ? code : -1, message: messageOf(error), data },
      });
    });
  }

  close(): void {
    for (const end of this.#ends.values()) end().catch(() => undefined);
    this.#ends.clear();
  }

  #answer(message: object): void {
    this.#send(writeJson({ jsonrpc: '2.0', ...message }));
  }

  async #subscribe(id: unknown, method: SubscribeMethodName, params: unknown): Promise<void> {
    const subscription = this.#chain.subscribe(method, Object(params));
    await subscription.ready;
    this.#lastSubscription += 1;
    const subscription_id = String(this.#lastSubscription);
    this.#ends.set(subscription_id, () => subscription.close());
    this.#answer({ id, result: subscription_id });
    for await (const { name, result } of subscription) {
      this.#answer({ method: name, params: { subscription_id, result } });
    }
    this.#ends.delete(subscription_id);
  }

  async #unsubscribe(id: unknown, subscription_id: string): Promise<void> {
    const end = this.#ends.get(subscription_id);
    this.#ends.delete(subscription_id);
    await end?.();
    this.#answer({ id, result: end !== undefined });
  }
}
