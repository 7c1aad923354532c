# A dapp in starknet.py, which has outside executions and no client of a paymaster: the requests are plain JSON-RPC.
# Its argument says what to use, its output what it found, both as JSON.
import asyncio
import json
import sys
from datetime import datetime
from urllib.request import Request, urlopen

from starknet_py.constants import OutsideExecutionInterfaceID
from starknet_py.hash.outside_execution import outside_execution_to_typed_data
from starknet_py.hash.selector import get_selector_from_name
from starknet_py.net.account.account import Account
from starknet_py.net.client_models import (
    Call,
    OutsideExecution,
    OutsideExecutionTimeBounds,
)
from starknet_py.net.full_node_client import FullNodeClient
from starknet_py.net.signer.key_pair import KeyPair
from starknet_py.utils.typed_data import TypedData

ANY_CALLER = int.from_bytes(b"ANY_CALLER", "big")
SPONSORED = {"version": "0x1", "fee_mode": {"mode": "sponsored"}}


class Paymaster:
    def __init__(self, url):
        self.url = url

    def call(self, method, **params):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"Content-Type": "application/json"}
        request = Request(self.url, json.dumps(body).encode(), headers)
        with urlopen(request) as response:
            return json.loads(response.read())

    def build(self, user, calls, parameters):
        wire = [
            {
                "to": hex(call.to_addr),
                "selector": hex(call.selector),
                "calldata": [hex(felt) for felt in call.calldata],
            }
            for call in calls
        ]
        invoke = {"user_address": hex(user), "calls": wire}
        transaction = {"type": "invoke", "invoke": invoke}
        return self.call(
            "paymaster_buildTransaction", transaction=transaction, parameters=parameters
        )["result"]

    def execute(self, user, typed_data, signature, parameters):
        invoke = {
            "user_address": hex(user),
            "typed_data": typed_data,
            "signature": [hex(felt) for felt in signature],
        }
        return self.call(
            "paymaster_executeTransaction",
            transaction={"type": "invoke", "invoke": invoke},
            parameters=parameters,
        )


def second_version(execution, chain_id):
    typed_data = outside_execution_to_typed_data(
        execution, OutsideExecutionInterfaceID.V2, chain_id
    ).to_dict()
    # 0.30.0 encodes a selector only if it is a string, and writes a number itself.
    for call in typed_data["message"]["Calls"]:
        call["Selector"] = hex(call["Selector"])
    return TypedData.from_dict(typed_data)


async def main(task):
    client = FullNodeClient(node_url=task["url"])
    chain_id = int(task["chainId"], 16)
    keys = KeyPair.from_private_key(int(task["privateKey"], 16))
    account = Account(
        address=task["address"],
        client=client,
        key_pair=keys,
        chain=chain_id,
    )
    token, to = int(task["token"], 16), int(task["to"], 16)
    calls = [Call(token, get_selector_from_name("transfer"), [to, 5, 0])]
    paymaster = Paymaster(task["paymaster"])
    found = {}

    # The typed data of the paymaster, signed as any other.
    built = paymaster.build(account.address, calls, SPONSORED)
    signature = account.sign_message(TypedData.from_dict(built["typed_data"]))
    found["sponsored"] = paymaster.execute(
        account.address, built["typed_data"], signature, SPONSORED
    )["result"]["transaction_hash"]

    # A fee in the token, which is the last call.
    paid = {"version": "0x1", "fee_mode": {"mode": "default", "gas_token": task["token"]}}
    built = paymaster.build(account.address, calls, paid)
    found["calls"] = len(built["typed_data"]["message"]["Calls"])
    signature = account.sign_message(TypedData.from_dict(built["typed_data"]))
    found["paid"] = paymaster.execute(
        account.address, built["typed_data"], signature, paid
    )["result"]["transaction_hash"]

    # The outside execution that the library builds from the same values has the same hash.
    built = paymaster.build(account.address, calls, SPONSORED)
    message = built["typed_data"]["message"]
    execution = OutsideExecution(
        caller=int(message["Caller"], 16),
        nonce=int(message["Nonce"], 16),
        execute_after=int(message["Execute After"], 16),
        execute_before=int(message["Execute Before"], 16),
        calls=calls,
    )
    theirs = TypedData.from_dict(built["typed_data"])
    found["isSameHash"] = second_version(execution, chain_id).message_hash(
        account.address
    ) == theirs.message_hash(account.address)

    # Typed data of the library alone, for any caller.
    before = execution.execute_before
    nonce = await account.get_outside_execution_nonce()
    own = second_version(OutsideExecution(ANY_CALLER, nonce, 1, before, calls), chain_id)
    signature = account.sign_message(own)
    found["own"] = paymaster.execute(
        account.address, own.to_dict(), signature, SPONSORED
    )["result"]["transaction_hash"]

    # The call of version 1 that the library signs by default for an account with both versions.
    argent = Account(
        address=task["argent"],
        client=client,
        key_pair=KeyPair.from_private_key(int(task["argentKey"], 16)),
        chain=chain_id,
    )
    nonce = await argent.get_outside_execution_nonce()
    bounds = OutsideExecutionTimeBounds(
        execute_after=datetime.fromtimestamp(1),
        execute_before=datetime.fromtimestamp(before),
    )
    call = await argent.sign_outside_execution_call(calls, bounds, nonce=nonce)
    first_version = outside_execution_to_typed_data(
        OutsideExecution(ANY_CALLER, nonce, 1, before, calls),
        OutsideExecutionInterfaceID.V1,
        chain_id,
    )
    found["argent"] = paymaster.execute(
        argent.address, first_version.to_dict(), call.calldata[-2:], SPONSORED
    )["result"]["transaction_hash"]

    # Twice, and with a wrong signature.
    found["replayed"] = paymaster.execute(
        account.address, own.to_dict(), signature, SPONSORED
    )["error"]["code"]
    built = paymaster.build(account.address, calls, SPONSORED)
    found["wrong"] = paymaster.execute(
        account.address, built["typed_data"], signature, SPONSORED
    )["error"]["code"]
    print(json.dumps(found))


asyncio.run(main(json.loads(sys.argv[1])))
