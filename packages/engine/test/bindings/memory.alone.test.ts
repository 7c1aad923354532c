// Figures of the allocators, and the return of free memory to the system.
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { allocatorFigures, trimMemory } from '@starkbox/engine';
import { expect, test } from 'vitest';

const MEGABYTE = 2 ** 20;
/** Below the size from which the C library maps each block by itself. */
const BUFFER_BYTES = 100_000;
const BUFFERS = 1_000;

const hasFigures = (): boolean => process.platform === 'linux' && allocatorFigures().systemUsed > 0;

/** Resident memory of this process without pages of files. */
function anonymousBytes(): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

function allocateBuffers(): Buffer[] {
  return Array.from({ length: BUFFERS }, () => Buffer.alloc(BUFFER_BYTES, 1));
}

test('counts the memory of the engine', () => {
  expect(allocatorFigures().engineCommitted).toBeGreaterThan(MEGABYTE);
});

test('free memory between blocks in use leaves the process', async () => {
  if (!hasFigures()) {
    expect(await trimMemory()).toBeUndefined();
    return;
  }
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // Garbage of the imports that is freed meanwhile hides a part of the buffers.
  collect();
  const usedBefore = allocatorFigures().systemUsed;
  let buffers = allocateBuffers();
  expect(allocatorFigures().systemUsed - usedBefore).toBeGreaterThan(BUFFERS * BUFFER_BYTES * 0.7);
  const residentAtPeak = anonymousBytes();
  // Every tenth stays, so that the heap cannot shrink from its end.
  buffers = buffers.filter((_, index) => index % 10 === 0);
  await expect
    .poll(
      () => {
        collect();
        return allocatorFigures().systemFree;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(BUFFERS * BUFFER_BYTES * 0.7);
  const residentBefore = Math.max(residentAtPeak, anonymousBytes());
  await trimMemory();
  // Other work of the process may take memory meanwhile.
  expect(residentBefore - anonymousBytes()).toBeGreaterThan(BUFFERS * BUFFER_BYTES * 0.3);
  expect(buffers).toHaveLength(BUFFERS / 10);
});
