// Messages between the layers: what each step does to them, and the form in which they are stored.
import { messageToL1Hash } from '@starkbox/engine';
import { expect, test } from 'vitest';
import {
  isOutgoing,
  type Messages,
  messagesFromJson,
  messagesToJson,
  NO_MESSAGES,
  readOn,
  restartMessages,
  returnedTo,
  unlinkL1,
  withConsumed,
  withIncoming,
  withLanded,
  withoutBlocksFrom,
  withoutIncoming,
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

const message = (payload: string) => ({
  from_address: '0x1',
  to_address: '0x2',
  payload: [payload],
});
const [FIRST, SECOND] = [message('0x1'), message('0x2')];
const idsOf = ({ outgoing }: Messages) => outgoing.map(({ id }) => id).toArray();
const countOf = ({ consumable }: Messages, sent = FIRST) => consumable.get(messageToL1Hash(sent));
const inFlight = (id: number) => ({ id, nonce: 1, hash: `0xf${id}`, signed: '0x9' });
const LINK = {
  ...{ url: 'http://a/', contract: '0x5', key: '0x6', start: { block: 1, log: 2 } },
  cursor: { block: 3, log: 4, seen: { number: 5, hash: '0x7' } },
  inFlight: undefined,
};

test('messages are sent in order, and are gone with their blocks', () => {
  const sent = withSent(withSent(NO_MESSAGES, 3, [FIRST, SECOND]), 4, [FIRST]);
  expect([idsOf(sent), sent.nextId]).toEqual([[0, 1, 2], 3]);
  expect([countOf(sent), countOf(sent, SECOND)]).toEqual([2, 1]);
  expect(withSent(sent, 5, [])).toBe(sent);
  const shorter = withoutBlocksFrom(sent, 4);
  expect([idsOf(shorter), shorter.nextId, countOf(shorter)]).toEqual([[0, 1], 3, 1]);
  expect(countOf(withoutBlocksFrom(sent, 3))).toBeUndefined();
  expect(withoutBlocksFrom(sent, 5)).toBe(sent);
  const [once, twice] = [withConsumed(sent, messageToL1Hash(FIRST)), withSent(sent, 5, [FIRST])];
  expect([once && countOf(once), countOf(twice)]).toEqual([1, 3]);
  const none = once && withConsumed(once, messageToL1Hash(FIRST));
  expect(none && withConsumed(none, messageToL1Hash(FIRST))).toBeUndefined();
  expect([isOutgoing(sent, 0), isOutgoing(sent, 2), isOutgoing(sent, 3)]).toEqual([
    true,
    true,
    false,
  ]);
});

test('a message that has landed is delivered once, also after a way back', () => {
  const sent = withSent(NO_MESSAGES, 3, [FIRST, SECOND, FIRST, FIRST]);
  const flying = (id: number, from: Messages = sent): Messages => ({
    ...from,
    l1: { ...LINK, inFlight: inFlight(id) },
  });
  const landed = (id: number, from: Messages = sent) =>
    withLanded(flying(id, from), inFlight(id), true);
  const first = landed(0);
  expect([idsOf(first), first.delivered, first.l1?.inFlight]).toEqual([
    [1, 2, 3],
    [[0, 0]],
    undefined,
  ]);
  expect(landed(1, first).delivered).toEqual([[0, 1]]);
  const apart = landed(3, landed(1, first));
  expect([idsOf(apart), apart.delivered]).toEqual([
    [2],
    [
      [0, 1],
      [3, 3],
    ],
  ]);
  const failed = withLanded(flying(0), inFlight(0), false);
  expect([idsOf(failed), failed.delivered, failed.l1?.inFlight]).toEqual([
    [0, 1, 2, 3],
    [],
    undefined,
  ]);
  expect(withLanded(flying(0), inFlight(1), true)).toEqual(flying(0));
  expect(withLanded(sent, inFlight(0), true)).toBe(sent);
  // Back at the snapshot, what is on L1 is not sent again.
  const back = returnedTo({ ...sent, l1: LINK }, apart);
  expect([idsOf(back), back.delivered, back.nextId]).toEqual([[2], apart.delivered, 4]);
  const later = withSent(apart, 4, [FIRST]);
  expect(returnedTo({ ...sent, l1: LINK }, later).nextId).toBe(5);
  expect(returnedTo(sent, sent)).toBe(sent);
  const away = returnedTo({ ...sent, l1: LINK }, flying(2));
  expect(away.l1?.inFlight).toEqual(inFlight(2));
  for (const other of [{ url: 'http://b/' }, { contract: '0x6' }]) {
    const elsewhere = { ...flying(2), l1: { ...LINK, inFlight: inFlight(2), ...other } };
    expect(returnedTo({ ...sent, l1: LINK }, elsewhere).l1?.inFlight).toBeUndefined();
  }
});

test('the link to L1 is left, or read on, by a restart', () => {
  const sent = { ...withSent(NO_MESSAGES, 3, [FIRST]), l1: LINK };
  expect(restartMessages(sent, readOn)).toEqual({
    ...NO_MESSAGES,
    nextId: 1,
    l1: { ...LINK, start: { block: 3, log: 4 } },
  });
  expect(restartMessages(sent, () => undefined).l1).toBeUndefined();
  expect(unlinkL1({ messages: sent }).messages.l1).toBeUndefined();
  const unlinked = { messages: NO_MESSAGES };
  expect(unlinkL1(unlinked)).toBe(unlinked);
});

test('transactions of a message from L1 are known by its transaction there', () => {
  const received = withIncoming(withIncoming(NO_MESSAGES, '0xa', '0x1'), '0xa', '0x2');
  expect(received.incoming.get('0xa')?.toArray()).toEqual(['0x1', '0x2']);
  const one = withoutIncoming(received, new Set(['0x1']));
  expect(one.incoming.get('0xa')?.toArray()).toEqual(['0x2']);
  expect(withoutIncoming(one, new Set(['0x2'])).incoming.size).toBe(0);
  expect(withoutIncoming(received, new Set())).toBe(received);
  expect(withoutIncoming(NO_MESSAGES, new Set(['0x1']))).toBe(NO_MESSAGES);
});

test('stored messages are refused unless their ids ascend below the next', () => {
  const written = messagesToJson(withSent(NO_MESSAGES, 3, [FIRST, SECOND]));
  const read = (changes: object) => () => messagesFromJson({ ...written, ...changes });
  expect(read({})).not.toThrow();
  expect(read({ nextId: 1 })).toThrow(/ascending ids/);
  expect(read({ outgoing: [...written.outgoing].reverse() })).toThrow(/ascending ids/);
  for (const changes of [
    ...[{ nextId: -1 }, { outgoing: {} }, { delivered: [[0]] }, { consumable: [['x', 1]] }],
    ...[{ incoming: [['0x1', ['x']]] }, { l1: 5 }, { l1: { ...LINK, cursor: {} } }],
    ...[{ l1: { ...LINK, inFlight: { ...inFlight(0), id: -1 } } }, { l1: { ...LINK, start: {} } }],
  ]) {
    expect(read(changes)).toThrow(TypeError);
  }
});
