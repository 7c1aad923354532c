// A program that uses the installed packages: every part that a node loads late is loaded once.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createChain, RpcError } from 'starkbox';
import { connect } from 'starkbox/client';

/**
 * @param {string} url
 * @returns {Promise<number | undefined>} the status of an attempt to open a socket; Node 20 has no client for them
 */
function openSocket(url) {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  return new Promise((resolve, reject) => {
    request(url, { headers })
      .on('upgrade', ({ statusCode }, socket) => {
        socket.destroy();
        resolve(statusCode);
      })
      .on('response', ({ statusCode }) => resolve(statusCode))
      .on('error', reject)
      .end();
  });
}

const directory = mkdtempSync(join(tmpdir(), 'starkbox-use-'));
try {
  // The database, the metrics, and the client of L1, which deploys a contract.
  const dataDir = join(directory, 'data');
  const options = { seed: 0, dataDir, metricsHost: '127.0.0.1', metricsPort: 0 };
  const node = await createChain({ ...options, l1: 'anvil:0' });
  const { url } = await node.listen({ port: 0 });
  await node.mint('0x1', 1000n);
  assert.match(node.l1?.messagingContract ?? '', /^0x[0-9a-f]{40}$/);
  // The schemas explain a refusal.
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'starknet_getNonce', params: [] });
  const headers = { 'content-type': 'application/json' };
  const refused = await fetch(url, { method: 'POST', headers, body });
  assert.equal(JSON.parse(await refused.text()).error.code, -32602);
  assert.equal(await openSocket(`${url}/ws`), 101);
  // The client, with subscriptions, and errors of the same class as the library's.
  const chain = await connect(url);
  const heads = chain.subscribe('starknet_subscribeNewHeads');
  await chain.mine();
  assert.equal((await heads.next()).done, false);
  await assert.rejects(chain.requestRaw('starknet_blockNumbr'), RpcError);
  await chain.close();
  const height = await node.request('starknet_blockNumber');
  await node.close();
  const again = await createChain(options);
  assert.equal(await again.request('starknet_blockNumber'), height);
  await again.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

// Classes of another licence are asked for by the name of their package, which is not installed.
await assert.rejects(
  createChain({ predeclareArgent: true }),
  /npm install @starkbox\/argent-classes/,
);

// The command, its arguments and its logs in JSON.
const args = ['--seed', '0', '--port', '0', '--log-format', 'json', '--exit-with-parent'];
const command = fileURLToPath(import.meta.resolve('starkbox/command'));
const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
let url;
for await (const line of createInterface({ input: child.stderr })) {
  url = /http:\/\/[^"\s]+:\d+/.exec(String(JSON.parse(line).msg))?.[0];
  if (url !== undefined) break;
}
assert.equal((await fetch(`${url}/is_alive`)).status, 200);
child.kill();
