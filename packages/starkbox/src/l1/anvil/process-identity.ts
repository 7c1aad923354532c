// Identity check of a process, since the system reuses process ids.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { childEnvironment } from '../../config/environment.js';

/** Whether the process with this id has the marker in its command line. */
export async function findProcess(pid: number, mark: string): Promise<boolean> {
  return (await commandLine(pid)).includes(mark);
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'win32') return '';
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8');
    const args = ['-ww', '-o', 'command=', '-p', `${pid}`];
    const { stdout } = await promisify(execFile)('ps', args, { env: childEnvironment() });
    return stdout;
  } catch {
    // There is no such process.
    return '';
  }
}
