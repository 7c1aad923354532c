# A client in starknet.py with its own defaults: its argument says what to use, its output what became of it, both as JSON.
import asyncio
import json
import sys

from starknet_py.net.account.account import Account
from starknet_py.net.client_errors import ClientError
from starknet_py.net.client_models import Call
from starknet_py.net.full_node_client import FullNodeClient
from starknet_py.net.models import StarknetChainId
from starknet_py.net.signer.key_pair import KeyPair
from starknet_py.hash.selector import get_selector_from_name
from starknet_py.transaction_errors import TransactionNotReceivedError


async def send(client, account, token):
    call = Call(
        to_addr=int(token, 16),
        selector=get_selector_from_name("transfer"),
        calldata=[0x77, 1, 0],
    )
    try:
        sent = await account.execute_v3(calls=call, auto_estimate=True)
    except ClientError as error:
        return {"code": error.code}
    sent_hash = hex(sent.transaction_hash)
    try:
        receipt = await client.wait_for_tx(
            sent.transaction_hash, check_interval=0.025, retries=200
        )
    except TransactionNotReceivedError as error:
        return {"hash": sent_hash, "error": str(error)}
    return {"hash": sent_hash, "status": receipt.execution_status.value}


async def run(task, client, owner):
    account = Account(
        address=int(owner["address"], 16),
        client=client,
        key_pair=KeyPair.from_private_key(int(owner["privateKey"], 16)),
        chain=StarknetChainId.SEPOLIA,
    )
    return [await send(client, account, task["token"]) for _ in range(task["count"])]


async def main(task):
    client = FullNodeClient(node_url=task["url"])
    ends = await asyncio.gather(*(run(task, client, owner) for owner in task["accounts"]))
    print(json.dumps([end for some in ends for end in some]))


asyncio.run(main(json.loads(sys.argv[1])))
