// Programs of this folder, each as a process of its own in a folder of its own.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What a program prints, which must end by itself and without a failure. */
export async function runProgram(program: string, args: readonly string[]): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'starkbox-boundary-'));
  try {
    const child = spawn(process.execPath, ['--expose-gc', file(program), ...args], {
      cwd: folder,
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said.stdout += piece;
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      said.stderr += piece;
    });
    const ended = await new Promise((resolve, reject) => {
      child.on('close', (code, signal) => resolve({ code, signal })).on('error', reject);
    });
    expect(ended, said.stderr).toEqual({ code: 0, signal: null });
    return JSON.parse(said.stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
