// Rehearsals of upgrades on the history of a second node.
import { fileURLToPath } from 'node:url';
import { startNode } from '@starkbox/conformance';
import { afterAll, expect, test } from 'vitest';
import { classFile } from '../../../../contracts/classes.js';
import type { Rehearsal } from '../../../starkbox/src/rehearsal/report.js';
import { runCommandLine } from '../../support/command-line.js';
import { FaultyProxy } from '../../support/fork/proxy.js';
import { createMarket } from '../../support/rehearsal/market.js';
import { temporaryFolderOfFile } from '../../support/temporary-folder.js';

const COUNT = Number(process.env['REHEARSED'] ?? 60);
const origin = await startNode({ listen: true, accounts: 6, blockGenerationOn: 'demand' });
const market = await createMarket(origin, COUNT);
const proxy = await FaultyProxy.before(origin.url);
const folder = temporaryFolderOfFile();
afterAll(async () => {
  await proxy.close();
  await origin.close();
});

async function rehearse(name: string, ...more: readonly string[]) {
  const argv = [
    'rehearse',
    '--contract',
    market.pool,
    '--class',
    fileURLToPath(classFile(name)),
    '--fork-url',
    proxy.url,
  ];
  const last = more.includes('--from') ? [] : ['--last', String(COUNT)];
  const env = { STARKBOX_FORK_CACHE_DIR: folder };
  const { outcome, stdout, stderr } = await runCommandLine([...argv, ...last, ...more], { env });
  return { exitCode: 'exitCode' in outcome ? outcome.exitCode : undefined, stdout, stderr };
}

test.each([
  'pool_same',
  'pool_fee',
  'pool_event',
  'pool_strict',
  'pool_layout',
  'pool_gas',
  'pool_limit',
])('%s', async (name) => {
  const t = performance.now();
  const { exitCode, stdout, stderr } = await rehearse(name);
  console.log(
    name,
    exitCode,
    Math.round(performance.now() - t),
    'ms',
    stderr,
    stdout.slice(0, 5000),
  );
});
