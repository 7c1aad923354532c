// A node in a worker thread that reports the end of its chain.
import { parentPort, workerData } from 'node:worker_threads';
import { createChain } from 'starkbox';

const { index, gate, count } = workerData;
const ADDRESS = '0xbeef';

/** A barrier: all workers start together, so that their calls overlap. */
function meet() {
  Atomics.add(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (let here = Atomics.load(gate, 0); here < count; here = Atomics.load(gate, 0)) {
    Atomics.wait(gate, 0, here);
  }
}

// The same seed everywhere, so that data of another node would be accepted here.
const node = await createChain({ seed: 0, accounts: 2 + index });
const ask = (method, params) => node.request(method, params);
meet();

const snapshots = [];
const hashes = [];
for (let round = 0; round <= index; round += 1) {
  hashes.push((await ask('devnet_mint', { address: ADDRESS, amount: 1000 + index })).tx_hash);
  snapshots.push(await ask('devnet_snapshot'));
  await ask('devnet_impersonateAccount', { account_address: `0x${index + 1}${round}` });
}
const time = 1_000_000_000 * (index + 1);
await ask('devnet_setTime', { time });
await ask('devnet_setGasPrice', { l2_gas_price_fri: 1_000_000_000 + index, generate_block: true });
// One more, and back again.
const snapshotId = await ask('devnet_snapshot');
await ask('devnet_mint', { address: ADDRESS, amount: 7 });
const reverted = await ask('devnet_revert', { snapshot_id: snapshotId });

const { events } = await ask('starknet_getEvents', { filter: { chunk_size: 1000 } });
parentPort.postMessage({
  status: await ask('devnet_getStatus'),
  balance: await ask('devnet_getAccountBalance', { address: ADDRESS }),
  latest: await ask('starknet_getBlockWithTxHashes', { block_id: 'latest' }),
  accounts: node.accounts.length,
  snapshots,
  hashes,
  reverted,
  emitters: [...new Set(events.map(({ transaction_hash }) => transaction_hash))],
});
await node.close();
