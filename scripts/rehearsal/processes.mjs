// Processes of a rehearsal: commands that end, and a node that runs until it is stopped.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';

/**
 * The environment in which scripts of npm find a Node by its name.
 *
 * @param {string} node its executable
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentOf(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` };
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {string} what it printed
 */
export function runText(command, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    ...options,
    encoding: 'utf8',
  });
  if (status === 0) return stdout;
  const what = [command, ...args].join(' ');
  throw new Error(`${what} failed: ${error?.message ?? `${stdout}${stderr}`}`);
}

/**
 * The command starkbox, installed in a folder, as its user starts it.
 *
 * @param {string} folder
 * @param {string} node
 * @param {readonly string[]} args
 */
export function startCommand(folder, node, args) {
  return spawn('npx', ['--no-install', 'starkbox', ...args], {
    cwd: folder,
    env: environmentOf(node),
    stdio: ['pipe', 'pipe', 'inherit'],
    // npx and what it starts are one group, which ends together.
    detached: true,
  });
}

/**
 * Ends a process with those that it started.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
export async function stop(child) {
  if (child.pid === undefined || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGTERM');
  await ended;
}

/**
 * Lines of a stream, each when it has come; throws where the stream ends first.
 *
 * @param {import('node:stream').Readable} stream
 * @returns {(wanted: (line: string) => boolean) => Promise<string>} waits for a line
 */
export function linesOf(stream) {
  /** @type {string[]} */
  const printed = [];
  const watchers = new Set();
  let rest = '';
  let hasEnded = false;
  const tell = () => {
    for (const watcher of watchers) watcher();
  };
  stream.setEncoding('utf8');
  stream.on('data', (part) => {
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop() ?? '';
    printed.push(...lines);
    tell();
  });
  stream.on('end', () => {
    hasEnded = true;
    tell();
  });
  return (isExpected) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const line = printed.find(isExpected);
        if (line === undefined && !hasEnded) return;
        watchers.delete(look);
        if (line !== undefined) resolve(line);
        else reject(new Error(`it ended after printing: ${printed.slice(-5).join('\n')}`));
      };
      watchers.add(look);
      look();
    });
}
