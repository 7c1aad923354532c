// The queue that runs tasks one after another.
import { expect, test } from 'vitest';
import { SerialQueue } from '../../src/scheduling/serial-queue.js';

test('tasks run one at a time, in the order of their addition', async () => {
  const queue = new SerialQueue();
  const steps: string[] = [];
  const task = (name: string) => async (): Promise<string> => {
    steps.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(`${name} ends`);
    return name;
  };
  const results = await Promise.all([queue.run(task('a')), queue.run(task('b'))]);
  expect(results).toEqual(['a', 'b']);
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('a failed task rejects for its caller alone', async () => {
  const queue = new SerialQueue();
  const failing = queue.run(() => {
    throw new Error('full');
  });
  const following = queue.run(() => 1);
  await expect(failing).rejects.toThrow('full');
  expect(await following).toBe(1);
});

test('an idle queue has ended all of its tasks, also failed ones', async () => {
  const queue = new SerialQueue();
  let hasEnded = false;
  queue
    .run(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      hasEnded = true;
      throw new Error('late');
    })
    .catch((error: Error) => expect(error.message).toBe('late'));
  await queue.idle();
  expect(hasEnded).toBe(true);
});
