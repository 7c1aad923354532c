// Checks the workflows with actionlint, which Go builds on its first use.
import { spawnSync } from 'node:child_process';
import { ROOT } from './cargo.mjs';

const TOOL = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';

const { status, error } = spawnSync('go', ['run', TOOL], { cwd: ROOT, stdio: 'inherit' });
if (error) console.error(`Go is needed to run actionlint: ${error.message}`);
process.exitCode = status ?? 1;
