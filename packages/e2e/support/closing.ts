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

export async function closeTest(): Promise<void> {
  await Promise.all(afterTest.splice(0).map((close) => close()));
}

export async function closeFile(): Promise<void> {
  await Promise.all(afterFile.splice(0).map((close) => close()));
}
