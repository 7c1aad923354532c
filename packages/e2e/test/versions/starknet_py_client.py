# A dapp in starknet.py: its argument says what to use, its output what it found, both as JSON.
import asyncio
import json
import sys
from pathlib import Path

from starknet_py.constants import EXPECTED_RPC_VERSION
from starknet_py.contract import Contract
from starknet_py.hash.address import compute_address
from starknet_py.hash.selector import get_selector_from_name
from starknet_py.hash.storage import get_storage_var_address
from starknet_py.net.account.account import Account
from starknet_py.net.client_errors import ClientError
from starknet_py.net.client_models import Call
from starknet_py.net.full_node_client import FullNodeClient
from starknet_py.net.signer.key_pair import KeyPair
from starknet_py.net.websockets.websocket_client import WebsocketClient

WAIT = {"check_interval": 0.02}


async def refusal(request):
    try:
        await request
    except ClientError as error:
        return error
    raise AssertionError("the node did not refuse the request")


async def deploy_account(client, task):
    keys = KeyPair.from_private_key(int(task["privateKey"], 16))
    class_hash, salt = int(task["classHash"], 16), int(task["salt"], 16)
    address = compute_address(
        class_hash=class_hash, constructor_calldata=[keys.public_key], salt=salt
    )
    result = await Account.deploy_account_v3(
        address=address,
        class_hash=class_hash,
        salt=salt,
        key_pair=keys,
        client=client,
        auto_estimate=True,
    )
    await result.wait_for_acceptance(**WAIT)
    return result.account


async def deploy_counter(account, folder):
    declared = await Contract.declare_v3(
        account,
        compiled_contract=(folder / "counter.sierra.json").read_text(),
        compiled_contract_casm=(folder / "counter.casm.json").read_text(),
        auto_estimate=True,
    )
    await declared.wait_for_acceptance(**WAIT)
    deployed = await declared.deploy_v3(constructor_args=[5], auto_estimate=True)
    await deployed.wait_for_acceptance(**WAIT)
    return declared.class_hash, deployed.deployed_contract


async def read_by_one(client):
    """All events, one in a page."""
    events, token = [], None
    while not events or token is not None:
        chunk = await client.get_events(
            from_block_number=0,
            to_block_number="latest",
            continuation_token=token,
            chunk_size=1,
        )
        events, token = events + chunk.events, chunk.continuation_token
    return events


async def follow(socket_url, block_number, send):
    """The numbers of the blocks from a known one on, announced until `send` has made one more."""
    socket = WebsocketClient(socket_url)
    await socket.connect()
    heads = asyncio.Queue()
    subscription = await socket.subscribe_new_heads(
        handler=lambda head: heads.put_nowait(head.result.block_number),
        block_number=block_number,
    )
    known = await heads.get()
    await send()
    made = await heads.get()
    await socket.unsubscribe(subscription)
    await socket.disconnect()
    return [known, made]


async def main(task):
    client = FullNodeClient(node_url=task["url"])
    found = {
        "expectedVersion": EXPECTED_RPC_VERSION,
        "version": await client.spec_version(),
    }
    account = await deploy_account(client, task)
    found["account"] = hex(account.address)
    found["nonce"] = await account.get_nonce()

    class_hash, counter = await deploy_counter(account, Path(task["contracts"]))
    found["classHash"] = hex(class_hash)
    (found["before"],) = await counter.functions["get"].call()

    increase = counter.functions["increase"].prepare_invoke_v3(2)
    estimate = await increase.estimate_fee()
    found["isEstimated"] = estimate.overall_fee > 0
    signed = await account.sign_invoke_v3(
        increase, resource_bounds=estimate.to_resource_bounds()
    )
    found["simulated"] = len(await client.simulate_transactions([signed]))

    invoked = await increase.invoke(auto_estimate=True, auto_estimate_tip=True)
    await invoked.wait_for_acceptance(**WAIT)
    (found["after"],) = await counter.functions["get"].call()
    found["events"] = [
        [hex(key) for key in event.keys]
        for event in (
            await client.get_events(
                address=counter.address,
                from_block_number=0,
                to_block_number="latest",
                follow_continuation_token=True,
                chunk_size=10,
            )
        ).events
    ]
    every = await client.get_events(
        from_block_number=0, to_block_number="latest", chunk_size=100
    )
    found["arePagesEqual"] = await read_by_one(client) == every.events
    trace = await client.trace_transaction(invoked.hash)
    found["isTraced"] = len(trace.execute_invocation.calls) > 0
    await client.get_block_with_receipts(block_number="latest")
    await client.get_state_update(block_number="latest")
    found["storage"] = await client.get_storage_at(
        counter.address, get_storage_var_address("count")
    )

    zero = Call(counter.address, get_selector_from_name("increase"), [0])
    error = await refusal(client.call_contract(zero))
    found["refusal"] = {
        "code": error.code,
        "isExplained": b"amount is 0".hex() in str(error),
    }
    found["unknown"] = (await refusal(client.get_block(block_number=1000))).code

    async def send():
        again = await increase.invoke(auto_estimate=True)
        await again.wait_for_acceptance(**WAIT)

    found["heads"] = await follow(
        task["socket"], await client.get_block_number(), send
    )
    print(json.dumps(found))


asyncio.run(main(json.loads(sys.argv[1])))
