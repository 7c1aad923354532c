// Recorded calls, repeated on the path of an older version.
import { ERRORS } from '@starkbox/spec';
import { STRK } from '@starkbox/test-support/signing';
import { replayIn } from '@starkbox/test-support/version-replay';
import { expect, test } from 'vitest';

test('a replay in another version reports what is refused or differs', async () => {
  const call = (method: string, params: unknown, answer: object) => ({
    request: { jsonrpc: '2.0', id: 1, method, params },
    answer: { jsonrpc: '2.0', id: 1, ...answer },
  });
  const nonce = { result: '0x0' };
  const calls = [
    call('starknet_getNonce', ['pre_confirmed', STRK], nonce),
    call('starknet_getNonce', ['l1_accepted', STRK], nonce),
    call('starknet_getNonce', ['latest', '0x5'], nonce),
    call('starknet_getNonce', ['latest', '0x5'], {
      error: { code: ERRORS.BLOCK_NOT_FOUND.code },
    }),
  ];
  const { requests, refused, violations } = await replayIn('v0_8', calls, {});
  expect([requests, refused]).toEqual([4, 1]);
  expect(violations).toEqual([
    expect.stringMatching(/^v0_8: starknet_getNonce was refused: .*-32602/),
    expect.stringMatching(/"code":20.* in place of .*"0x0"/),
    expect.stringMatching(/"code":20.* in place of .*"code":24/),
  ]);
});
