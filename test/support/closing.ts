// What tests opened and leave to be closed. Hooks of a module that several test files share would run for
// the first of them only, so `close-after-tests.ts` closes it in every file.

type Close = () => unknown;

const afterTest: Close[] = [];
const afterFile: Close[] = [];

export function closeAfterTest(close: Close): void {
  afterTest.push(close);
}

export function closeAfterFile(close: Close): void {
  afterFile.push(close);
}

export function closeTest(): Promise<void> {
  return closeAll(afterTest);
}

export function closeFile(): Promise<void> {
  return closeAll(afterFile);
}

/** The last first, because a node uses the folder that was made before it. */
async function closeAll(closings: Close[]): Promise<void> {
  for (const close of closings.splice(0).reverse()) await close();
}
