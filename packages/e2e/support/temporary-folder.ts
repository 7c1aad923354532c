// A folder that is removed after the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterTest } from './closing.js';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-test-'));
  closeAfterTest(() => rmSync(folder, { recursive: true }));
  return folder;
}
