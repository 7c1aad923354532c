// Requests that may take seconds: shown while they run, and others passed on as they are.
import { expect, test } from 'vitest';
import { createChain } from '../../src/index.js';
import { showLong } from '../../src/rpc/long-requests.js';

function recordingDisplay() {
  const calls: string[] = [];
  const display = {
    begin(text: string) {
      calls.push(`begin ${text}`);
      return () => void calls.push(`end ${text}`);
    },
    detail: () => {},
  };
  return { calls, display };
}

test('a long request is shown until it ends, even if it fails', async () => {
  const { calls, display } = recordingDisplay();
  await using chain = await createChain({ seed: 0, accounts: 1 }, { progress: display });
  calls.length = 0;
  await chain.requestRaw('devnet_gasReport', {});
  expect(calls).toEqual([
    'begin reading transactions for a gas report',
    'end reading transactions for a gas report',
  ]);
  calls.length = 0;
  await expect(chain.requestRaw('devnet_load', { path: '/nowhere/at-all' })).rejects.toThrow();
  expect(calls).toEqual(['begin loading a dump', 'end loading a dump']);
  calls.length = 0;
  await chain.requestRaw('starknet_blockNumber', {});
  expect(calls).toEqual([]);
});

test('other handlers, and all of them without a display, stay as they are', () => {
  const { display } = recordingDisplay();
  const handler = () => Promise.resolve(1);
  expect(showLong('starknet_call', handler, display)).toBe(handler);
  expect(showLong('devnet_load', handler, undefined)).toBe(handler);
  expect(showLong('devnet_load', handler, display)).not.toBe(handler);
});
