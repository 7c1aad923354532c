// A node whose conversation is recorded, and replayed on fresh nodes when it ends: as it was, and in each version.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ListeningNode, SPEC_VERSIONS, specOf, startNode } from '@starkbox/test-support';
import type { Config } from 'starkbox';
import { expect } from 'vitest';
import { ACCOUNTS } from '../../contracts/classes.js';
import { commandOutput } from './command-line.js';
import { callsOf, replayIn } from './version-replay.js';

/** The accounts are of the same compiler as the contracts. */
export async function startRecordedNode(changes: Partial<Config> = {}): Promise<ListeningNode> {
  const config = { ...ACCOUNTS, ...changes };
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-e2e-'));
  const file = join(folder, 'recording.jsonl');
  const started = await startNode({ ...config, listen: true, recordRequests: file });
  const local =
    config.accountClassCustom === undefined
      ? []
      : ['--account-class-custom', config.accountClassCustom];
  const close = async (): Promise<void> => {
    try {
      await started.close();
      const calls = callsOf(readFileSync(file, 'utf8'));
      // Without the documents of a version there is nothing to check, and a line says so.
      const versions = SPEC_VERSIONS.filter((version) => specOf(version));
      const [report, ...replays] = await Promise.all([
        commandOutput('replay', file, ...local),
        ...versions.map((version) => replayIn(version, calls, config)),
      ]);
      expect(report).toMatch(/all responses equal/);
      for (const { requests, violations } of replays) {
        expect(violations).toEqual([]);
        expect(requests).toBeGreaterThanOrEqual(Math.max(1, calls.length));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  return { ...started, close, [Symbol.asyncDispose]: close };
}
