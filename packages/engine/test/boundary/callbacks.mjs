// Callbacks of origins that call the engine again, throw, answer wrongly, twice, late or never. Run as a process:
//
//   node --expose-gc callbacks.mjs ADDON
//
// Prints what happened as JSON.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { detached } from './wrong-values.mjs';

const TIMEOUT = 60_000;
/** More than there are threads in the pool of the engine: one that is lost with each would stop it. */
const ENDED_THREADS = 40;
const QUESTIONS_OF_EACH = 16;

const addonFile = isMainThread ? process.argv[2] : workerData.addonFile;
const addon = createRequire(import.meta.url)(addonFile);

function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} hangs`)), TIMEOUT);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The value that a state above an origin reads, or the reason why it does not. */
async function read(ask) {
  const origin = new addon.StateSource(ask);
  const state = new addon.State(1, true, origin);
  try {
    return await within(state.storage('0x1', '0x2'), String(ask));
  } catch (error) {
    return error instanceof Error ? `${error.code}: ${error.message}` : `threw ${typeof error}`;
  }
}

const thenable = {
  // biome-ignore lint/suspicious/noThenProperty: it is what is tested
  then(resolve, reject) {
    resolve('0x1');
    resolve('0x2');
    reject(new Error('too late'));
  },
};

const callbacks = {
  'an answer': async () => '0x5',
  'nothing there': async () => null,
  'a second answer': () =>
    new Promise((resolve, reject) => {
      resolve('0x5');
      resolve('0x6');
      reject(new Error('too late'));
    }),
  'a later answer': () => sleep(20, '0x5'),
  'a rejection': () => Promise.reject(new Error('no')),
  'a rejection with undefined': () => Promise.reject(undefined),
  'a rejection with a symbol': () => Promise.reject(Symbol('no')),
  'an exception': () => {
    throw new Error('no');
  },
  'an exception that is null': () => {
    // biome-ignore lint/style/useThrowOnlyError: it is what is tested
    throw null;
  },
  'no promise': () => '0x5',
  'no answer': () => undefined,
  'a thenable': () => thenable,
  'a promise of a thenable': async () => thenable,
  'a number': async () => 5,
  'a symbol': async () => Symbol('5'),
  'no felt': async () => 'five',
  'bytes for a felt': async () => Buffer.from('5'),
  'detached bytes': async () => detached(),
  'a proxy': async () => new Proxy({}, { get: (_, key) => (key === 'then' ? undefined : 1) }),
  'another read': async () => {
    const inner = new addon.State(1, true, new addon.StateSource(async () => '0x7'));
    return inner.storage('0x3', '0x4');
  },
  'a read of the same origin': (() => {
    const origin = new addon.StateSource(async (question) => {
      if (question.includes('"nonce"')) return '0x8';
      return new addon.State(1, true, origin).nonce('0x9');
    });
    return () => new addon.State(1, true, origin).storage('0x1', '0x2');
  })(),
  'a state that is written meanwhile': async () => {
    const state = new addon.State(0, true);
    const next = (await state.apply('{}', [])).advance({
      address: '0x1',
      key: '0x2',
      value: '0xa',
    });
    globalThis.gc?.();
    return next.storageKnown('0x1', '0x2');
  },
};

/** All handles on an origin are gone before it answers. */
async function afterClose() {
  let answer;
  const question = new Promise((resolve) => {
    globalThis.pending = (() => {
      const origin = new addon.StateSource(
        () =>
          new Promise((settle) => {
            answer = settle;
            resolve();
          }),
      );
      return new addon.State(1, true, origin).storage('0x1', '0x2');
    })();
  });
  await question;
  for (let pass = 0; pass < 5; pass += 1) {
    globalThis.gc?.();
    await sleep(5);
  }
  answer('0xc');
  return within(globalThis.pending, 'an answer after the last handle is gone');
}

/** Threads of JavaScript that end while the engine waits for their answers. */
async function endedThreads() {
  for (let number = 0; number < ENDED_THREADS; number += 1) {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { addonFile } });
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await worker.terminate();
  }
}

if (isMainThread) {
  const answers = {};
  for (const [name, ask] of Object.entries(callbacks)) answers[name] = await read(ask);
  answers['after the last handle is gone'] = await afterClose();
  await endedThreads();
  answers['after threads have ended'] = await read(callbacks['an answer']);
  process.stdout.write(JSON.stringify(answers));
} else {
  let questions = 0;
  const origin = new addon.StateSource(() => {
    questions += 1;
    if (questions === QUESTIONS_OF_EACH) parentPort.postMessage('asked');
    return new Promise(() => {});
  });
  const state = new addon.State(1, true, origin);
  for (let key = 0; key < QUESTIONS_OF_EACH; key += 1) void state.storage('0x1', `0x${key}`);
}
