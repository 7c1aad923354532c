#!/usr/bin/env node
// Knows where the built command line is; a file of its own, so that the command is linked before the first build.
import module from 'node:module';

// Where Node can keep compiled code between runs (22.1 and later), the second start is quicker.
module.enableCompileCache?.();
const { main } = await import('../dist/cli.js');
await main();
