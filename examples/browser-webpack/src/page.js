// Starts a chain in a Web Worker, and sends tokens with starknet.js.
import { createChain } from 'starkbox/browser';
import { Account, RpcProvider } from 'starknet';

const RECEIVER = '0x123';

function show(id, text) {
  document.getElementById(id).textContent = text;
}

async function run() {
  const chain = await createChain({
    seed: 0,
    onProgress: ({ loaded }) =>
      show('status', `Loading the engine: ${(loaded / 1e6).toFixed(0)} MB`),
  });
  const provider = new RpcProvider({ nodeUrl: chain.rpcUrl, baseFetch: chain.fetch });
  const [{ address, privateKey }] = chain.accounts;
  const account = new Account({ provider, address, signer: privateKey });
  const token = chain.tokens.strk.address;
  const { transaction_hash } = await account.execute({
    contractAddress: token,
    entrypoint: 'transfer',
    calldata: [RECEIVER, 1000, 0],
  });
  await provider.waitForTransaction(transaction_hash, { retryInterval: 100 });
  const [balance] = await provider.callContract({
    contractAddress: token,
    entrypoint: 'balance_of',
    calldata: [RECEIVER],
  });
  show('block', await chain.request('starknet_blockNumber'));
  show('balance', BigInt(balance));
  show('status', 'Ready');
}

run().catch((error) => show('status', error.message));
