// Folders that are removed when their test or their file has ended.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterFile, closeAfterTest } from './closing.js';

/** Removed after the test. */
export function temporaryFolder(): string {
  const folder = createFolder();
  closeAfterTest(() => removeFolder(folder));
  return folder;
}

/** Removed after the tests of the file. */
export function temporaryFolderOfFile(): string {
  const folder = createFolder();
  closeAfterFile(() => removeFolder(folder));
  return folder;
}

function createFolder(): string {
  return mkdtempSync(join(tmpdir(), 'starkbox-test-'));
}

function removeFolder(folder: string): void {
  // A node that has just been stopped may still write there.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
