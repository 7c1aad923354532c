#!/bin/sh
# Builds, tests and packs inside of an image of Node: Debian or Alpine.
set -eu

strict=--strict
if [ -e /etc/alpine-release ]; then
  apk add --no-cache bash build-base cmake curl git linux-headers python3
  # An addon is loaded by a program that is linked to the C library, and has to be too.
  export RUSTFLAGS=-Ctarget-feature=-crt-static
  strict=
fi
curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
  sh -s -- -y --default-toolchain stable --profile minimal --component llvm-tools
. "$HOME/.cargo/env"
git config --global --add safe.directory "$PWD"

npm ci
# The training run works on a complete node.
npm run build
npm run build:engine:train -- --profile dist
npm run test:quick
npm run pack -- tarballs $strict
npm run pack -- image starkbox
node examples/run.mjs token-node-test token-vitest
