// A node whose conversation is recorded, and replayed on a fresh node when it ends. Reads are checked in all versions.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  hasPublishedSpec,
  type ListeningNode,
  OLDER_VERSIONS,
  repeated,
  startNode,
} from '@starkbox/conformance';
import type { Config } from 'starkbox';
import { expect } from 'vitest';
import { runCommand } from '../../../src/cli/commands/command.js';

export async function startRecordedNode(config: Partial<Config> = {}): Promise<ListeningNode> {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-e2e-'));
  const file = join(folder, 'recording.jsonl');
  const started = await startNode({
    ...config,
    listen: true,
    checksOlder: true,
    traceRequests: file,
  });
  const close = async (): Promise<void> => {
    try {
      await started.close();
      for (const version of OLDER_VERSIONS.filter((one) => hasPublishedSpec(one))) {
        expect(repeated[version]).toBeGreaterThan(0);
      }
      expect(await runCommand(['replay', file], false)).toMatch(/all answered alike/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  return { ...started, close, [Symbol.asyncDispose]: close };
}
