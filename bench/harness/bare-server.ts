// Node's HTTP server with a constant answer: what would remain of a read if JSON-RPC and the chain cost nothing.
import { createServer } from 'node:http';
import { argv, execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { memberOf } from '@starkbox/abi/basics';
import { SpawnedNode } from './spawned-node.js';

const FILE = fileURLToPath(import.meta.url);

/** Runs work on such a server in a new process. */
export async function onBareServer<T>(work: (server: SpawnedNode) => Promise<T>): Promise<T> {
  const server = await SpawnedNode.open({ command: `${execPath} ${FILE} --port 0` });
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}

function serve(port: number): void {
  const server = createServer(async (request, response) => {
    const id = memberOf(JSON.parse(await text(request)), 'id');
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: 0 });
    const length = Buffer.byteLength(answer);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
    response.end(answer);
  });
  server.listen(port, '127.0.0.1');
}

// This module is also the program that it starts.
if (argv[1] === FILE) serve(Number(argv[3]));
