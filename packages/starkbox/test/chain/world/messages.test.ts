// The form in which messages are stored.
import { expect, test } from 'vitest';
import {
  messagesFromJson,
  messagesToJson,
  NO_MESSAGES,
  withSent,
} from '../../../src/chain/world/messages.js';

test('everything about messages can be written down and read again', () => {
  const withOneSent = withSent(NO_MESSAGES, 3, [
    { from_address: '0x1', to_address: '0x2', payload: ['0x3'] },
  ]);
  const messages = {
    ...withOneSent,
    delivered: [[0, 4]] as const,
    incoming: withOneSent.incoming.set(
      '0xa',
      withOneSent.outgoing.map(() => '0xb'),
    ),
    l1: {
      url: 'http://127.0.0.1:1/',
      contract: '0x5',
      key: '0x6',
      start: { block: 1, log: 2 },
      cursor: { block: 3, log: 4, seen: { number: 5, hash: '0x7' } },
      inFlight: { id: 0, nonce: 1, hash: '0x8', signed: '0x9' },
    },
  };
  for (const stored of [
    NO_MESSAGES,
    messages,
    { ...messages, l1: { ...messages.l1, inFlight: undefined } },
  ]) {
    const written = messagesToJson(stored);
    const read = messagesFromJson(JSON.parse(JSON.stringify(written)));
    expect(messagesToJson(read)).toEqual(written);
    expect(read.outgoing.toArray()).toEqual(stored.outgoing.toArray());
    expect(read.l1).toEqual(stored.l1);
  }
});
