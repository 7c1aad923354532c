// The built command as a process: signals, its parent, its port and its exit codes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { overHttp } from '@starkbox/test-support';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../../starkbox/bin/starkbox.js', import.meta.url));

let directory: string;
beforeEach(() => {
  directory = temporaryFolder();
});

describe('the built command', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  const launch = (...argv: string[]) => launchWith({}, ...argv);

  function launchWith(env: Readonly<Record<string, string>>, ...argv: string[]) {
    const child = spawn(process.execPath, [COMMAND, ...argv], {
      cwd: directory,
      env: { PATH: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const texts = { stdout: '', stderr: '' };
    const url = new Promise<string>((resolve) => {
      child.stderr.on('data', (part) => {
        texts.stderr += part;
        const listeningUrl = /listening on (\S+)\n/.exec(texts.stderr)?.[1];
        if (listeningUrl !== undefined) resolve(listeningUrl);
      });
    });
    child.stdout.on('data', (part) => {
      texts.stdout += part;
    });
    const end = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
    return { child, url, end };
  }

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'serves until %s, and then exits with 0',
    async (signal) => {
      const { child, url, end } = launch('--port', '0', '--seed', '0', '--accounts', '1');
      expect(await (await fetch(`${await url}/is_alive`)).text()).toBe('Alive!!!');
      child.kill(signal);
      const { code, stdout } = await end;
      expect(code).toBe(0);
      expect(stdout).toContain(
        '| Account address |  0x064b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691\n',
      );
    },
  );

  test('obeys a signal that comes with the line about listening', async () => {
    for (let start = 0; start < 4; start += 1) {
      const { child, url, end } = launch('--port', '0', '--no-banner');
      await url;
      child.kill('SIGTERM');
      expect(await end).toMatchObject({ code: 0, signal: null });
    }
  });

  test('finishes an open request first, unless it is asked again', async () => {
    const { child, url, end } = launch('--port', '0', '--no-banner');
    const open = connect(Number(new URL(await url).port), '127.0.0.1');
    open.on('error', () => {});
    const head = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 9'];
    open.write(['POST / HTTP/1.1', ...head, 'Expect: 100-continue', '', ''].join('\r\n'));
    // The answer shows that the server has begun with the request.
    await once(open, 'data');
    child.kill('SIGINT');
    // Signals that follow at once are taken for the same one: npm repeats those of the terminal.
    const again = setInterval(() => child.kill('SIGINT'), 50);
    const { signal, stderr } = await end;
    clearInterval(again);
    open.destroy();
    expect(signal).toBe('SIGINT');
    expect(stderr.match(/SIGINT/g)).toHaveLength(1);
  });

  test.each(['sh', 'npm'])('ends with its parent if asked to: %s', async (parent) => {
    const words = [process.execPath, COMMAND, '--port', '0', '--no-banner', '--exit-with-parent'];
    // npm starts a shell, which starts the command; that shell lives on when npm is killed.
    const line = '"$@" & echo "$!"; wait';
    const script = parent === 'npm' ? `sh -c '${line}' sh "$@" & wait` : line;
    const child = spawn('/bin/sh', ['-c', script, 'sh', ...words], {
      cwd: directory,
      env: { PATH: '/usr/bin:/bin', ...(parent === 'npm' ? { npm_command: 'exec' } : {}) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let [said, pid] = ['', ''];
    child.stdout.on('data', (part) => {
      pid += part;
    });
    child.stderr.on('data', (part) => {
      said += part;
    });
    await expect.poll(() => said, { timeout: 25_000 }).toContain('listening on');
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    // The streams close when the node, which has them too, is gone.
    if (parent === 'npm') await expect.poll(() => said).toContain('has ended');
    else await ended;
    expect(said).toContain('the process that started this one has ended');
    const isThere = (): boolean => {
      try {
        return process.kill(Number(pid), 0);
      } catch {
        return false;
      }
    };
    await expect.poll(isThere, { timeout: 20_000 }).toBe(false);
  });

  /** Starts a node with files in a folder that is a file when the node ends. */
  async function endWithoutFolder(method: string, params: object, ...args: readonly string[]) {
    const folder = join(directory, 'files');
    mkdirSync(folder);
    const { child, url, end } = launch('--port', '0', '--accounts', '1', ...args);
    const rpc = await url;
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    await overHttp(rpc)(JSON.stringify({ jsonrpc: '2.0', id: 0, method, params }));
    child.kill('SIGTERM');
    return end;
  }

  const LINE_OF_CODE = /\n\s+at /;

  test.each(['exit', 'block'])(
    'ends with 1 and a sentence if the dump of --dump-on %s cannot be written',
    async (dumpOn) => {
      const file = join(directory, 'files', 'dump.json');
      const args = ['--dump-on', dumpOn, '--dump-path', file];
      const mint = { address: '0x1', amount: 1 };
      const { code, stderr } = await endWithoutFolder('devnet_mint', mint, ...args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/ERROR The chain was not dumped: .*files/);
      expect(stderr).not.toMatch(LINE_OF_CODE);
    },
  );

  test('ends with 1 and a sentence if the lock file of a fork cannot be written', async () => {
    const origin = await launch('--port', '0', '--accounts', '1').url;
    const file = join(directory, 'files', 'fork.lock.json');
    const read = { block_id: 'latest', contract_address: '0x1', key: '0x7' };
    const args = [
      '--fork-network',
      origin,
      '--fork-lock',
      file,
      '--fork-upstream-caching',
      'false',
    ];
    const { code, stderr } = await endWithoutFolder('starknet_getStorageAt', read, ...args);
    expect(code).toBe(1);
    expect(stderr.match(/The lock file was not written: .*files/g)).toHaveLength(1);
    expect(stderr).not.toMatch(LINE_OF_CODE);
  });

  describe('keeps compiled code', () => {
    // The types of Node 20 lack it.
    const canKeep = 'flushCompileCache' in module;
    const node = ['--port', '0', '--no-banner'];
    const files = (folder = 'cache'): readonly string[] =>
      readdirSync(join(directory, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(directory, folder, name))
        .filter((path) => path.includes(join('starkbox', 'code')) && statSync(path).isFile());
    const serve = (cache = 'cache') => {
      mkdirSync(join(directory, cache), { recursive: true });
      return launchWith({ XDG_CACHE_HOME: join(directory, cache) }, ...node);
    };

    test('of a node that is killed', async () => {
      const { child, url, end } = serve();
      await url;
      await expect.poll(() => files().length > 20, { timeout: 25_000 }).toBe(canKeep);
      child.kill('SIGKILL');
      expect(await end).toMatchObject({ signal: 'SIGKILL' });
    });

    test('and starts without it if it is damaged', async () => {
      const first = serve();
      await first.url;
      first.child.kill('SIGTERM');
      await first.end;
      expect(files().length > 20).toBe(canKeep);
      for (const path of files()) writeFileSync(path, 'damaged');
      const { child, url, end } = serve();
      expect(await (await fetch(`${await url}/is_alive`)).text()).toBe('Alive!!!');
      child.kill('SIGTERM');
      expect(await end).toMatchObject({ code: 0 });
    });

    test('only in a folder that other users cannot write to', async () => {
      mkdirSync(join(directory, 'cache', 'starkbox'), { recursive: true });
      chmodSync(join(directory, 'cache', 'starkbox'), 0o777);
      const { child, url, end } = serve();
      await url;
      child.kill('SIGTERM');
      expect(await end).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('XDG_CACHE_HOME'),
      });
      expect(files()).toEqual([]);
    });

    test('and starts without it if the folder cannot be written', async () => {
      mkdirSync(join(directory, 'full'));
      writeFileSync(join(directory, 'full', 'starkbox'), 'no folder');
      const { child, url, end } = serve('full');
      expect(await (await fetch(`${await url}/is_alive`)).text()).toBe('Alive!!!');
      child.kill('SIGTERM');
      expect(await end).toMatchObject({ code: 0 });
    });
  });

  test("loads nothing of Node's HTTP client", async () => {
    const listing = join(directory, 'listing.mjs');
    const text = "process.on('exit', () => console.error(process.moduleLoadList.join('\\n')));\n";
    writeFileSync(listing, text);
    const { child, url, end } = launchWith({ NODE_OPTIONS: `--import=${listing}` }, '--port', '0');
    expect(await (await fetch(`${await url}/is_alive`)).text()).toBe('Alive!!!');
    child.kill('SIGTERM');
    const { stderr } = await end;
    expect(stderr).toContain('NativeModule http\n');
    expect(stderr).not.toContain('undici');
  });

  test('says what to do about a port that is taken', async () => {
    const { port } = new URL(await launch('--port', '0').url);
    const { code, stdout, stderr } = await launch('--port', port).end;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^error: port ${port} on 127\\.0\\.0\\.1 is taken: `));
  });

  test('refuses a file that is no account class', async () => {
    const { code, stderr } = await launch('--account-class-custom', 'none.json').end;
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: invalid value 'none\.json' for '--account-class-custom <PATH>': /,
    );
  });

  test('ends with 2 for words that mean nothing, with 0 for help', async () => {
    expect(await launch('--nonsense').end).toMatchObject({ code: 2, stdout: '' });
    expect(await launch('--help').end).toMatchObject({ code: 0, stderr: '' });
  });
});
