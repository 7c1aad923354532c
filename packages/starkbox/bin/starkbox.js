#!/usr/bin/env node
// Starts the command line: the bundle, or the build where that is newer. npm links this file before the first build.
import { statSync } from 'node:fs';
import module from 'node:module';

// Where Node can keep compiled code between runs (22.1 and later), the second start is quicker.
module.enableCompileCache?.();

const changed = (file) =>
  statSync(new URL(file, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const BUNDLE = '../dist/bundle/cli.js';
// Published packages lack the record of the build, and always have a bundle.
const isBundled = changed(BUNDLE) > changed('../dist/tsconfig.tsbuildinfo');
const { main } = await import(isBundled ? BUNDLE : '../dist/cli/cli.js');
await main();
