// Node of a rehearsal, which runs until it is stopped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { createInterface } from 'node:readline';

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
 * The command starkbox as its user starts it in a folder, installed there.
 *
 * @param {string} folder
 * @param {string} node
 * @param {readonly string[]} args
 */
export function startCommand(folder, node, args) {
  return startGroup('npx', ['--no-install', 'starkbox', ...args], {
    cwd: folder,
    env: environmentOf(node),
  });
}

/**
 * A command of npm and what it starts, as one group, which ends together.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 */
export function startGroup(command, args, options) {
  return spawn(command, args, {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
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
 * Lines of a stream, each read once; throws where the stream ends first.
 *
 * @param {import('node:stream').Readable} stream
 * @returns {(isExpected: (line: string) => boolean) => Promise<string>} waits for a line
 */
export function linesOf(stream) {
  /** @type {string[]} */
  const printed = [];
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  return async (isExpected) => {
    for (let next = await lines.next(); !next.done; next = await lines.next()) {
      printed.push(next.value);
      if (isExpected(next.value)) return next.value;
    }
    throw new Error(`it ended after printing: ${printed.slice(-5).join('\n')}`);
  };
}
