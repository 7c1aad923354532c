/// <reference lib="dom" />
// A tour through `starkbox/browser`, run by a page of each browser.

/** More than the calls of the tour need. */
const BOUNDS = {
  l1_gas: { max_amount: 0n, max_price_per_unit: 5_000_000_000n },
  l2_gas: { max_amount: 400_000_000n, max_price_per_unit: 5_000_000_000n },
  l1_data_gas: { max_amount: 40_000n, max_price_per_unit: 5_000_000_000n },
};
const RECEIVER = '0x123';
const START_TIME = 1_700_000_000;

/**
 * @typedef {object} Modules of the page
 * @property {typeof import('starkbox/browser')} browser
 * @property {typeof import('starknet')} starknet
 */

/**
 * @param {Modules} modules
 * @param {string} nodeUrl a node of another site, to fork
 */
export async function tour({ browser, starknet }, nodeUrl) {
  /** @type {import('starkbox/browser').EngineProgress[]} */
  const progress = [];
  const chain = await browser.createChain({
    seed: 0,
    accounts: 2,
    startTime: START_TIME,
    onProgress: (step) => progress.push(step),
  });
  const minted = await chain.mint(RECEIVER, 5n);
  const counter = await deployCounter(chain);
  const clients = await useStarknetJs(chain, starknet, counter);
  const moments = await moveInTime(chain);
  const { image, isShared } = await share(chain, browser);
  const heads = chain.subscribe('starknet_subscribeNewHeads');
  await chain.mine(2);
  const [{ value: first }, { value: second }] = [await heads.next(), await heads.next()];
  /** @type {object} */
  const withDataDir = { dataDir: 'chain' };
  const rejected = await browser.createChain(withDataDir).catch(String);
  const invalid = await chain.requestRaw('devnet_mint', { address: 'x', amount: 1 }).catch(String);
  const missing = await browser.createChain({ engine: '/missing.wasm' }).catch(String);
  const fork = await forkOf(browser, nodeUrl);
  const nodeImage = await loadNodeImage(browser);
  await chain.close();
  return {
    loaded: progress.at(-1)?.loaded,
    minted: minted.transactionHash,
    counter,
    ...clients,
    moments,
    image,
    nodeImage,
    isShared,
    heads: [first, second].map(
      (head) => head && 'block_number' in head.result && head.result.block_number,
    ),
    ...fork,
    rejected,
    invalid,
    missing,
    closed: await chain.mine().catch(String),
    globals: ['Buffer', 'process'].filter((name) => name in window),
    isIsolated: crossOriginIsolated,
  };
}

/** @param {import('starkbox/browser').TabChain} chain */
async function deployCounter(chain) {
  const { classHash } = await chain.declare(new URL('/counter.json', location.href));
  const { address } = await chain.deploy({ classHash, calldata: [41] });
  const artifact = await (await fetch('/counter-with-places.json')).json();
  const source = await (await fetch('/counter.cairo')).text();
  await chain.request('devnet_addArtifact', {
    artifact,
    sources: { 'contracts/src/counter.cairo': source },
  });
  const count = await chain.storage(address).get('count');
  return { classHash, address, count: String(count) };
}

/**
 * @param {import('starkbox/browser').TabChain} chain
 * @param {Modules['starknet']} starknet
 * @param {{ address: string }} counter
 */
async function useStarknetJs(chain, { Account, RpcProvider, WebSocketChannel }, { address }) {
  const provider = new RpcProvider({ nodeUrl: chain.rpcUrl, baseFetch: chain.fetch });
  const [sender] = chain.accounts;
  if (!sender) throw new Error('the chain has no account');
  const account = new Account({ provider, address: sender.address, signer: sender.privateKey });
  const { transaction_hash: transfer } = await account.execute({
    contractAddress: chain.tokens.strk.address,
    entrypoint: 'transfer',
    calldata: [RECEIVER, 7n, 0n],
  });
  await provider.waitForTransaction(transfer, { retryInterval: 100 });
  const [balance] = await provider.callContract({
    contractAddress: chain.tokens.strk.address,
    entrypoint: 'balance_of',
    calldata: [RECEIVER],
  });
  const channel = new WebSocketChannel({
    nodeUrl: chain.wsUrl,
    // Declared with all the members of the class of browsers.
    websocket: /** @type {import('starknet').WebSocketModule} */ (
      /** @type {unknown} */ (chain.WebSocket)
    ),
  });
  await channel.waitForConnection();
  const subscription = await channel.subscribeNewHeads();
  const head = new Promise((resolve) =>
    subscription.on(({ block_number }) => resolve(block_number)),
  );
  const { transaction_hash: failed } = await account.execute(
    { contractAddress: address, entrypoint: 'increase', calldata: [0] },
    { resourceBounds: BOUNDS },
  );
  const { text, stack } = await chain.explain(failed);
  const [line] = stack;
  const heard = await head;
  channel.disconnect();
  return {
    balance: String(balance),
    heard,
    explanation: text,
    line: { file: line?.file, line: line?.line, excerpt: line?.excerpt?.lines.length },
  };
}

/** @param {import('starkbox/browser').TabChain} chain */
async function moveInTime(chain) {
  const height = () => chain.request('starknet_blockNumber');
  const before = await height();
  const snapshot = await chain.snapshot();
  const branch = await chain.branch();
  await branch.mine(3);
  await chain.mine();
  const heights = [await branch.request('starknet_blockNumber'), await height()];
  await branch.close();
  await snapshot.restore();
  const { length } = await chain.instances.list();
  return { before, heights, after: await height(), instances: length };
}

/**
 * @param {import('starkbox/browser').TabChain} chain
 * @param {Modules['browser']} browser
 */
async function share(chain, { createChain, connectPort }) {
  const height = await chain.request('starknet_blockNumber');
  const image = await chain.saveImage();
  const copy = await createChain({ image });
  const loaded = {
    isSameHeight: (await copy.request('starknet_blockNumber')) === height,
    accounts: copy.accounts.length,
    balance: String((await copy.mint(RECEIVER, 1n)).balance),
  };
  await copy.close();
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const opened = new Promise((resolve) => {
    frame.contentWindow?.addEventListener('message', async ({ ports: [port] }) => {
      if (!port) return;
      const other = await connectPort(port);
      const block = await other.request('starknet_blockNumber');
      await other.close();
      resolve(block === height);
    });
  });
  frame.contentWindow?.postMessage('chain', '*', [await chain.openPort()]);
  return { image: loaded, isShared: await opened };
}

/**
 * @param {Modules['browser']} browser
 * @param {string} forkNetwork
 */
async function forkOf({ createChain }, forkNetwork) {
  const fork = await createChain({ forkNetwork });
  const { balance } = await fork.mint(RECEIVER, 1n);
  const block = await fork.request('starknet_blockNumber');
  const hash = await hashOf(fork, 1);
  await fork.close();
  const unreachable = await createChain({
    forkNetwork: 'http://localhost:1',
    forkTimeout: 1,
  }).catch(String);
  return { fork: { balance: String(balance), block, hash }, unreachable };
}

/**
 * @param {import('starkbox/browser').TabChain} chain
 * @param {number} block_number
 */
async function hashOf(chain, block_number) {
  const block_id = { block_number };
  const block = await chain.request('starknet_getBlockWithTxHashes', { block_id });
  return 'block_hash' in block ? block.block_hash : undefined;
}

/** @param {Modules['browser']} browser */
async function loadNodeImage({ createChain }) {
  const image = new Uint8Array(await (await fetch('/node.image')).arrayBuffer());
  const chain = await createChain({ image });
  const height = await chain.request('starknet_blockNumber');
  const hash = await hashOf(chain, 1);
  await chain.close();
  return { height, hash, accounts: chain.accounts.length };
}
