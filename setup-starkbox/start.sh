#!/usr/bin/env bash
# Starts a node in the background and waits until it answers.
set -euo pipefail

log=$RUNNER_TEMP/starkbox.log
read -ra options <<<"$STARKBOX_ACTION_OPTIONS"
nohup starkbox --port "$STARKBOX_ACTION_PORT" ${options[@]+"${options[@]}"} >"$log" 2>&1 </dev/null &
pid=$!

# The node prints this line when it answers.
url() { sed -nE 's|^Starkbox listening on (http://[^ ]+).*|\1|p' "$log"; }
while [ -z "$(url)" ]; do
  if ! kill -0 "$pid" 2>/dev/null; then
    echo '::error::the node has ended; what it printed follows'
    cat "$log"
    exit 1
  fi
  sleep 0.1
done
printf 'url=%s\npid=%s\nlog=%s\n' "$(url)" "$pid" "$log" | tee -a "$GITHUB_OUTPUT"
