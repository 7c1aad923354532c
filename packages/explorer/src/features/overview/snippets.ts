// Code that sends a first transfer through this node, by client.

interface Given {
  readonly url: string;
  /** The sender and its private key. */
  readonly address: string;
  readonly key: string;
  readonly receiver: string;
}

const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';

export const SNIPPETS = {
  'starknet.js': ({ url, address, key, receiver }: Given) =>
    `import { Account, RpcProvider } from 'starknet';

const provider = new RpcProvider({ nodeUrl: '${url}' });
const account = new Account({
  provider,
  address: '${address}',
  signer: '${key}',
});
const { transaction_hash } = await account.execute({
  contractAddress: '${STRK}', // STRK
  entrypoint: 'transfer',
  calldata: ['${receiver}', 1000, 0],
});
await provider.waitForTransaction(transaction_hash);
console.log(transaction_hash);
`,
  'starknet.py': ({ url, address, key, receiver }: Given) =>
    `import asyncio
from starknet_py.hash.selector import get_selector_from_name
from starknet_py.net.account.account import Account
from starknet_py.net.client_models import Call
from starknet_py.net.full_node_client import FullNodeClient
from starknet_py.net.signer.key_pair import KeyPair

async def main():
    client = FullNodeClient(node_url="${url}/v0_10")
    account = Account(
        client=client,
        address="${address}",
        key_pair=KeyPair.from_private_key("${key}"),
        chain=int(await client.get_chain_id(), 16),
    )
    transfer = Call(
        to_addr=${STRK},  # STRK
        selector=get_selector_from_name("transfer"),
        calldata=[${receiver}, 1000, 0],
    )
    sent = await account.execute_v3(calls=transfer, auto_estimate=True)
    await client.wait_for_tx(sent.transaction_hash)
    print(hex(sent.transaction_hash))

asyncio.run(main())
`,
  sncast: ({ url, address, key, receiver }: Given) =>
    `sncast account import --url ${url} --name starkbox-0 --type oz \\
  --address ${address} \\
  --private-key '${key}'
sncast --account starkbox-0 invoke --url ${url} \\
  --contract-address ${STRK} \\
  --function transfer --calldata ${receiver} 1000 0
`,
};

export type Client = keyof typeof SNIPPETS;
