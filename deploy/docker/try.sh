#!/usr/bin/env bash
# Tries an image: bash deploy/docker/try.sh IMAGE. A node must become healthy, keep a change in its volume, end by the
# signal that containers get, and have the change when it starts again.
set -euo pipefail

image=$1
name=starkbox-try-$$
finish() {
  docker logs "$name" || true
  docker rm --force "$name" >/dev/null || true
  docker volume rm --force "$name" >/dev/null || true
}
trap finish EXIT

state() { docker inspect --format "{{.State.$1}}" "$name"; }

wait_until_healthy() {
  for _ in $(seq 120); do
    [ "$(state Health.Status)" = healthy ] && return
    [ "$(state Running)" = true ] || { echo 'the node has ended' >&2; return 1; }
    sleep 0.5
  done
  echo 'the node did not become healthy within a minute' >&2
  return 1
}

# call METHOD PARAMS: prints the response
call() {
  curl --fail --silent --show-error --header 'content-type: application/json' \
    --data "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":$2}" "http://$(docker port "$name" 5050/tcp)"
}

# expect RESULT METHOD PARAMS
expect() {
  local response
  response=$(call "$2" "$3")
  case $response in
    *"\"result\":$1"*) ;;
    *) echo "$2 answered $response in place of $1" >&2; return 1 ;;
  esac
}

docker run --detach --name "$name" --publish 127.0.0.1::5050 --volume "$name:/data" "$image" --data-dir /data/chain
wait_until_healthy
expect '{' devnet_mint '{"address":"0x1234","amount":1000}'
expect '{' devnet_createBlock '{}'
height=$(call starknet_blockNumber '[]' | sed -n 's/.*"result":\([0-9]*\).*/\1/p')
docker stop "$name"
[ "$(state ExitCode)" = 0 ] || { echo "the node ended with $(state ExitCode)" >&2; exit 1; }
docker start "$name"
wait_until_healthy
expect "$height" starknet_blockNumber '[]'
expect '{"amount":"1000"' devnet_getAccountBalance '{"address":"0x1234"}'
