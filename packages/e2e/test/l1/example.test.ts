// The bridge of examples/bridge runs as its first lines say.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startNode } from '@starkbox/conformance';
import { expect, test } from 'vitest';

const EXAMPLE = fileURLToPath(new URL('../../../../examples/bridge/bridge.mjs', import.meta.url));

test('the example runs, and again after a restart', async () => {
  await using box = await startNode({ listen: true, l1: 'anvil', l1Port: 0 });
  for (let round = 0; round < 2; round += 1) {
    const args = [EXAMPLE, box.url, box.node.l1?.url ?? ''];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(complained).toBe('');
    expect(said.trim().split('\n')).toEqual([
      expect.stringMatching(/^bridges: /),
      expect.stringMatching(/^a deposit costs /),
      expect.stringMatching(/^deposited 1 ether/),
      expect.stringMatching(/^withdrew 0.25 ether/),
      'a forged deposit was refused',
      'a deposit was cancelled, and never arrived',
    ]);
    await box.client.call('devnet_restart');
  }
});
