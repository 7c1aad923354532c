// A node whose conversation is recorded, and replayed on a fresh node when it ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ListeningNode, startNode } from '@starkbox/conformance';
import type { Config } from 'starkbox';
import { expect } from 'vitest';
import { runCommand } from '../../../src/cli/commands/command.js';

export async function startRecordedNode(config: Partial<Config> = {}): Promise<ListeningNode> {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-e2e-'));
  const file = join(folder, 'recording.jsonl');
  const started = await startNode({ ...config, listen: true, traceRequests: file });
  const close = async (): Promise<void> => {
    try {
      await started.close();
      expect(await runCommand(['replay', file], false)).toMatch(/all answered alike/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  return { ...started, close, [Symbol.asyncDispose]: close };
}
