// A disk that is soon full or read-only: a mount where the process may mount, else limits and rights.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEGABYTES = 3;
/** Without a listener the signal that goes with the limit of a file's size ends the process. */
const IGNORING_THE_LIMIT = ['--import', 'data:text/javascript,process.on("SIGXFSZ",()=>{})'];

export interface SmallDisk {
  readonly path: string;
  /** What a node says when it is full. */
  readonly words: RegExp;
  /** What comes before the command that is to suffer. */
  readonly shell: readonly string[];
  readonly nodeArgs: readonly string[];
  enlarge(pid: number): void;
  remove(): void;
}

function run(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}

export function smallDisk(): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'starkbox-disk-'));
  if (run('mount', '-t', 'tmpfs', '-o', `size=${MEGABYTES}m`, 'starkbox', path)) {
    return {
      path,
      words: /no space is left on the disk\. Nothing was changed/,
      shell: [],
      nodeArgs: [],
      enlarge: () => {
        if (!run('mount', '-o', 'remount,size=64m', path)) throw new Error('not enlarged');
      },
      remove: () => {
        run('umount', path);
        rmSync(path, { recursive: true });
      },
    };
  }
  return {
    path,
    words: /(the file has reached its size limit|the disk reports an error)\. Nothing was changed/,
    shell: ['bash', '-c', `ulimit -S -f ${MEGABYTES * 1024} && exec "$@"`, 'bash'],
    nodeArgs: IGNORING_THE_LIMIT,
    enlarge: (pid) => {
      if (!run('prlimit', '--pid', String(pid), '--fsize=unlimited:'))
        throw new Error('not enlarged');
    },
    remove: () => rmSync(path, { recursive: true }),
  };
}

/** A disk without any space, on which a copy of a folder may already be. */
export function fullDisk(content?: string): Omit<SmallDisk, 'enlarge'> {
  const path = mkdtempSync(join(tmpdir(), 'starkbox-disk-'));
  const isMounted = run('mount', '-t', 'tmpfs', '-o', `size=${MEGABYTES}m`, 'starkbox', path);
  if (content !== undefined) cpSync(content, path, { recursive: true });
  const remove = (): void => {
    if (isMounted) run('umount', path);
    rmSync(path, { recursive: true });
  };
  if (isMounted) {
    run('dd', 'if=/dev/zero', `of=${join(path, 'filler')}`, 'bs=4k');
    return { path, words: /no space is left on the disk/, shell: [], nodeArgs: [], remove };
  }
  return {
    path,
    words: /the file has reached its size limit/,
    shell: ['bash', '-c', 'ulimit -S -f 0 && exec "$@"', 'bash'],
    nodeArgs: IGNORING_THE_LIMIT,
    remove,
  };
}

/** A directory that this process cannot write to; rights alone do not keep root out. */
export function readOnlyFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'starkbox-disk-'));
  const isMounted = run('mount', '-t', 'tmpfs', '-o', 'ro', 'starkbox', path);
  if (!isMounted) chmodSync(path, 0o500);
  return {
    path,
    remove: () => {
      if (isMounted) run('umount', path);
      else chmodSync(path, 0o700);
      rmSync(path, { recursive: true });
    },
  };
}

/** A copy of a directory that cannot be written to, whatever the rights of this process are. */
export function readOnlyCopy(of: string): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'starkbox-disk-'));
  cpSync(of, path, { recursive: true });
  const isMounted =
    run('mount', '--bind', path, path) && run('mount', '-o', 'remount,bind,ro', path);
  if (!isMounted) chmodSync(path, 0o500);
  return {
    path,
    remove: () => {
      run('umount', path);
      chmodSync(path, 0o700);
      rmSync(path, { recursive: true });
    },
  };
}
