#!/usr/bin/env bash
# A tour of a node with only bash and curl. It reads JSON with jq, or with node if jq is missing.
#
#   npx starkbox --seed 0        in one terminal
#   bash tour.sh                 in another terminal; for another node: bash tour.sh http://127.0.0.1:5051
set -euo pipefail
url=${1:-http://127.0.0.1:5050}

STRK=0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d
TRANSFER=0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e
BALANCE_OF=0x35a73cd311a05d46deda634c5ee045db92f811b4e74bca4437fcb5302b7af33

# member PATH: a member of the JSON on stdin, for example .result.amount
member() {
  if command -v jq >/dev/null; then
    jq -r "$1"
  else
    node -e '
      const path = process.argv[1].match(/[\w-]+/g) ?? [];
      const value = path.reduce((of, name) => of?.[name], JSON.parse(require("fs").readFileSync(0, "utf8")));
      console.log(typeof value === "object" ? JSON.stringify(value) : String(value));
    ' "$1"
  fi
}

# rpc METHOD PARAMS: the whole response
rpc() {
  curl -sS "$url" -H 'content-type: application/json' \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":${2:-{\}}}"
}

balance_of() {
  rpc starknet_call "{\"block_id\":\"latest\",\"request\":{\"contract_address\":\"$STRK\",
    \"entry_point_selector\":\"$BALANCE_OF\",\"calldata\":[\"$1\"]}}" | member '.result[0]'
}

# transfer FROM TO AMOUNT: sends a transaction from an impersonated account, without a signature; prints its hash
transfer() {
  local nonce bound='{"max_amount":"0x1000000","max_price_per_unit":"0x174876e800"}'
  nonce=$(rpc starknet_getNonce "{\"block_id\":\"latest\",\"contract_address\":\"$1\"}" | member .result)
  rpc starknet_addInvokeTransaction "{\"invoke_transaction\":{\"type\":\"INVOKE\",\"version\":\"0x3\",
    \"sender_address\":\"$1\",\"nonce\":\"$nonce\",\"signature\":[],\"tip\":\"0x0\",
    \"calldata\":[\"0x1\",\"$STRK\",\"$TRANSFER\",\"0x3\",\"$2\",\"$3\",\"0x0\"],
    \"resource_bounds\":{\"l1_gas\":$bound,\"l1_data_gas\":$bound,\"l2_gas\":$bound},
    \"paymaster_data\":[],\"account_deployment_data\":[],
    \"nonce_data_availability_mode\":\"L1\",\"fee_data_availability_mode\":\"L1\"}}" | member .result.transaction_hash
}

echo "alive: $(curl -sS "$url/is_alive")"
echo "chain: $(rpc starknet_chainId | member .result)"
account=$(rpc devnet_getPredeployedAccounts | member '.result[0].address')
echo "first account: $account"

rpc devnet_mint '{"address":"0xabc","amount":1000,"unit":"FRI"}' >/dev/null
echo "minted: $(balance_of 0xabc)"

rpc devnet_impersonateAccount "{\"account_address\":\"$account\"}" >/dev/null
snapshot=$(rpc devnet_snapshot | member .result)
hash=$(transfer "$account" 0xabc 0x18)
echo "sent: $(rpc starknet_getTransactionReceipt "{\"transaction_hash\":\"$hash\"}" | member .result.execution_status)"
echo "received: $(balance_of 0xabc)"

rpc devnet_revert "{\"snapshot_id\":\"$snapshot\"}" >/dev/null
echo "after going back: $(balance_of 0xabc)"

failed=$(transfer "$account" 0x0 0x18)
echo "why it failed:"
rpc devnet_explainTransaction "{\"transaction_hash\":\"$failed\"}" | member .result.text

before=$(rpc starknet_getBlockWithTxHashes '{"block_id":"latest"}' | member .result.timestamp)
rpc devnet_increaseTime '{"time":3600}' >/dev/null
after=$(rpc starknet_getBlockWithTxHashes '{"block_id":"latest"}' | member .result.timestamp)
echo "an hour later: $((after - before >= 3600))"
