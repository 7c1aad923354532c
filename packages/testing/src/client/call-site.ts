// Where a test called what failed: the stack of the call, which queues and awaits of clients lose.

/** The file and the line of a frame: its column and its function differ if the frame was awaited. */
const PLACE = /[^\s(]+:\d+(?=:\d+\)?$)/;

/**
 * Runs a call. The stack of its error ends with the frames that began it.
 *
 * @param entry what the test has called: frames above it are left out
 */
export async function withCallSite<T>(
  entry: (...params: never) => unknown,
  call: () => Promise<T>,
): Promise<T> {
  const site: { stack?: string } = {};
  Error.captureStackTrace(site, entry);
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error) appendFrames(error, site.stack ?? '');
    throw error;
  }
}

function appendFrames(error: Error, stack: string): void {
  const isNew = (frame: string): boolean => !error.stack?.includes(PLACE.exec(frame)?.[0] ?? frame);
  const frames = stack.split('\n').slice(1).filter(isNew);
  error.stack = [error.stack, ...frames].join('\n');
}
