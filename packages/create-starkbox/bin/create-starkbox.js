#!/usr/bin/env node
// Starts the command. npm links this file before the first build.
import { readFileSync } from 'node:fs';
import { run } from '../dist/index.js';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const { argv, stdin, stdout, stderr } = process;
process.exitCode = await run(argv.slice(2), { stdin, stdout, stderr, version: manifest.version });
