// A process that may open few files: its connections leave enough of them for everything else.
import { connect, type Socket } from 'node:net';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { expect, onTestFinished, test } from 'vitest';

/** The default of macOS. Node opens the modules of a start together, about 70 of them. */
const FEW = { shell: ['bash', '-c', 'ulimit -n 256 && exec "$@"', 'bash'] };
const CLIENTS = 400;

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_blockNumber' });
const request = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** A client that sends a request and keeps its connection. */
async function client(url: string): Promise<{ socket: Socket; answer: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const answer = new Promise<string>((resolve) => {
    socket.on('error', () => {}); // it is closed then
    socket.once('data', (bytes) => resolve(bytes.toString()));
    socket.once('close', () => resolve('closed'));
  });
  socket.write(request);
  return { socket, answer: await answer };
}

test('the first requests are answered, and further ones once connections are closed', async () => {
  const node = await RunningCommand.start([], FEW);
  onTestFinished(async () => {
    await node.kill();
  });
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => client(node.url)));
  const answers = clients.map(({ answer }) => answer);
  const isAnswered = (answer: string): boolean => /^HTTP\/1.1 200 .*"result":0/s.test(answer);
  expect(answers.filter((answer) => !isAnswered(answer) && answer !== 'closed')).toEqual([]);
  expect(answers.filter(isAnswered).length).toBeGreaterThan(0);
  for (const { socket } of clients) {
    socket.destroy();
  }
  // The node notices closed connections one after another.
  const blockNumber = (): Promise<unknown> =>
    node.call('starknet_blockNumber').catch((error: unknown) => error);
  await expect.poll(blockNumber, { timeout: 20_000 }).toBe(0);
  expect(await node.call('devnet_mint', { address: '0x1', amount: 1 })).toBeDefined();
});
