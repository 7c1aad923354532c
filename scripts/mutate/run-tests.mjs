// The process of `runner.mjs`, which is ended and begun again when a mutant does not end.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../cargo.mjs';

const PROGRAM = fileURLToPath(new URL('runner.mjs', import.meta.url));

/** @typedef {import('./runner.mjs').Answer} Answer */

export class Runner {
  /** @type {NodeJS.ProcessEnv} */
  #environment;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process;

  /** @param {NodeJS.ProcessEnv} environment */
  constructor(environment) {
    this.#environment = environment;
  }

  /**
   * @param {string} mutant
   * @param {readonly string[]} files
   * @param {number} seconds
   * @returns {Promise<Answer & { isEnded?: boolean }>} what the tests say, or that it ended first
   */
  async run(mutant, files, seconds) {
    const child = await this.#started();
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const limit = new Promise((resolve) => {
      if (Number.isFinite(seconds)) timer = setTimeout(() => resolve(undefined), seconds * 1000);
    });
    child.send({ mutant, files });
    const listening = new AbortController();
    const { signal } = listening;
    const answer = await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(() => undefined),
      limit,
    ]);
    listening.abort();
    clearTimeout(timer);
    if (answer?.failure !== undefined) throw new Error(`the tests did not run: ${answer.failure}`);
    if (answer !== undefined) return answer;
    this.end();
    return { files: [], errors: [], isEnded: true };
  }

  async #started() {
    if (this.#process) return this.#process;
    // In a group of its own, so that its workers end with it.
    const child = fork(PROGRAM, [], {
      cwd: ROOT,
      env: { ...process.env, ...this.#environment },
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#process = child;
    const isReady = new Promise((resolve) => {
      child.once('message', () => resolve(true));
      child.once('exit', () => resolve(false));
    });
    if (!(await isReady)) throw new Error('the tests did not start');
    return child;
  }

  end() {
    const pid = this.#process?.pid;
    this.#process = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
