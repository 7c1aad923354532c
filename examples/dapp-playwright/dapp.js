// The page finds a wallet with get-starknet and pays with a token through starknet.js.
import getStarknet from '@starknet-io/get-starknet-core';
import { Contract, RpcProvider, WalletAccount } from 'starknet';

// Tests pass these in the query string. A published dapp has them in its settings.
const settings = new URLSearchParams(location.search);
const provider = new RpcProvider({
  nodeUrl: settings.get('rpc') ?? 'http://127.0.0.1:5050/rpc',
  transactionRetryIntervalFallback: 100,
});
const tokenAddress = settings.get('token');

/** The error code of a wallet whose user rejects. */
const USER_REJECTED = 113;

const find = (id) => document.getElementById(id);
const show = (text) => {
  find('status').textContent = text;
};
let account;

find('connect').addEventListener('click', async () => {
  await attempt('connection', async () => {
    const [wallet] = await getStarknet.getAvailableWallets();
    if (!wallet) {
      show('There is no wallet');
      return;
    }
    account = await WalletAccount.connect(provider, wallet);
    show(`Connected with ${wallet.name}: ${account.address}`);
    await showBalance();
  });
});

find('pay').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { to, amount } = Object.fromEntries(new FormData(event.target));
  await attempt('payment', async () => {
    if (!account) {
      show('Connect a wallet first');
      return;
    }
    const { transaction_hash } = await account.execute({
      contractAddress: tokenAddress,
      entrypoint: 'transfer',
      calldata: [to, amount, '0'],
    });
    show('Sent');
    await provider.waitForTransaction(transaction_hash);
    show(`Paid ${amount}`);
    await showBalance();
  });
});

async function attempt(what, run) {
  try {
    await run();
  } catch (error) {
    show(
      error.code === USER_REJECTED
        ? `You rejected the ${what}`
        : `The ${what} failed: ${error.message}`,
    );
  }
}

async function showBalance() {
  const { abi } = await provider.getClassAt(tokenAddress);
  const token = new Contract({ abi, address: tokenAddress, providerOrAccount: provider });
  find('balance').textContent = String(await token.call('balance_of', [account.address]));
}
