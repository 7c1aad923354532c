// Asynchronous work that no caller awaits, and the display of its errors.
import { createStore } from './store.js';

/** The error of the last task that failed, until it is dismissed. */
export const taskError = createStore<unknown>(undefined);

/** Lets a task run without awaiting it; its error is shown above the page. */
export function runTask(task: Promise<unknown> | undefined): void {
  task?.catch((error: unknown) => taskError.set(error));
}
