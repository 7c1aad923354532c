#!/usr/bin/env node
// Starts the command line: the bundle, or the build where that is newer. npm links this file before the first build.

// An import would load more of these modules than is needed.
const { readdirSync, rmSync, statSync } = process.getBuiltinModule('node:fs');
const { homedir } = process.getBuiltinModule('node:os');
const { join } = process.getBuiltinModule('node:path');
// Node 22.1 and later can keep compiled code between runs, 22.10 and later can write it before they exit.
const { constants, enableCompileCache, flushCompileCache } =
  process.getBuiltinModule('node:module');

/** Milliseconds after which a node has usually answered requests, whose code is then compiled. */
const WARM_MILLISECONDS = 2000;
/** A version of Starkbox has about 50. */
const MAX_FILES = 1000;

const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const folder = join(caches, 'starkbox');
// A folder that cannot be written is a part of the result, not an error.
const code = isOwn(folder) ? enableCompileCache?.(join(folder, 'code')) : undefined;

const changed = (file) =>
  statSync(new URL(file, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const BUNDLE = '../dist/bundle/cli.js';
// Published packages lack the record of the build, and always have a bundle.
const isBundled = changed(BUNDLE) > changed('../dist/tsconfig.tsbuildinfo');
const { main } = await import(isBundled ? BUNDLE : '../dist/cli/cli.js');
await main();
setTimeout(writeCode, WARM_MILLISECONDS).unref();

/** Kept code runs as this user. The engine checks the folder in the same way. */
function isOwn(path) {
  const status = statSync(path, { throwIfNoEntry: false });
  const isSafe =
    !status || !process.getuid || (status.uid === process.getuid() && (status.mode & 0o002) === 0);
  if (!isSafe) {
    process.stderr.write(
      `warning: the cache ${path} is not used, because other users can write to it: set XDG_CACHE_HOME to a folder of yours\n`,
    );
  }
  return isSafe;
}

/** Node writes the code when it exits, but test suites often kill their nodes. */
function writeCode() {
  flushCompileCache?.();
  // NODE_COMPILE_CACHE names a folder of the user.
  if (code?.status !== constants?.compileCacheStatus.ENABLED) return;
  try {
    // Files of older versions stay, and those of this one are written again by the next start.
    const isFull = readdirSync(code.directory).length > MAX_FILES;
    if (isFull) rmSync(code.directory, { recursive: true, force: true });
  } catch {
    // Another process may have removed the folder.
  }
}
