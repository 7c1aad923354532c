// A worker thread: it opens a file of invariants, and runs histories of it.
import { parentPort, workerData } from 'node:worker_threads';
import { openFile } from './file.js';
import type { WorkerAnswer, WorkerTask } from './workers.js';

if (!parentPort) throw new Error('This module runs in a worker thread only');
const port = parentPort;
let opened: Awaited<ReturnType<typeof openFile>> | undefined;

async function perform(task: WorkerTask): Promise<Extract<WorkerAnswer, { output: unknown }>> {
  if (task.kind === 'open') {
    opened = await openFile(workerData.file, workerData.overrides);
    return { output: opened.facts };
  }
  if (!opened) throw new Error('The file is not open');
  const { session } = opened;
  switch (task.kind) {
    case 'run': {
      const { range, change } = task.input;
      if (change) session.update(change);
      return { output: await session.run(range) };
    }
    case 'replay':
      return { output: await session.replay(task.input) };
    case 'shrink':
      return { output: await session.shrink(task.input.history, task.input.found) };
    case 'describe':
      return { output: await session.describe(task.input.shrunk, task.input.place) };
    case 'close':
      return { output: undefined };
  }
}

port.on('message', async (task: WorkerTask) => {
  if (task.kind === 'close') {
    await opened?.close();
    port.close();
    return;
  }
  let answer: WorkerAnswer;
  try {
    answer = await perform(task);
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    answer = { error: { message, stack } };
  }
  port.postMessage(answer);
});
