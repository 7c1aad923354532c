// A node whose chain has a bit of everything: transfers, deployments, failures, a snapshot, a moved clock.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Class } from '@starkbox/engine';
import { startNode } from '@starkbox/test-support';
import { hash } from 'starknet';

export const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
const CONTRACTS = new URL('../../../contracts/', import.meta.url);
const price = { max_amount: 200_000_000n, max_price_per_unit: 5_000_000_000n };
const resourceBounds = {
  l1_gas: { ...price, max_amount: 0n },
  l2_gas: price,
  l1_data_gas: { ...price, max_amount: 20_000n },
};

/** Starts the node; `hasWallet` serves the wallet as well. */
export async function startSample({ hasWallet = false } = {}) {
  const started = await startNode({ listen: true, ui: true, wallet: hasWallet });
  const { node, url, account, provider, close } = started;

  /** @param {string} name @param {string[]} constructorCalldata */
  const deploy = async (name, constructorCalldata = []) => {
    const text = readFileSync(new URL(`cairo/${name}.sierra.json`, CONTRACTS), 'utf8');
    const casm = JSON.parse(await (await Class.compile(text)).casm());
    const { deploy } = await account(0).declareAndDeploy({
      contract: JSON.parse(text),
      casm,
      constructorCalldata,
      compiledClassHash: hash.computeCompiledClassHash(casm),
    });
    return deploy.contract_address;
  };
  /** @param {number} from @param {{contractAddress: string, entrypoint: string, calldata: (string | bigint)[]}[]} calls */
  const post = async (from, calls) =>
    (await account(from).execute(calls, { resourceBounds })).transaction_hash;
  /** Sends, and waits for the block. @type {typeof post} */
  const send = async (from, calls) => {
    const transaction_hash = await post(from, calls);
    await provider.waitForTransaction(transaction_hash);
    return transaction_hash;
  };
  /** @param {number} whom @param {bigint} amount */
  const transfer = (whom, amount) => ({
    contractAddress: STRK,
    entrypoint: 'transfer',
    calldata: [node.accounts[whom]?.address ?? '', amount, '0x0'],
  });

  await node.request('devnet_recordRequests', { enabled: true });
  for (let at = 0; at < 6; at++) {
    await node.request('devnet_mint', {
      address: node.accounts[at]?.address,
      amount: 10 ** 18,
      unit: 'FRI',
    });
  }
  /** @param {string} name @param {string} file */
  const addSource = async (name, file) => {
    const places = readFileSync(new URL(`places/${name}.sierra.json.gz`, CONTRACTS));
    const source = readFileSync(new URL(`src/${file}`, CONTRACTS), 'utf8');
    await node.request('devnet_addArtifact', {
      artifact: JSON.parse(gunzipSync(places).toString()),
      sources: { [`contracts/src/${file}`]: source },
    });
  };
  await addSource('failures', 'failing/failures.cairo');
  await addSource('counter', 'counter.cairo');
  const reverter = await deploy('reverter');
  const counter = await deploy('counter', ['7']);
  for (let at = 0; at < 12; at++)
    await send(at % 3, [transfer((at + 1) % 3, 15n * 10n ** BigInt(10 + (at % 8)))]);
  await node.request('devnet_snapshot', { name: 'before the swap' });
  const succeeded = await send(1, [
    transfer(2, 1_500_000_000_000_000_000n),
    { contractAddress: counter, entrypoint: 'increase', calldata: ['0x5'] },
    { contractAddress: reverter, entrypoint: 'recurse', calldata: ['0x3'] },
  ]);
  await send(
    0,
    Array.from({ length: 60 }, () => transfer(4, 1n)),
  );
  const reverted = await send(1, [transfer(2, 1n), transfer(2, 10n ** 30n)]);
  await send(2, [
    { contractAddress: reverter, entrypoint: 'fail_via', calldata: [reverter, '1', '0x6f6f7073'] },
  ]);
  const failures = await deploy('failures', ['0']);
  const overflow = await send(0, [
    { contractAddress: failures, entrypoint: 'helper', calldata: ['0x1'] },
  ]);
  const underfunded = await send(1, [transfer(2, 5_000n * 10n ** 18n)]);
  await node.request('devnet_increaseTime', { time: 86_400 });
  await node.request('devnet_setGasPrice', { gas_price_fri: 987_654_321, generate_block: true });
  await send(2, [transfer(0, 25n)]);
  return {
    node,
    origin: new URL(url).origin,
    post,
    transfer,
    close,
    counter,
    reverter,
    succeeded,
    reverted,
    overflow,
    underfunded,
  };
}

/** Waits for the debugger, which works in the page when the network is idle. @param {import('playwright-core').Page} page */
export async function settled(page) {
  const loading = page.locator('main').locator('[aria-busy="true"], [data-busy], [data-stale]');
  await loading.first().waitFor({ state: 'detached' });
}
