// The command as tools start and find it: by name, by its line on stdout, as one process.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../bin/starknet-devnet.js', import.meta.url));

test('starknet-devnet --seed 0 prints its accounts and the line that tools wait for', async () => {
  const child = spawn(process.execPath, [COMMAND, '--seed', '0', '--port', '0'], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'close');
  let errors = '';
  child.stderr.on('data', (part) => {
    errors += part;
  });
  try {
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.includes('listening')) break;
    }
    const [, port] =
      /^Starknet Devnet listening on 127\.0\.0\.1:(\d+)$/.exec(lines.at(-1) ?? '') ?? [];
    expect(await (await fetch(`http://localhost:${port}/is_alive`)).text()).toBe('Alive!!!');
    expect(lines).toContain(
      '| Account address |  0x064b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691',
    );
    // sncast takes the only process whose command line has the name.
    const processes = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
    const family = processes
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([pid, parent]) => [pid, parent].includes(String(child.pid)));
    const launchers = family.filter((words) => words.join(' ').includes('starknet-devnet'));
    expect(launchers.map(([pid]) => pid)).toEqual([String(child.pid)]);
  } finally {
    child.kill('SIGTERM');
  }
  expect(await gone).toEqual([0, null]);
  // The log is on stdout.
  expect(errors).toBe('');
});
