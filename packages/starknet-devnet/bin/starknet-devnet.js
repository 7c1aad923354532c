#!/usr/bin/env node
// Starts starkbox under the name starknet-devnet, in this process: sncast looks for exactly one.
process.env.STARKBOX_AS ||= 'starknet-devnet';
await import('starkbox/command');
