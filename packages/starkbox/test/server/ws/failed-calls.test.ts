// Calls over a WebSocket that fail outside of a handler: they are answered, and the socket serves on.
import { ERRORS } from '@starkbox/spec';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { expect, test } from 'vitest';
import { RpcError } from '../../../src/errors.js';
import { type Log, silentLog } from '../../../src/log.js';
import { serveHttp } from '../../../src/server/http/server.js';
import { type SocketOptions, serveSockets } from '../../../src/server/ws/server.js';
import { RawSocket } from '../../support/raw-socket.js';

/** Answers each call with its text, but for those that name an error. */
const dispatcher: SocketOptions['dispatcher'] = {
  handle: async (text) => {
    if (text.includes('unexpected')) throw new Error('the disk is on fire');
    if (text.includes('expected')) throw new RpcError(ERRORS.SERVICE_BUSY.code, 'try again');
    return text;
  },
};

async function answers(
  changes: Partial<SocketOptions>,
  methods: readonly string[],
): Promise<{ readonly answers: readonly unknown[]; readonly errors: readonly unknown[] }> {
  const errors: unknown[] = [];
  const log: Log = { ...silentLog, error: (...said: unknown[]) => void errors.push(said[1]) };
  const limits = { messageLimit: 1_000, unreadLimit: 100_000 };
  const hooks = { beforeAnswer: () => {}, onClose: () => {} };
  const sockets = serveSockets({ dispatcher, log, ...limits, ...hooks, ...changes });
  const server = await serveHttp({
    ...{ dispatcher, log, host: '127.0.0.1', port: 0, timeoutSeconds: 20, bodyLimit: 1_000 },
    config: () => '{}',
    upgrades: new Map([['/ws', (...args) => sockets.upgrade(args[0], args[1], args[2])]]),
  });
  const raw = await RawSocket.open(server.port);
  closeAfterTest(async () => {
    raw.socket.destroy();
    sockets.close();
    await server.close();
  });
  for (const [id, method] of methods.entries()) raw.call(id, method);
  await raw.until(() => raw.texts.length === methods.length);
  return { answers: raw.texts.map((text) => JSON.parse(text)), errors };
}

test('a call whose handling throws is answered with its id, and the next one too', async () => {
  const { answers: all, errors } = await answers({}, ['unexpected', 'expected', 'last']);
  expect(all).toEqual([
    {
      jsonrpc: '2.0',
      id: 0,
      error: { code: ERRORS.INTERNAL_ERROR.code, message: expect.any(String) },
    },
    {
      jsonrpc: '2.0',
      id: 1,
      error: { code: ERRORS.SERVICE_BUSY.code, message: 'try again' },
    },
    expect.objectContaining({ id: 2, method: 'last' }),
  ]);
  expect(JSON.stringify(all)).not.toContain('fire');
  expect(errors).toHaveLength(2);
});

test('an answer is sent although notifications before it cannot be', async () => {
  const beforeAnswer = (): void => {
    throw new Error('a notification cannot be written');
  };
  const { answers: all, errors } = await answers({ beforeAnswer }, ['first', 'last']);
  expect(all).toMatchObject([{ id: 0 }, { id: 1 }]);
  expect(errors).toEqual(Array(2).fill('notifications could not be sent before a response'));
});
