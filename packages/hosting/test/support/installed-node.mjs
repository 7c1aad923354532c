// A program beside installed packages: makes calls to an instance in a store, and prints what they gave.
import { createChain } from 'starkbox';

const node = await createChain({ seed: 0, accounts: 1, instanceStore: process.argv[2] });
const { url } = await node.listen({ port: 0 });

/**
 * @param {string} path
 * @param {string} method
 * @param {object} params
 */
async function call(path, method, params) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return Object(await response.json());
}

const created = await call('', 'devnet_createInstance', {});
const path = `/instances/${created.result.instance_id}/rpc`;
const minted = await call(path, 'devnet_mint', { address: '0x1', amount: 1 });
const wrong = { from: 'root', options: {} };
const { error } = await call('', 'devnet_createInstance', wrong);
console.log(JSON.stringify({ minted: minted.result.new_balance, refused: error }));
await node.close();
