// Runs the commands of the workflow in order, as a runner would, except for the installation.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';

const workflow = load(readFileSync(new URL('./workflow.yml', import.meta.url), 'utf8'));
const { steps, env } = workflow.jobs.test;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return String(port);
}

/** Ends a group of processes, unless it has ended already. */
function end(group) {
  try {
    process.kill(-group);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'starkbox-workflow-'));
const variables = {
  ...process.env,
  ...env,
  STARKBOX_PORT: await freePort(),
  GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
};
const groups = [];
try {
  const commands = steps.filter(({ run, if: only }) => run && run !== 'npm ci' && !only);
  if (commands.length < 3) throw new Error('the workflow has lost its commands');
  for (const { name, run } of commands) {
    console.log(`--> ${name}`);
    // Processes that a step leaves running belong to its group.
    const step = spawn('bash', ['-e', '-o', 'pipefail', '-c', run], {
      env: variables,
      stdio: 'inherit',
      detached: true,
    });
    groups.push(step.pid);
    const [code] = await once(step, 'exit');
    if (code !== 0) throw new Error(`the step "${name}" failed with ${code}`);
  }
  if (!readFileSync(variables.GITHUB_STEP_SUMMARY, 'utf8').includes('transfer')) {
    throw new Error('the report has no row for transfer');
  }
} finally {
  groups.forEach(end);
  rmSync(folder, { recursive: true, force: true });
  rmSync(new URL('./starkbox.log', import.meta.url), { force: true });
}
