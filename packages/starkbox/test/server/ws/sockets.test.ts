// Closing WebSockets, and the order of what is sent over them.
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createChain } from '../../../src/index.js';
import { CLOSE, frame, PING, PONG, type RawSocket } from '../../support/raw-socket.js';
import {
  client,
  closeAfterEach,
  idsOf,
  listening,
  openServer,
  ping,
  rawSocket,
  upTo,
} from './socket-server.js';

closeAfterEach();

describe('closing', () => {
  test.each<[string, (raw: RawSocket) => void]>([
    ['says goodbye', (raw) => raw.write(frame(Buffer.from([3, 232]), { opcode: CLOSE }))],
    ['ends the connection', (raw) => raw.socket.end()],
    ['breaks the connection', (raw) => raw.socket.resetAndDestroy()],
  ])('a client that %s is sent nothing more', async (_, leave) => {
    const served = await openServer();
    const { raw, listener } = await listening(served);
    leave(raw);
    while (served.sockets.count > 0) await new Promise(setImmediate);
    expect(served.gone).toEqual([listener]);
    expect(listener.isOpen).toBe(false);
    listener.send('nothing');
  });

  test('a client that sends a close frame and stays is sent nothing more either', async () => {
    const served = await openServer();
    const { raw, listener } = await listening(served);
    raw.socket.pause();
    raw.write(frame(Buffer.from([3, 232]), { opcode: CLOSE }));
    while (listener.isOpen) await new Promise(setImmediate);
    listener.send('nothing');
    expect(served.gone).toEqual([listener]);
  });

  test('the node sends close frames, to clients that answer and to others', async () => {
    const node = await createChain({ seed: 0, port: 0 });
    const { port } = await node.listen();
    const usual = await client({ port });
    const silent = await rawSocket({ port });
    const deaf = await rawSocket({ port });
    deaf.socket.pause();
    const goodbye = once(usual, 'close');
    await node.close();
    const [code, reason] = await goodbye;
    expect([code, String(reason)]).toEqual([1001, 'the node stops']);
    expect(silent.goodbye).toEqual([1001, 'the node stops']);
    deaf.socket.resume();
    expect(await deaf.closed()).toEqual([1001, 'the node stops']);
  });

  test('the node waits for clients that do not answer, for a second, and for no others', async () => {
    const nodeWith = async <T>(connect: (at: { readonly port: number }) => Promise<T>) => {
      const node = await createChain({ seed: 0, port: 0 });
      const { port } = await node.listen();
      return [node, await Promise.all(upTo(20).map(() => connect({ port })))] as const;
    };
    const [answered] = await nodeWith(client);
    const [unanswered, silent] = await nodeWith(rawSocket);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await answered.close();
    let isClosed = false;
    const closing = unanswered.close().then(() => {
      isClosed = true;
    });
    for (const raw of silent) expect(await raw.closed()).toEqual([1001, 'the node stops']);
    await vi.advanceTimersByTimeAsync(999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
  });
});

describe('order', () => {
  test('answers come in the order of the calls, whatever each takes', async () => {
    const served = await openServer();
    const raw = await rawSocket(served);
    raw.call(0, 'starknet_chainId');
    raw.call(1, 'devnet_wait');
    raw.call(2, 'starknet_chainId');
    raw.call(3, 'devnet_large');
    raw.call(4, 'nothing');
    for (const id of upTo(200)) raw.call(5 + id, 'starknet_chainId');
    await raw.until(() => raw.texts.length === 1);
    // Others do not wait for it.
    await ping(served);
    expect(idsOf(raw.texts)).toEqual([0]);
    served.open();
    await raw.until(() => raw.texts.length === 205);
    expect(idsOf(raw.texts)).toEqual(upTo(205));
  });

  test('the first notification of a subscription waits until the client has read its id', async () => {
    const served = await openServer();
    const raw = await rawSocket(served);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    raw.call(0, 'devnet_announce');
    const pings = () => raw.frames.filter(({ opcode }) => opcode === PING);
    await raw.until(() => pings().length === 1);
    await ping(served);
    expect(idsOf(raw.texts)).toEqual([0]);
    for (const { payload } of pings()) raw.write(frame(payload, { opcode: PONG }));
    await raw.until(() => raw.texts.length === 2);
    expect(idsOf(raw.texts)).toEqual([0, 'notification']);
  });

  test('a client that answers no ping gets its notifications later', async () => {
    const served = await openServer();
    const raw = await rawSocket(served);
    raw.call(0, 'devnet_announce');
    await raw.until(() => raw.texts.length === 2);
    expect(idsOf(raw.texts)).toEqual([0, 'notification']);
  });

  test('what is sent to a socket stays in order, whatever is an answer', async () => {
    const served = await openServer();
    const { raw, listener } = await listening(served);
    for (const number of upTo(100)) {
      if (number % 3 === 0) raw.call(number, 'starknet_chainId');
      listener.send(`{"id":${number + 1000}}`);
    }
    await raw.until(() => raw.texts.length === 1 + 134);
    const ids = idsOf(raw.texts.slice(1)).map(Number);
    expect(ids.filter((id) => id >= 1000)).toEqual(upTo(100).map((number) => number + 1000));
    expect(ids.filter((id) => id < 1000)).toEqual(upTo(34).map((number) => number * 3));
  });

  test('messages of every length arrive as they were', async () => {
    const served = await openServer();
    const { raw, listener } = await listening(served);
    const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 65_537, 300_000, 2];
    for (const length of lengths) listener.send('é'.repeat(length));
    await raw.until(() => raw.texts.length === 1 + lengths.length);
    const sizes = raw.frames.slice(1).map(({ payload }) => payload.length);
    expect(sizes).toEqual(lengths.map((length) => 2 * length));
  });

  test('a subscription is confirmed before its first notification, on a busy chain too', async () => {
    const node = await createChain({ seed: 0, port: 0 });
    const { port, url } = await node.listen();
    let isDone = false;
    const work = async (method: string, params: object): Promise<void> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      while (!isDone) await (await fetch(url, { method: 'POST', headers, body })).text();
    };
    const busy = [
      work('devnet_createBlock', {}),
      work('devnet_createBlock', {}),
      work('devnet_mint', { address: '0x1', amount: 1 }),
    ];
    for (let round = 0; round < 10; round += 1) {
      const raw = await rawSocket({ port });
      raw.call(0, 'starknet_subscribeNewHeads', { block_id: { block_number: 0 } });
      raw.call(1, 'starknet_subscribeNewHeads');
      raw.call(2, 'starknet_subscribeNewTransactionReceipts');
      const blockCount = 8;
      const parsed = () => raw.texts.map((text) => JSON.parse(text));
      const numbersSentTo = (id: number): readonly number[] => {
        const messages = parsed();
        const confirmed = messages.findIndex((message) => message.id === id);
        if (confirmed < 0) return [];
        const subscription = messages[confirmed].result;
        const notifications = [...messages.entries()].filter(
          ([, message]) => message.params?.subscription_id === subscription,
        );
        expect(notifications.every(([at]) => at > confirmed)).toBe(true);
        return notifications.map(([, message]) => message.params.result.block_number);
      };
      await raw.until(() => numbersSentTo(1).length >= blockCount && numbersSentTo(2).length >= 1);
      const [all, later] = [numbersSentTo(0), numbersSentTo(1)];
      expect(all).toEqual(upTo(all.length));
      const [first = 0] = later;
      expect(later).toEqual(upTo(later.length).map((number) => first + number));
      raw.socket.destroy();
    }
    isDone = true;
    await Promise.all(busy);
    await node.close();
  });
});
