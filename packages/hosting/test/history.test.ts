// The checker of histories: what it finds in histories that no correct fleet has, and what it allows.
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  type Life,
  misreported,
  type Observation,
  violationsIn,
} from './support/history.js';

/** An answer between two times. */
const answer = (
  began: number,
  ended: number,
  observation: Observation,
  instance = 'i',
): Answer => ({
  ...{ instance, began, ended, observation: observation, from: 'node' },
});
const head = (number: number, hash = `0x${number}`): Observation => ({
  kind: 'head',
  number,
  hash,
});
const block = (number: number, hash = `0x${number}`): Observation => ({
  kind: 'block',
  number,
  hash,
});
const included: Observation = { kind: 'transaction', hash: '0xa' };
const gone: Observation = { kind: 'no transaction', hash: '0xa' };

const kindsIn = (...answers: Answer[]) => violationsIn(answers).map(({ kind }) => kind);

describe('Histories', () => {
  test('a chain that grows is correct', () => {
    const answers = [head(0), head(1), block(0), { kind: 'no block', number: 2 } as const, head(2)];
    expect(
      kindsIn(...answers.map((observation, at) => answer(2 * at, 2 * at + 1, observation))),
    ).toEqual([]);
  });

  test.each([
    ['heads', head(3, '0xa'), head(3, '0xb')],
    ['a head and a block', head(3, '0xa'), block(3, '0xb')],
    ['blocks', block(3, '0xa'), block(3, '0xb')],
  ])('two %s of one number are found, in either order and at one time', (_, first, other) => {
    const violations = ['two blocks of one number'];
    expect(kindsIn(answer(0, 1, first), answer(2, 3, other))).toEqual(violations);
    expect(kindsIn(answer(2, 3, first), answer(0, 1, other))).toEqual(violations);
    expect(kindsIn(answer(0, 3, first), answer(1, 2, other))).toEqual(violations);
  });

  test('instances have chains of their own', () => {
    const other = answer(0, 1, head(3, '0xb'), 'other');
    expect(kindsIn(answer(0, 1, head(3, '0xa')), other)).toEqual([]);
  });

  test.each([
    ['a head', head(4)],
    ['a block that is missing', { kind: 'no block', number: 5 } as const],
  ])('%s below a block that was shown before is found', (_, lower) => {
    expect(kindsIn(answer(0, 1, block(5)), answer(2, 3, lower))).toEqual(['head went back']);
    const between = answer(2, 5, head(3));
    expect(kindsIn(answer(0, 9, head(9)), between, answer(0, 1, head(5)), answer(6, 7, lower)))
      // Both are below block 5; block 9 was shown after both.
      .toEqual(['head went back', 'head went back']);
  });

  test('requests at one time may see each other’s past', () => {
    expect(kindsIn(answer(0, 2, head(5)), answer(1, 3, head(4)))).toEqual([]);
    expect(kindsIn(answer(0, 1, head(5)), answer(1, 3, head(4)))).toEqual([]);
    expect(kindsIn(answer(0, 2, included), answer(1, 3, gone))).toEqual([]);
  });

  test('an acknowledged transaction that is missing later is found', () => {
    expect(kindsIn(answer(0, 1, included), answer(2, 3, gone))).toEqual(['transaction lost']);
    expect(kindsIn(answer(0, 1, gone), answer(2, 3, included))).toEqual([]);
    const answers = [answer(4, 9, included), answer(0, 1, included), answer(2, 3, gone)];
    expect(kindsIn(...answers)).toEqual(['transaction lost']);
  });

  test('a nonce below one that was shown before is found', () => {
    const nonce = (value: number): Observation => ({ kind: 'nonce', nonce: value });
    expect(kindsIn(answer(0, 1, nonce(5)), answer(2, 3, nonce(4)))).toEqual(['nonce went back']);
    expect(kindsIn(answer(0, 2, nonce(5)), answer(1, 3, nonce(4)))).toEqual([]);
    expect(kindsIn(answer(0, 1, head(5)), answer(2, 3, nonce(4)))).toEqual([]);
  });

  test('an instance that ended comes back in no later answer', () => {
    const ended: Observation = { kind: 'gone' };
    const life: Life = { created: 0, deletion: 0, ttl: undefined };
    const kinds = (...answers: Answer[]) =>
      violationsIn(answers, new Map([['i', life]])).map(({ kind }) => kind);
    expect(kinds(answer(0, 1, head(0)), answer(2, 3, ended))).toEqual([]);
    expect(kinds(answer(0, 3, head(0)), answer(1, 2, ended))).toEqual([]);
    expect(kinds(answer(0, 1, ended), answer(2, 3, head(0)))).toEqual(['ended instance came back']);
  });

  test('an instance ends by a deletion, or without a request for its time to live', () => {
    const ended: Observation = { kind: 'gone' };
    const kinds = (life: Partial<Life>, ...answers: Answer[]) => {
      const whole: Life = { created: 0, deletion: undefined, ttl: undefined, ...life };
      return violationsIn(answers, new Map([['i', whole]])).map(({ kind }) => kind);
    };
    const lost = ['instance lost'];
    expect(kindsIn(answer(0, 1, ended))).toEqual(lost);
    expect(kinds({}, answer(0, 1, ended))).toEqual(lost);
    expect(kinds({ deletion: 5 }, answer(3, 4, ended))).toEqual(lost);
    expect(kinds({ deletion: 5 }, answer(3, 6, ended))).toEqual([]);
    expect(kinds({ ttl: 10 }, answer(3, 11, ended))).toEqual([]);
    expect(kinds({ ttl: 10 }, answer(2, 3, head(0)), answer(4, 11, ended))).toEqual(lost);
    expect(kinds({ ttl: 10 }, answer(2, 3, head(0)), answer(4, 13, ended))).toEqual([]);
  });

  test('a change is in the chain as often as its sender was told', () => {
    const kinds = (outcome: 'made' | 'refused' | 'unknown') =>
      [0, 1, 2].map(
        (count) => misreported([{ instance: 'i', mark: '0x1', outcome }], () => count).length,
      );
    expect(kinds('made')).toEqual([1, 0, 1]);
    expect(kinds('refused')).toEqual([0, 1, 1]);
    expect(kinds('unknown')).toEqual([0, 0, 1]);
  });
});
