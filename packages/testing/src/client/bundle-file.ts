// Bundles of failing tests: files in the cache of the project that `starkbox debug` opens.

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { memberOf, membersOf } from '@starkbox/abi/basics';
import type { Methods } from 'starkbox';
import type { RpcProvider } from 'starknet';
import { defaultFolder } from '../cache-folder.js';
import { addArtifacts } from './artifacts.js';

/** What a bundle is made of: parameters of `devnet_getBundle`. */
export type BundleRequest = Methods['devnet_getBundle']['params'];

/** `off` writes no bundles. */
const VARIABLE = 'STARKBOX_BUNDLES';
const EXTENSION = '.starkbox-bundle';
const DRAFT = '.draft';

/** Files that are kept, and their bytes together; the oldest go first. */
const MAX_FILES = 20;
const MAX_BYTES = 64 << 20;
/** Milliseconds after which a draft belongs to a process that was killed. */
const OLD_DRAFT = 3_600_000;
/** Milliseconds that a failing test waits for its bundle: its own time limit must not replace its failure. */
const MAX_WAIT = 3_000;

const METHOD_NOT_FOUND = -32601;

/**
 * Writes the bundle of a failure, and returns the line that names the command to open it. A failure to write it is a
 * sentence.
 *
 * @returns undefined if bundles are switched off, or the node has none
 */
export async function bundleLine(
  provider: RpcProvider,
  request: BundleRequest,
): Promise<string | undefined> {
  if (process.env[VARIABLE] === 'off') return undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `it took more than ${MAX_WAIT / 1000} s`;
    timer = setTimeout(() => reject(new Error(message)), MAX_WAIT);
  });
  try {
    const file = await Promise.race([writeBundle(provider, request), late]);
    return file === undefined ? undefined : `Debug it: npx starkbox debug ${showPath(file)}`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `No bundle for the debugger was written: ${reason.replace(/\.?$/, '.')}`;
  } finally {
    clearTimeout(timer);
  }
}

/** From the folder of the run, as a shell takes it. */
function showPath(file: string): string {
  const path = relative(process.cwd(), file);
  return /^[\w@%+=:,./\\-]+$/.test(path) ? path : JSON.stringify(path);
}

async function writeBundle(
  provider: RpcProvider,
  request: BundleRequest,
): Promise<string | undefined> {
  await addArtifacts(provider);
  const response = await provider.channel.fetch('devnet_getBundle', request);
  const { result, error } = membersOf(await response.json());
  if (memberOf(error, 'code') === METHOD_NOT_FOUND) return undefined;
  const { bundle, name } = membersOf(result);
  if (typeof bundle !== 'string') throw new Error(String(memberOf(error, 'message')));
  const folder = join(defaultFolder(), 'bundles');
  await mkdir(folder, { recursive: true });
  // The node may be another machine: its name must be a file of this folder.
  const isName = typeof name === 'string' && /^[\w-][\w.-]{0,99}$/.test(name);
  const file = join(folder, `${isName ? name : 'transaction'}${EXTENSION}`);
  const draft = join(folder, `${randomUUID()}${DRAFT}`);
  try {
    await writeFile(draft, Buffer.from(bundle, 'base64'), { flag: 'wx' });
    await rename(draft, file);
  } catch (failure) {
    await rm(draft, { force: true });
    throw failure;
  }
  await removeOld(folder);
  return file;
}

/** Other workers may remove the same files at the same time. */
async function removeOld(folder: string): Promise<void> {
  const bundles: { readonly path: string; readonly size: number; readonly mtimeMs: number }[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const facts = await stat(path).catch(() => undefined);
    if (!facts) continue;
    const { size, mtimeMs } = facts;
    if (name.endsWith(EXTENSION)) bundles.push({ path, size, mtimeMs });
    const isOldDraft = name.endsWith(DRAFT) && mtimeMs < Date.now() - OLD_DRAFT;
    if (isOldDraft) await rm(path, { force: true });
  }
  let bytes = 0;
  for (const [index, { path, size }] of bundles
    .toSorted((first, other) => other.mtimeMs - first.mtimeMs)
    .entries()) {
    bytes += size;
    // The newest one stays, however large it is.
    if (index > 0 && (index >= MAX_FILES || bytes > MAX_BYTES)) await rm(path, { force: true });
  }
}
