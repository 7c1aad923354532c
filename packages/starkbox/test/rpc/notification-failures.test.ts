// Notifications that cannot be sent: the error is reported, and the others are sent.
import { expect, test } from 'vitest';
import type { Listener } from '../../src/rpc/protocol/call-context.js';
import { Subscriptions } from '../../src/rpc/subscriptions/subscriptions.js';
import { recordingListener } from '../support/subscriptions/recording-listener.js';

const FAULT = new Error('cannot be sent');
const fail = (): never => {
  throw FAULT;
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function gathered() {
  const errors: unknown[] = [];
  const heard: string[] = [];
  const subscriptions = new Subscriptions((error) => errors.push(error));
  const add = (id: string, { listener = recorded, filter = id, pick = () => id } = {}): void => {
    subscriptions.add({ id, listener, prefix: 'starknet', key: 'heads', pick, filter });
  };
  const recorded: Listener = recordingListener((text) =>
    heard.push(JSON.parse(text).params.result),
  );
  const head = { topic: 'heads', text: () => '0' } as const;
  return { errors, heard, subscriptions, add, head };
}

test('an announcement that fails ends neither the process nor those after it', async () => {
  const { errors, heard, subscriptions, add, head } = gathered();
  add('1');
  subscriptions.later(fail);
  subscriptions.later(() => subscriptions.notify(head));
  await turn();
  expect(errors).toEqual([FAULT]);
  expect(heard).toEqual([1]);
});

test('a subscription whose notification fails does not keep others from theirs', async () => {
  const { errors, heard, subscriptions, add, head } = gathered();
  add('1');
  add('2', { pick: fail });
  add('3');
  subscriptions.later(() => subscriptions.notify(head));
  subscriptions.later(() => subscriptions.notifyReorg('"reorg"'));
  subscriptions.later(() => subscriptions.notifyReorgOf([head]));
  await turn();
  expect(errors).toEqual([FAULT, FAULT]);
  expect(heard).toEqual([1, 3, 'reorg', 'reorg', 'reorg', 1, 3]);
});

test('a listener that fails does not keep others with the same filter from theirs', async () => {
  const { errors, heard, subscriptions, add, head } = gathered();
  const listener = recordingListener(fail);
  add('1', { listener, filter: 'same' });
  add('2', { filter: 'same' });
  for (const _ of [1, 2]) subscriptions.later(() => subscriptions.notify(head));
  await turn();
  expect(errors).toEqual([FAULT, FAULT]);
  expect(heard).toEqual([1, 1]);
});
