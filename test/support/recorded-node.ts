// A node whose conversation is recorded, and replayed on fresh nodes of each version when it ends.
import {
  checkedClient,
  connectDapp,
  type ListeningNode,
  overHttp,
  SPEC_VERSIONS,
  startNode,
} from '@starkbox/test-support';
import type { Config } from 'starkbox';
import { expect } from 'vitest';
import { ACCOUNTS } from '../../contracts/classes.js';
import { openRecordingProxy } from './recording-proxy.js';
import { replayIn } from './version-replay.js';

/** The accounts are of the same compiler as the contracts. */
export async function startRecordedNode(changes: Partial<Config> = {}): Promise<ListeningNode> {
  const config = { ...ACCOUNTS, ...changes };
  const started = await startNode({ ...config, listen: true });
  const { url, calls, close: closeProxy } = await openRecordingProxy(started.url);
  const violations: string[] = [];
  const dapp = await connectDapp(url, started.node.accounts, violations);
  const close = async (): Promise<void> => {
    await closeProxy();
    await started.close();
    expect(violations).toEqual([]);
    const replays = await Promise.all(
      SPEC_VERSIONS.map((version) => replayIn(version, calls, config)),
    );
    for (const { requests, violations: faults } of replays) {
      expect(faults).toEqual([]);
      expect(requests).toBeGreaterThanOrEqual(Math.max(1, calls.length));
    }
  };
  const client = checkedClient(overHttp(url));
  return { ...started, ...dapp, client, url, close, [Symbol.asyncDispose]: close };
}
