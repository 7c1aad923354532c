#!/bin/sh
# Tests inside of an image of Node, Debian or Alpine, what was built outside: the engine that STARKBOX_ENGINE names, and
# the packages in tarballs.
set -eu

# The test runner has binaries for each C library.
npm ci --ignore-scripts
npm run test:quick
# The examples take the engine from its package.
unset STARKBOX_ENGINE
node examples/run.mjs --packed tarballs token-node-test token-vitest
