// Calls of every export with wrong values, from several threads at once. Run as a process of its own:
//
//   node attack.mjs ADDON COMPILER
//
// Prints what happened as JSON. The working directory and TMPDIR must be a folder of its own.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { callerOf, ENTRIES, exportedNames, subjects } from './entries.mjs';
import { MAYBE_RIGHT, NEVER_RIGHT, wrongReceivers } from './wrong-values.mjs';

const THREADS = 4;
/** A call that is not settled by then hangs. */
const TIMEOUT = 60_000;

/** A barrier, so that the calls of all threads overlap. */
function meet(gate, count) {
  const turn = Atomics.load(gate, 1);
  if (Atomics.add(gate, 0, 1) + 1 === count) {
    Atomics.store(gate, 0, 0);
    Atomics.add(gate, 1, 1);
    Atomics.notify(gate, 1);
  } else Atomics.wait(gate, 1, turn);
}

const hasEnded = (outcome) => outcome === 'fine' || outcome === 'refused';

/** What a call came to. */
async function outcomeOf(call) {
  let timer;
  try {
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, TIMEOUT, 'hangs');
    });
    const completion = Promise.resolve(call()).then(() => 'fine');
    return await Promise.race([completion, late]);
  } catch (error) {
    return error instanceof Error ? 'refused' : `threw ${typeof error}`;
  } finally {
    clearTimeout(timer);
  }
}

class Attack {
  calls = 0;
  findings = [];

  constructor(addon, compiler) {
    this.addon = addon;
    this.compiler = compiler;
  }

  async begin() {
    this.subjects = await subjects(this.addon, this.compiler);
  }

  args({ args }) {
    return args.map((value) => (typeof value === 'function' ? value(this.subjects) : value));
  }

  receiver(name) {
    const [owner] = name.split('#');
    return this.subjects.instances[owner];
  }

  async try(what, call, isRight) {
    this.calls += 1;
    const outcome = await outcomeOf(call);
    if (!isRight(outcome)) this.findings.push(`${what}: ${outcome}`);
  }

  /** Every entry does what it is for. */
  async rightCalls() {
    for (const [name, entry] of Object.entries(ENTRIES)) {
      const call = callerOf(this.addon, name);
      const expected = entry.refused ? 'refused' : 'fine';
      await this.try(
        `${name} as it should be`,
        () => call(this.receiver(name), this.args(entry)),
        (outcome) => outcome === expected,
      );
    }
  }

  async wrongCalls() {
    for (const [name, entry] of Object.entries(ENTRIES)) {
      const call = callerOf(this.addon, name);
      await this.wrongArguments(name, entry, call);
      if (name.includes('#')) await this.wrongReceivers(name, entry, call);
    }
    for (const [name, exported] of Object.entries(this.addon)) {
      const entry = ENTRIES[`new ${name}`];
      if (!entry) continue;
      for (const receiver of [undefined, {}, Object.freeze({}), this.subjects.instances[name]]) {
        const call = () => Reflect.apply(exported, receiver, this.args(entry));
        await this.try(`${name} without new`, call, hasEnded);
      }
    }
  }

  async wrongArguments(name, entry, call) {
    const good = this.args(entry);
    const { required = 0 } = entry;
    const isRequired = (at) =>
      typeof required === 'number' ? at < required : required.includes(at);
    for (let count = 0; count < good.length; count += 1) {
      const first = good.slice(0, count);
      const isWrong = good.some((_, at) => at >= count && isRequired(at));
      await this.try(
        `${name} with ${count} arguments`,
        () => call(this.receiver(name), first),
        (outcome) => (isWrong ? outcome === 'refused' : hasEnded(outcome)),
      );
    }
    const more = [...good, ...Array.from({ length: 20 }, () => Symbol('more'))];
    await this.try(`${name} with more arguments`, () => call(this.receiver(name), more), hasEnded);
    for (const [at] of good.entries()) {
      for (const [what, value] of Object.entries(NEVER_RIGHT)) {
        await this.try(
          `${name} with ${what} as argument ${at}`,
          () => call(this.receiver(name), good.with(at, value())),
          (outcome) => (isRequired(at) ? outcome === 'refused' : hasEnded(outcome)),
        );
      }
      for (const [what, value] of Object.entries(MAYBE_RIGHT)) {
        await this.try(
          `${name} with ${what} as argument ${at}`,
          () => call(this.receiver(name), good.with(at, value())),
          hasEnded,
        );
      }
    }
  }

  async wrongReceivers(name, entry, call) {
    const [owner] = name.split('#');
    for (const [what, receiver] of Object.entries(wrongReceivers(owner, this.subjects.instances))) {
      await this.try(
        `${name} of ${what}`,
        () => call(receiver, this.args(entry)),
        (outcome) => outcome === 'refused',
      );
    }
  }
}

if (isMainThread) {
  const [, , addonFile, compiler] = process.argv;
  const addon = createRequire(import.meta.url)(addonFile);
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const workers = Array.from({ length: THREADS }, async () => {
    const worker = new Worker(fileURLToPath(import.meta.url), {
      workerData: { addonFile, compiler, gate },
    });
    return new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
  });
  const reports = await Promise.all(workers);
  process.stdout.write(
    JSON.stringify({
      exported: exportedNames(addon),
      tried: Object.keys(ENTRIES).sort(),
      calls: reports.reduce((sum, { calls }) => sum + calls, 0),
      findings: [...new Set(reports.flatMap(({ findings }) => findings))],
    }),
  );
} else {
  const { addonFile, compiler, gate } = workerData;
  const addon = createRequire(import.meta.url)(addonFile);
  const attack = new Attack(addon, compiler);
  addon.configure(compiler, process.env['TMPDIR'] ?? null);
  await attack.begin();
  meet(gate, THREADS);
  await attack.rightCalls();
  meet(gate, THREADS);
  await attack.wrongCalls();
  meet(gate, THREADS);
  // Fresh subjects, because some of the calls spend theirs.
  addon.configure(compiler, process.env['TMPDIR'] ?? null);
  meet(gate, THREADS);
  await attack.begin();
  await attack.rightCalls();
  parentPort.postMessage({ calls: attack.calls, findings: attack.findings });
}
