#!/usr/bin/env node
// Starts the built command line. npm links this file before the first build.
import module from 'node:module';

// Where Node can keep compiled code between runs (22.1 and later), the second start is quicker.
module.enableCompileCache?.();
const { main } = await import('../dist/cli/cli.js');
await main();
