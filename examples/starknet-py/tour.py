# A tour of a node with starknet.py: declare, deploy, call, invoke, read events, fail, and go back.
#
#   npx starkbox --seed 0        in one terminal
#   python tour.py               in another terminal; for another node: python tour.py http://127.0.0.1:5051
import asyncio
import json
import sys
from pathlib import Path
from urllib.request import Request, urlopen

from starknet_py.contract import Contract
from starknet_py.net.account.account import Account
from starknet_py.net.client_errors import ClientError
from starknet_py.net.full_node_client import FullNodeClient
from starknet_py.net.models import StarknetChainId
from starknet_py.net.signer.key_pair import KeyPair

URL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:5050"
CONTRACTS = Path(__file__).parent / "contracts"
WAIT = {"check_interval": 0.02}


def devnet(method, **params):
    """Calls a method of the sandbox, which starknet.py has no function for."""
    body = {"jsonrpc": "2.0", "id": 1, "method": f"devnet_{method}", "params": params}
    headers = {"content-type": "application/json"}
    with urlopen(Request(URL, json.dumps(body).encode(), headers)) as response:
        return json.load(response)["result"]


async def main():
    # starknet.py 0.30 speaks version 0.10 of the specification.
    client = FullNodeClient(node_url=f"{URL}/rpc/v0_10")
    first = devnet("getPredeployedAccounts")[0]
    account = Account(
        client=client,
        address=first["address"],
        key_pair=KeyPair.from_private_key(int(first["private_key"], 16)),
        chain=StarknetChainId.SEPOLIA,
    )

    declared = await Contract.declare_v3(
        account,
        compiled_contract=(CONTRACTS / "counter.sierra.json").read_text(),
        compiled_contract_casm=(CONTRACTS / "counter.casm.json").read_text(),
        auto_estimate=True,
    )
    await declared.wait_for_acceptance(**WAIT)
    deployed = await declared.deploy_v3(constructor_args=[5], auto_estimate=True)
    await deployed.wait_for_acceptance(**WAIT)
    counter = deployed.deployed_contract
    print("deployed:", (await counter.functions["get"].call())[0])

    snapshot = devnet("snapshot")
    increased = await counter.functions["increase"].invoke_v3(2, auto_estimate=True)
    await increased.wait_for_acceptance(**WAIT)
    print("increased:", (await counter.functions["get"].call())[0])
    found = await client.get_events(
        address=counter.address, from_block_number=0, to_block_number="latest", chunk_size=10
    )
    print("events:", len(found.events))

    try:
        await counter.functions["increase"].invoke_v3(0, auto_estimate=True)
    except ClientError as error:
        # The estimate fails as the transaction would, and the node explains why.
        print("rejected:", error.data["explained"]["summary"])

    devnet("revert", snapshot_id=snapshot)
    print("after going back:", (await counter.functions["get"].call())[0])


asyncio.run(main())
