// The bridge of examples/bridge runs on a node that is started as the guide says.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { RunningCommand } from '@starkbox/test-support/running-command';
import { expect, test } from 'vitest';

const fileAt = (path: string): string =>
  fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const EXAMPLE = fileAt('examples/bridge/bridge.mjs');

/** The options of each command in a file that starts a node with an Anvil. */
const startOptions = (path: string): readonly string[] =>
  [...readFileSync(fileAt(path), 'utf8').matchAll(/starkbox (--l1 anvil[^#"\n]*)/g)].map(
    ([, options = '']) => options.trim(),
  );

test('guide and example start the node with the same options', () => {
  const options = startOptions('docs/guides/bridge.md');
  expect(options).toHaveLength(1);
  expect(startOptions('examples/bridge/package.json')).toEqual(options);
});

test('the example runs on that node, and again after a restart', async () => {
  const [options = ''] = startOptions('docs/guides/bridge.md');
  const node = await RunningCommand.start(options.replace('anvil', 'anvil:0').split(' '));
  try {
    const { l1 }: { l1?: { url: string } } = Object(await node.call('devnet_listMessages'));
    for (let round = 0; round < 2; round += 1) {
      const args = [EXAMPLE, node.url, l1?.url ?? ''];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect(complained).toBe('');
      expect(said.trim().split('\n')).toEqual([
        expect.stringMatching(/^bridges: /),
        expect.stringMatching(/^a deposit costs /),
        expect.stringMatching(/^deposited 1 ether/),
        expect.stringMatching(/^withdrew 0.25 ether/),
        'rejected a forged deposit',
        'cancelled a deposit before it arrived',
      ]);
      await node.call('devnet_restart');
    }
  } finally {
    await node.stop();
  }
});
