#!/usr/bin/env bash
# Installs the package and puts its command on the path of the steps that follow.
set -euo pipefail

folder=$RUNNER_TEMP/starkbox
mkdir -p "$folder"
packages=("starkbox@$STARKBOX_ACTION_VERSION")
if [ -n "$STARKBOX_ACTION_PACKAGES" ]; then
  # A pattern, so that the shell has to expand it.
  # shellcheck disable=SC2086
  cp $STARKBOX_ACTION_PACKAGES "$folder"
fi
cd "$folder"
# Without a manifest, npm would install into a folder above that has one.
[ -e package.json ] || echo '{ "private": true }' >package.json
[ -z "$STARKBOX_ACTION_PACKAGES" ] || packages=(./*.tgz)
# Packages of other platforms are skipped where they are optional.
npm install --ignore-scripts --save-optional --no-audit --no-fund --no-package-lock "${packages[@]}"
node_modules/.bin/starkbox --version
echo "$folder/node_modules/.bin" >>"$GITHUB_PATH"
