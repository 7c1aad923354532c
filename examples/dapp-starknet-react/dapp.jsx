// A dapp with starknet-react: connect a wallet, read a balance, pay.
import { devnet } from '@starknet-react/chains';
import {
  InjectedConnector,
  jsonRpcProvider,
  StarknetConfig,
  useAccount,
  useConnect,
  useReadContract,
  useSendTransaction,
} from '@starknet-react/core';
import { createRoot } from 'react-dom/client';

// Tests pass the URL of their node in the query string.
const nodeUrl = new URLSearchParams(location.search).get('rpc') ?? 'http://localhost:5050/rpc';
const provider = jsonRpcProvider({ rpc: () => ({ nodeUrl }) });
// The wallet of Starkbox registers itself under this id.
const connectors = [new InjectedConnector({ options: { id: 'starkbox' } })];

const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
const SHOP = '0xabc';
const TOKEN_ABI = [
  {
    type: 'function',
    name: 'balance_of',
    inputs: [{ name: 'account', type: 'core::starknet::contract_address::ContractAddress' }],
    outputs: [{ type: 'core::integer::u256' }],
    state_mutability: 'view',
  },
];

function Dapp() {
  const { connect } = useConnect();
  const { address } = useAccount();
  const balance = useReadContract({
    abi: TOKEN_ABI,
    address: STRK,
    functionName: 'balance_of',
    args: [SHOP],
    refetchInterval: 200,
  });
  const payment = useSendTransaction({
    calls: [{ contractAddress: STRK, entrypoint: 'transfer', calldata: [SHOP, '5', '0'] }],
  });
  return (
    <>
      <button type="button" onClick={() => connect({ connector: connectors[0] })}>
        Connect
      </button>
      <button type="button" onClick={() => payment.send()}>
        Pay
      </button>
      <p id="account">{address}</p>
      <p id="balance">{String(balance.data)}</p>
      <p role="status">{payment.error ? 'You rejected the payment' : payment.status}</p>
    </>
  );
}

createRoot(document.querySelector('#dapp')).render(
  <StarknetConfig chains={[devnet]} provider={provider} connectors={connectors}>
    <Dapp />
  </StarknetConfig>,
);
